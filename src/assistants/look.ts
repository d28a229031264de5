import { setTimeout as pause } from 'node:timers/promises';
import { Strict } from '../http/schemas.ts';
import type { JsonObject } from '../lib/exact-json.ts';
import { Type } from '../lib/schema.ts';
import type { OwnApi } from './own-api.ts';
import { runShape } from './shapes.ts';
import { pick, type Told } from './told.ts';
import { BASE, limitOf, RunId, SourceId, Streams, SyncId, type Tool, tool } from './tool.ts';

/** So long an answer waits for a run, in milliseconds: below what clients wait. */
const PATIENCE = 20_000;
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_500;
const UNDER_WAY = new Set(['queued', 'running', 'retrying']);

export const listStreamsTool: Tool = tool({
  name: 'list_streams',
  title: 'Tables, files or resources of a source',
  description: 'Lists the streams of a source (tables, views, files, resources) with their fields, types, keys and possible cursors.',
  input: Strict({
    source_id: SourceId,
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only streams with this in their name.' })),
    limit: limitOf(50, 20, 'streams'),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 8192, description: 'next_cursor of the answer before.' })),
  }),
  routes: [`GET ${BASE}/sources/{id}/streams`],
  effect: 'reads',
  work: async ({ input: { source_id, limit = 20, ...rest }, api }) => {
    const answer = await api.get(`${BASE}/sources/${source_id}/streams`, { ...rest, limit });
    const streams = answer['data'] as unknown[];
    return {
      words: `${String(answer['total'])} streams; ${streams.length} of them are shown.`,
      data: { streams, total: answer['total'], next_cursor: answer['next_cursor'] },
    };
  },
});

export const sampleRowsTool: Tool = tool({
  name: 'sample_rows',
  title: 'Some rows of a source',
  description: 'Shows some rows of one stream of a source as they are at this moment. It is written down that they were shown.',
  input: Strict({
    source_id: SourceId,
    stream: Type.String({ minLength: 1, maxLength: 1000, description: 'The name of the stream, as list_streams tells it.' }),
    limit: limitOf(20, 5, 'rows'),
  }),
  routes: [`GET ${BASE}/sources/{id}/streams/{name}/sample`],
  effect: 'reads',
  work: async ({ input: { source_id, stream, limit = 5 }, api }) => {
    const { data } = await api.get(`${BASE}/sources/${source_id}/streams/${encodeURIComponent(stream)}/sample`, { limit });
    return { words: `${(data as { rows: unknown[] }).rows.length} rows.`, data };
  },
});

/** A run that only looks. */
function lookingTool(mode: 'preview' | 'verify', title: string, description: string): Tool {
  return tool({
    name: mode,
    title,
    description: `${description} It waits up to 20 seconds; what takes longer is asked for with run_result.`,
    input: Strict({ sync_id: SyncId, streams: Streams, rows: limitOf(20, 5, 'rows that differ') }),
    routes: [`POST ${BASE}/sync/{id}/runs`, `GET ${BASE}/runs/{id}`],
    effect: 'starts',
    work: async ({ input: { sync_id, streams, rows = 5 }, api }) => {
      const { data } = await api.post(`${BASE}/sync/${sync_id}/runs`, { mode, ...(streams && { streams }) });
      return outcomeOf(api, (data as { id: string }).id, rows);
    },
  });
}

export const previewTool: Tool = lookingTool(
  'preview',
  'What a run would change',
  'Shows what a run of a synchronization would insert, update and delete at the target, with some of the rows. Nothing is written there.',
);

export const verifyTool: Tool = lookingTool(
  'verify',
  'Whether both ends are equal',
  'Compares the contents of source and target of a synchronization through its mapping, and tells equal, differs or changing, with some of the rows that differ. Nothing is written there.',
);

export const runResultTool: Tool = tool({
  name: 'run_result',
  title: 'What came of a run',
  description:
    'Shows a run with its counts and errors, and of a preview or a verify some of the rows. While it is under way, it waits up to 20 seconds.',
  input: Strict({ run_id: RunId, rows: limitOf(20, 5, 'rows that differ') }),
  routes: [`GET ${BASE}/runs/{id}`],
  effect: 'reads',
  work: ({ input: { run_id, rows = 5 }, api }) => outcomeOf(api, run_id, rows),
});

/** The run when it is over, or as it is when that takes too long. */
async function outcomeOf(api: OwnApi, id: string, rows: number): Promise<Told> {
  const until = performance.now() + PATIENCE;
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 1.5, LONGEST_PAUSE)) {
    const run = (await api.get(`${BASE}/runs/${id}`))['data'] as JsonObject;
    const { status, live } = run as { status: string; live?: boolean };
    const isOver = !UNDER_WAY.has(status) || live === true;
    if (isOver) return { words: `The run is ${status}.`, data: runShape(run, rows) };
    if (performance.now() > until) {
      const words = `The run is still ${status}. Ask again with run_result and its id.`;
      return { words, data: pick(run, ['id', 'status', 'mode', 'created_at', 'started_at', 'totals']) };
    }
    await pause(wait);
  }
}
