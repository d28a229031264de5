import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { type Handler, sendJson } from './api-server.ts';
import { definitionOf, type EngineRuns, engineRuns, streamOf } from './engine-run.ts';
import { useApis } from './served-apis.ts';

/** An API that keeps records by their ids, as far as `judge` lets it, and cannot be read. */
interface UnreadableApi {
  readonly records: Map<string, { id: number; v: string }>;
  /** What was asked since the last time, such as `PUT 1`. */
  asked(): string[];
  /** The idempotency keys of all that was asked. */
  readonly keys: (string | undefined)[];
}

/** A status instead of the work, or how the answer goes wrong when the work is done. */
export type Judgement = number | 'reset afterwards' | 'half an answer' | undefined;

interface BenchOptions {
  judge?: (asked: string) => Judgement;
  deletes?: 'delete' | 'keep';
}

interface UnreadableBench {
  source: DatabaseSync;
  runs: EngineRuns;
  api: UnreadableApi;
}

/** Mirrors of a table `things` into such an API, by the engine alone. */
export function useUnreadableApis(): { bench: (rows: string, options?: BenchOptions) => Promise<UnreadableBench> } {
  const { serve } = useApis();
  const folder = mkdtempSync(join(tmpdir(), 'syncline-delivered-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  return {
    bench: async (rows, { judge = () => undefined, deletes = 'delete' } = {}) => {
      const path = join(folder, `${count++}.db`);
      const source = new DatabaseSync(path);
      source.exec(`pragma journal_mode = wal; create table things (id integer primary key, v text); ${rows}`);
      const records: UnreadableApi['records'] = new Map();
      const asked: string[] = [];
      const keys: UnreadableApi['keys'] = [];
      const handler: Handler = ({ method, url, body, headers }, response) => {
        const id = url.pathname.split('/').at(-1) ?? '';
        asked.push(`${method} ${id}`);
        keys.push(headers['idempotency-key'] as string | undefined);
        const judgement = judge(`${method} ${id}`);
        if (typeof judgement === 'number') return sendJson(response, { error: 'no' }, judgement);
        if (method === 'DELETE') records.delete(id);
        else records.set(id, JSON.parse(body) as { id: number; v: string });
        answer(response, judgement);
      };
      const { url } = await serve(handler);
      const write = {
        modes: ['upsert'],
        method: 'PUT',
        path: '/things/{id}',
        delete_path: '/things/{id}',
        idempotency_header: 'Idempotency-Key',
      };
      const stream = { name: 'things', key: ['id'], write };
      const runs = engineRuns({
        definition: definitionOf([streamOf('things', { deletes })]),
        ends: {
          source: { id: 'src_a', name: 'source', type: 'sqlite', config: { path } },
          target: { id: 'src_b', name: 'target', type: 'http', config: { base_url: url, streams: [stream], max_wait_seconds: 1 } },
        },
        folder,
      });
      return { source, runs, api: { records, keys, asked: () => asked.splice(0) } };
    },
  };
}

function answer(response: ServerResponse, judgement: Judgement): void {
  if (judgement === undefined) return sendJson(response, {});
  if (judgement === 'half an answer')
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"ok":');
  setImmediate(() => response.destroy());
}

export const counted = ({ first: { read, inserted, updated, deleted, unchanged, rejected } }: Awaited<ReturnType<EngineRuns['run']>>) => ({
  read,
  inserted,
  updated,
  deleted,
  unchanged,
  rejected,
});
