import { OneOf, Strict } from '../http/schemas.ts';
import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';
import { Type } from '../lib/schema.ts';
import { runShape, sourceShape, syncShape } from './shapes.ts';
import { type Told, ToolFault } from './told.ts';
import { BASE, limitOf, type Tool, type ToolCall, tool } from './tool.ts';

interface Kind {
  path: string;
  /** What an id of them looks like: what else may stand behind the path is another route, such as an export. */
  id: RegExp;
  shape: (item: unknown) => JsonObject;
  /** What the list can be narrowed by; a word that the API does not look for is looked for here. */
  filters: readonly ('q' | 'status' | 'sync_id')[];
}

const idPattern = (prefix: string): RegExp => new RegExp(`^${prefix}_[0-9a-z]{1,40}$`);
const asItIs = (item: unknown): JsonObject => item as JsonObject;

const KINDS = {
  sources: { path: `${BASE}/sources`, id: idPattern('src'), shape: sourceShape, filters: [] },
  synchronizations: { path: `${BASE}/sync`, id: idPattern('syn'), shape: syncShape, filters: ['status'] },
  runs: { path: `${BASE}/runs`, id: idPattern('run'), shape: (run) => runShape(run), filters: ['status', 'sync_id'] },
  orders: { path: '/api/v1/orders', id: idPattern('ord'), shape: asItIs, filters: ['q', 'status'] },
  // Those of products are whatever the shop calls them; dots alone would be another path.
  products: { path: '/api/v1/products', id: /^(?!\.{1,2}$)/, shape: asItIs, filters: ['q'] },
} as const satisfies Record<string, Kind>;

type What = keyof typeof KINDS;
/** Lists that the API does not search are read up to here. */
const MOST_SEARCHED = 1000;

const FindInput = Strict({
  what: OneOf(Object.keys(KINDS) as What[], { description: 'What to look for.' }),
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: 'The id of one of them, to see it whole.' })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Words to look for: of orders in number, customer, e-mail and product; of products in name and id; of sources and synchronizations in the name. Not for runs.',
    }),
  ),
  status: Type.Optional(
    Type.String({
      pattern: '^[a-z_]{1,30}$',
      description:
        'Of synchronizations active, paused or all (all unless given); of runs and orders a status of theirs, such as failed or new.',
    }),
  ),
  sync_id: Type.Optional(Type.String({ pattern: '^syn_[0-9a-z]{1,40}$', description: 'Of runs: only those of this synchronization.' })),
  limit: limitOf(25, 10, 'of them'),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 8192, description: 'next_cursor of the answer before, for those that follow.' }),
  ),
});

export const findTool: Tool = tool({
  name: 'find',
  title: 'Find things',
  description:
    'Finds sources, synchronizations, runs, orders and products, newest first, or shows one of them by its id. Begin here: the other tools want ids.',
  input: FindInput,
  routes: Object.values(KINDS).map(({ path }) => `GET ${path}`),
  anyRoute: true,
  effect: 'reads',
  work: async (call) => (call.input.id === undefined ? list(call) : one(call)),
});

type FindCall = ToolCall<{
  what: What;
  id?: string;
  q?: string;
  status?: string;
  sync_id?: string;
  limit?: number;
  cursor?: string;
}>;

async function one({ input: { what, id = '' }, api }: FindCall): Promise<Told> {
  const { path, id: form } = KINDS[what];
  if (!form.test(id)) throw new ToolFault(`This is no id of ${what}. Leave it out to list them, or look for words with q.`);
  const { data } = await api.get(`${path}/${encodeURIComponent(id)}`);
  // The API writes stars in the place of secrets.
  if (what === 'runs') return { words: 'This is the run.', data: runShape(data) };
  return { words: `This is what Syncline has of it, in ${what}.`, data };
}

async function list({ input, api }: FindCall): Promise<Told> {
  const { what, limit = 10, cursor, q } = input;
  const { path, shape, filters }: Kind = KINDS[what];
  const wish = { q, status: input.status, sync_id: input.sync_id };
  const taken = Object.fromEntries(filters.map((name) => [name, wish[name]]));
  if (what === 'synchronizations') taken['status'] ??= 'all';
  const unheard = (['status', 'sync_id'] as const).find((name) => wish[name] !== undefined && !filters.includes(name));
  if (unheard !== undefined) throw new ToolFault(`Of ${what} nothing can be said by "${unheard}": leave it out.`);
  if (q !== undefined && what === 'runs') throw new ToolFault('Runs cannot be found by words: give sync_id or status.');
  const searchesHere = q !== undefined && !filters.includes('q');
  const answer = await api.get(path, { ...taken, cursor, limit: searchesHere ? MOST_SEARCHED : limit });
  const all = answer['data'] as unknown[];
  const found = searchesHere ? all.filter((item) => isCalled(item, q)) : all;
  const total = searchesHere ? found.length : answer['total'];
  const items = found.slice(0, limit).map(shape);
  const more = searchesHere ? {} : { next_cursor: answer['next_cursor'] };
  return { words: `${String(total)} found in ${what}; ${items.length} of them are shown.`, data: { [what]: items, total, ...more } };
}

function isCalled(item: unknown, q: string): boolean {
  const name = isJsonObject(item) ? item['name'] : undefined;
  return typeof name === 'string' && name.toLowerCase().includes(q.toLowerCase());
}
