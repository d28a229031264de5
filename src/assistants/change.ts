import { OneOf, Strict } from '../http/schemas.ts';
import type { JsonObject } from '../lib/exact-json.ts';
import { type TSchema, Type } from '../lib/schema.ts';
import type { OwnApi } from './own-api.ts';
import { runShape, syncShape } from './shapes.ts';
import { pick, type Told } from './told.ts';
import { BASE, type FindRoute, Streams, SyncId, type Tool, type ToolCall, tool } from './tool.ts';

/** What a change would do, and all that it was judged by: when that is another, so is the digest. */
interface Proposal {
  /** In our words. */
  does: string;
  /** What the caller is shown. */
  shown: JsonObject;
  state: unknown;
}

interface Change {
  name: string;
  title: string;
  description: string;
  input: Readonly<Record<string, TSchema>>;
  route: string;
  propose: (api: OwnApi, input: Readonly<Record<string, unknown>>) => Promise<Proposal>;
  carryOut: (api: OwnApi, input: Readonly<Record<string, unknown>>) => Promise<JsonObject>;
}

const Confirm = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The digest of the proposal to carry out, with the same other arguments. Without it, nothing is done but to propose.',
  }),
);

const TWO_STEPS =
  ' Works in two steps: the first call does nothing and answers a proposal with a digest; show it to the person you work for, and when they agree call again with the same arguments and the digest as "confirm".';

/** A tool that changes something in two steps. */
function changing({ name, title, description, input, route, propose, carryOut }: Change): Tool {
  return tool({
    name,
    title,
    description: description + TWO_STEPS,
    input: Strict({ ...input, confirm: Confirm }),
    routes: [route, `GET ${BASE}/sync`],
    effect: 'changes',
    work: async ({ input: given, api, principal, proposals }: ToolCall<Record<string, unknown>>): Promise<Told> => {
      const { confirm, ...rest } = given;
      const { does, shown, state } = await propose(api, rest);
      const facts = { key: principal.id, tool: name, input: rest, state };
      if (confirm === undefined) {
        const { digest, expires_at } = proposals.make(facts);
        const next = `Nothing is done yet. To carry it out, call ${name} again with the same arguments and "confirm": "${digest}", until ${expires_at}.`;
        return { words: `${does} ${next}`, data: { proposal: shown, digest, expires_at } };
      }
      proposals.redeem(confirm as string, facts);
      return { words: 'Done.', data: await carryOut(api, rest) };
    },
  });
}

async function syncOf(api: OwnApi, id: unknown): Promise<JsonObject> {
  return (await api.get(`${BASE}/sync/${String(id)}`))['data'] as JsonObject;
}

/** How a synchronization stands: an edit, a pause, or a run that began or ended makes it another. */
function stateOf(sync: JsonObject): JsonObject {
  const run = (name: string): unknown => pick(sync[name], ['id', 'status', 'attempt', 'cancel_requested']);
  return { ...pick(sync, ['id', 'status', 'updated_at']), last: run('last_run'), current: run('current_run') };
}

/** Something that is done to one synchronization. */
const toSync =
  (does: (input: Readonly<Record<string, unknown>>) => string): Change['propose'] =>
  async (api, input) => {
    const sync = await syncOf(api, input['sync_id']);
    return { does: does(input), shown: syncShape(sync), state: stateOf(sync) };
  };

const posted =
  (path: string, bodyOf?: (input: Readonly<Record<string, unknown>>) => JsonObject): Change['carryOut'] =>
  async (api, input) => {
    const { data } = await api.post(`${BASE}/sync/${String(input['sync_id'])}/${path}`, bodyOf?.(input));
    return path === 'runs' || path === 'rejects/retry' ? runShape(data) : syncShape(data);
  };

const RUNS_DO = {
  run: 'It would start a run, which writes new and changed rows to the target as the definition says.',
  full: 'It would start a run that reads everything anew, whatever the position, and writes it to the target.',
  repair: 'It would start a run that compares both ends and writes just the rows that differ to the target.',
} as const;

const runTool = changing({
  name: 'run_synchronization',
  title: 'Start a run',
  description:
    'Starts a run of a synchronization. See with preview what it would change. A run that would delete more than the guard allows waits for a person to approve it.',
  input: {
    sync_id: SyncId,
    mode: Type.Optional(
      OneOf(Object.keys(RUNS_DO) as (keyof typeof RUNS_DO)[], {
        default: 'run',
        description: 'run: as the definition says. full: reads everything anew. repair: writes just the rows that differ.',
      }),
    ),
    streams: Streams,
  },
  route: `POST ${BASE}/sync/{id}/runs`,
  propose: toSync(({ mode = 'run' }) => RUNS_DO[mode as keyof typeof RUNS_DO]),
  carryOut: posted('runs', ({ mode = 'run', streams }) => ({ mode, ...(streams !== undefined && { streams }) })),
});

