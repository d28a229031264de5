import { OneOf, Strict } from '../http/schemas.ts';
import type { JsonObject } from '../lib/exact-json.ts';
import { Type } from '../lib/schema.ts';
import { ApiRefusal, type OwnApi } from './own-api.ts';
import { runShape, sourceShape, syncShape } from './shapes.ts';
import { pick, ToolFault } from './told.ts';
import { BASE, limitOf, RunId, SyncId, type Tool, tool } from './tool.ts';

const REJECT = [
  'id',
  'stream',
  'target',
  'status',
  'field',
  'reason',
  'key',
  'row',
  'first_run_id',
  'last_run_id',
  'created_at',
  'resolved_at',
];
/** Rejects that are counted by their reason. */
const MOST_COUNTED = 200;

/** Asks for parts of an answer; what the key may not see is named and left out. */
function partsOf(): { part: <Part>(name: string, ask: () => Promise<Part>) => Promise<Part | undefined>; leftOut: string[] } {
  const leftOut: string[] = [];
  return {
    leftOut,
    part: async (name, ask) => {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ApiRefusal) || !['FORBIDDEN', 'NOT_FOUND'].includes(error.code)) throw error;
        leftOut.push(`${name}: ${error.message}`);
        return undefined;
      }
    },
  };
}

const dataOf = async (answer: Promise<JsonObject>): Promise<unknown[]> => (await answer)['data'] as unknown[];

export const explainSyncTool: Tool = tool({
  name: 'explain_synchronization',
  title: 'What is wrong with a synchronization',
  description:
    'Tells how a synchronization does and why: its health in words, both systems, open incidents, its last runs with their errors, why rows were rejected (counted by reason, without the rows), warnings in its log, and who changed it last.',
  input: Strict({ sync_id: SyncId }),
  routes: [`GET ${BASE}/sync/{id}`],
  effect: 'reads',
  work: async ({ input: { sync_id: id }, api }) => {
    const { part, leftOut } = partsOf();
    const sync = (await api.get(`${BASE}/sync/${id}`))['data'] as JsonObject;
    const end = (name: 'source_id' | 'target_id') =>
      part(name, async () => sourceShape((await api.get(`${BASE}/sources/${String(sync[name])}`))['data']));
    const data = {
      synchronization: syncShape(sync),
      source: await end('source_id'),
      target: await end('target_id'),
      incidents: await part('incidents', () => dataOf(api.get('/api/v1/incidents', { object_id: id, limit: 5 }))),
      runs: await part('runs', async () => (await dataOf(api.get(`${BASE}/sync/${id}/runs`, { limit: 5 }))).map((run) => runShape(run))),
      rejects: await part('rejects', () => countedReasons(api, id)),
      warnings: await part('logs', async () =>
        (await dataOf(api.get(`${BASE}/logs`, { sync_id: id, level: 'warn', limit: 10 }))).map((entry) =>
          pick(entry, ['time', 'level', 'run_id', 'stream', 'message']),
        ),
      ),
      changed_by: await part('audit', () => auditOf(api, id, 5)),
      ...(leftOut.length > 0 && { left_out: leftOut }),
    };
    const { health, health_reason: reason } = sync as { health: string; health_reason: unknown };
    const words = reason === '' || reason === null ? '' : ' The reason is in health_reason, with what to do.';
    return { words: `Its health is ${health}.${words}`, data };
  },
});

async function countedReasons(api: OwnApi, id: string): Promise<JsonObject> {
  const answer = await api.get(`${BASE}/sync/${id}/rejects`, { limit: MOST_COUNTED });
  const groups = Map.groupBy(answer['data'] as Record<'stream' | 'field' | 'reason', string | null>[], ({ stream, field, reason }) =>
    JSON.stringify([stream, field, reason]),
  );
  const reasons = [...groups.values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 20)
    .map((group) => ({ ...pick(group[0], ['stream', 'field', 'reason']), rows: group.length }));
  return { open: answer['total'], counted: Math.min(MOST_COUNTED, Number(answer['total'])), reasons };
}

async function auditOf(api: OwnApi, objectId: string, limit: number): Promise<JsonObject[]> {
  const entries = await dataOf(api.get('/api/v1/audit', { object_id: objectId, limit }));
  return entries.map((entry) => pick(entry, ['at', 'actor', 'action', 'object_id', 'details']));
}

export const explainRejectsTool: Tool = tool({
  name: 'explain_rejects',
  title: 'Why rows were refused',
  description:
    'Shows rows that could not be read, mapped or written, each with its key, the field at fault, the reason and the row as it was read: of a synchronization, or of one run.',
  input: Strict({
    sync_id: Type.Optional(SyncId),
    run_id: Type.Optional(RunId),
    stream: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Only rows of this stream of the source.' })),
    status: Type.Optional(OneOf(['open', 'resolved'], { default: 'open', description: 'Only open ones, or only resolved ones.' })),
    limit: limitOf(20, 5, 'rows'),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 8192, description: 'next_cursor of the answer before.' })),
  }),
  routes: [`GET ${BASE}/sync/{id}/rejects`],
  effect: 'reads',
  work: async ({ input: { sync_id, run_id, limit = 5, status = 'open', ...rest }, api }) => {
    if ((sync_id === undefined) === (run_id === undefined)) throw new ToolFault('Give sync_id or run_id, and not both.');
    const owner = run_id === undefined ? `sync/${sync_id}` : `runs/${run_id}`;
    const answer = await api.get(`${BASE}/${owner}/rejects`, { ...rest, status, limit });
    const rejects = (answer['data'] as unknown[]).map((reject) => pick(reject, REJECT));
    return {
      words: `${String(answer['total'])} rows are ${status}; ${rejects.length} of them are shown.`,
      data: { rejects, total: answer['total'], next_cursor: answer['next_cursor'] },
    };
  },
});

export const whatChangedTool: Tool = tool({
  name: 'what_changed',
  title: 'What changed',
  description:
    'Tells what has changed of a synchronization lately: which runs wrote how many rows, changes of the tables that they met, and who edited, paused or reset it (the last needs the scope admin).',
  input: Strict({ sync_id: SyncId, limit: limitOf(20, 10, 'runs and changes') }),
  routes: [`GET ${BASE}/sync/{id}/runs`],
  effect: 'reads',
  work: async ({ input: { sync_id: id, limit = 10 }, api }) => {
    const { part, leftOut } = partsOf();
    const runs = (await dataOf(api.get(`${BASE}/sync/${id}/runs`, { limit }))).map((run) => runShape(run));
    const changes = await part('audit', () => auditOf(api, id, limit));
    const data = { runs, changes, ...(leftOut.length > 0 && { left_out: leftOut }) };
    return { words: `These are its last ${runs.length} runs, newest first${changes ? ', and who changed it' : ''}.`, data };
  },
});
