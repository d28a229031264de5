import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { type Handler, sendJson } from './api-server.ts';
import { definitionOf, type EngineRuns, engineRuns, streamOf } from './engine-run.ts';
import { useApis } from './served-apis.ts';

/** An API that keeps records by their ids, as far as `judge` lets it, and cannot be read. */
export interface UnreadableApi {
  readonly records: Map<string, { id: number; v: string }>;
  /** What was asked since the last time, such as `PUT 1`. */
  asked(): string[];
  readonly keys: (string | undefined)[];
}

interface LedgerBench {
  readonly source: DatabaseSync;
  readonly runs: EngineRuns;
  readonly api: UnreadableApi;
}

interface LedgerBenchOptions {
  /** The status that a request is answered with instead, or 0 to hang up. */
  judge?: (asked: string) => number | undefined;
  deletes?: 'delete' | 'keep';
}

/** Makes mirrors from a file of SQLite into an API that cannot be read back. */
export function useLedgerBenches(): (rows: string, options?: LedgerBenchOptions) => Promise<LedgerBench> {
  const { serve } = useApis();
  const folder = mkdtempSync(join(tmpdir(), 'syncline-delivered-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  return async (rows, { judge = () => undefined, deletes = 'delete' } = {}) => {
    const path = join(folder, `${count++}.db`);
    const source = new DatabaseSync(path);
    source.exec(`pragma journal_mode = wal; create table things (id integer primary key, v text); ${rows}`);
    const records: UnreadableApi['records'] = new Map();
    let asked: string[] = [];
    const keys: UnreadableApi['keys'] = [];
    const handler: Handler = ({ method, url, body, headers }, response) => {
      const id = url.pathname.split('/').at(-1) ?? '';
      asked.push(`${method} ${id}`);
      keys.push(headers['idempotency-key'] as string | undefined);
      const status = judge(`${method} ${id}`);
      if (status === 0) return void response.destroy();
      if (status !== undefined) return sendJson(response, { error: 'no' }, status);
      if (method === 'DELETE') records.delete(id);
      else records.set(id, JSON.parse(body) as { id: number; v: string });
      sendJson(response, {});
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
  };
}