const pauseTool = changing({
  name: 'pause_synchronization',
  title: 'Pause a synchronization',
  description: 'Pauses a synchronization: nothing of it runs by itself until it is resumed.',
  input: { sync_id: SyncId },
  route: `POST ${BASE}/sync/{id}/pause`,
  propose: toSync(() => 'It would pause this synchronization: its schedule starts no runs, a run in progress goes on, a live one ends.'),
  carryOut: posted('pause'),
});

const resumeTool = changing({
  name: 'resume_synchronization',
  title: 'Resume a synchronization',
  description: 'Resumes a synchronization that is paused.',
  input: { sync_id: SyncId },
  route: `POST ${BASE}/sync/{id}/resume`,
  propose: toSync(() => 'It would resume this synchronization: its schedule starts runs again, and a live one goes on.'),
  carryOut: posted('resume'),
});

const resetTool = changing({
  name: 'reset_synchronization',
  title: 'Reset a synchronization',
  description: 'Forgets the positions of streams, so that the next run reads everything again. Nothing at the target is deleted by it.',
  input: { sync_id: SyncId, streams: Streams },
  route: `POST ${BASE}/sync/{id}/reset`,
  propose: toSync(
    ({ streams }) =>
      `It would forget the positions of ${streams === undefined ? 'all streams' : 'these streams'}: the next run reads them from the start.`,
  ),
  carryOut: posted('reset', ({ streams }) => (streams === undefined ? {} : { streams })),
});

const retryTool = changing({
  name: 'retry_rejects',
  title: 'Retry rejected rows',
  description: 'Tries the open rejects of a synchronization again: what can be written now is resolved, what cannot stays.',
  input: { sync_id: SyncId },
  route: `POST ${BASE}/sync/{id}/rejects/retry`,
  propose: async (api, { sync_id }) => {
    const sync = await syncOf(api, sync_id);
    const { total } = await api.get(`${BASE}/sync/${String(sync_id)}/rejects`, { limit: 1 });
    return {
      does: `It would try ${String(total)} rejected rows again.`,
      shown: { ...syncShape(sync), open_rejects: total },
      state: { ...stateOf(sync), open: total },
    };
  },
  carryOut: posted('rejects/retry'),
});

/** Of the tools that save a definition, its form is that of the route. */
function savingTools(find: FindRoute): Tool[] {
  const [creating, updating] = [`POST ${BASE}/sync`, `PUT ${BASE}/sync/{id}`];
  return [
    changing({
      name: 'create_synchronization',
      title: 'Create a synchronization',
      description:
        'Creates a synchronization from a definition: a name, two sources and the names of the streams are enough. The proposal holds it against both systems and shows what is filled in.',
      input: { definition: find(creating).body as TSchema },
      route: creating,
      propose: async (api, { definition }) => {
        const { name } = definition as { name: string };
        const { data } = await api.post(`${BASE}/sync/check`, definition);
        const known = (await api.get(`${BASE}/sync`, { status: 'all', limit: 1000 }))['data'] as JsonObject[];
        const namesakes = known.filter((one) => one['name'] === name).length;
        const tried = { name, ...pick(data, ['schedule', 'streams', 'warnings']) };
        return {
          does: `It would create this synchronization, active from then on.${namesakes === 0 ? '' : ' There is one of this name already.'}`,
          shown: tried,
          state: { tried, namesakes },
        };
      },
      carryOut: async (api, { definition }) => syncShape((await api.post(`${BASE}/sync`, definition))['data']),
    }),
    changing({
      name: 'update_synchronization',
      title: 'Change a synchronization',
      description:
        'Changes the members of a synchronization’s definition that are given; "streams" is replaced as a whole. The proposal holds it against both systems and shows what is there now beside what would be.',
      input: { sync_id: SyncId, changes: find(updating).body as TSchema },
      route: updating,
      propose: async (api, { sync_id, changes }) => {
        const sync = await syncOf(api, sync_id);
        const given = changes as JsonObject;
        const { data } = await api.post(`${BASE}/sync/check`, {
          ...pick(sync, ['name', 'source_id', 'target_id', 'streams', 'schedule']),
          ...given,
        });
        return {
          does: 'It would change this synchronization. A stream that gets another source, mode, key, cursor or filter is read again from the start.',
          shown: { id: sync['id'], now: pick(sync, Object.keys(given)), afterwards: given, ...pick(data, ['warnings']) },
          state: stateOf(sync),
        };
      },
      carryOut: async (api, { sync_id, changes }) => syncShape((await api.put(`${BASE}/sync/${String(sync_id)}`, changes))['data']),
    }),
  ];
}

export function changingTools(find: FindRoute): Tool[] {
  return [runTool, pauseTool, resumeTool, retryTool, resetTool, ...savingTools(find)];
}
