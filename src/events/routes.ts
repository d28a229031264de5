import { Type } from '../lib/schema.ts';
import type { Connection, Database } from '../db/database.ts';
import { thoseThatFit } from '../db/page-bytes.ts';
import { integer, join, raw, sql } from '../db/sql.ts';
import type { EventsTable } from '../db/tables.ts';
import { EventStream } from '../http/event-stream.ts';
import { prefers } from '../http/negotiate.ts';
import { type Route, route } from '../http/route.ts';
import { JsonText, ListOf, Named, PAGING, Strict, Time } from '../http/schemas.ts';
import type { Principal } from '../http/scopes.ts';
import { invalidParam } from '../lib/errors.ts';
import { idOf } from '../lib/ids.ts';
import type { EventTopic } from './append.ts';
import { createChangeWatch } from './changes.ts';
import { EVENT_TYPES } from './event-types.ts';
import { TOLD_BYTES, type WholeEvents } from './left-out.ts';
import { readableTopics, SCOPE_OF } from './topics.ts';

const Event = Named('Event', {
  sequence: Type.Integer({ description: 'The place in the feed; give it back as `after`.' }),
  id: Type.String({ examples: ['evt_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  type: Type.String({ examples: [...EVENT_TYPES] }),
  object_id: Type.String({ description: 'The id of what has changed.' }),
  created_at: Time(),
  data: JsonText(
    Type.Object({}, { additionalProperties: true, description: 'The order, product, stock or source as it was after the change.' }),
  ),
});

const EXAMPLE_EVENT = {
  sequence: 42,
  id: 'evt_01kfa0v2m3f8rb4v3k7m2t9xqe',
  type: 'product.deleted',
  object_id: 'mug-blue',
  created_at: '2026-11-01T09:30:00.000Z',
  data: {
    product_id: 'mug-blue',
    name: 'Blue mug',
    price: 19.99,
    stock_quantity: 0,
    categories: ['mugs'],
    version: 3,
    created_at: '2026-10-01T08:00:00.000Z',
    updated_at: '2026-10-31T17:45:00.000Z',
  },
};

const STREAM =
  'With `Accept: text/event-stream`: server-sent events `changes`, at once and then at most once a second when something has changed. ' +
  'Their data is `{"sequence", "topics"}`: where the feed ends, and how many events came of which topic that the key may read (`orders`, `products`, `stock`, `sources`, `syncs`, `runs`, `keys`, `webhooks`, `hooks`, `incidents`). ' +
  'It takes no `after`, `cursor` or `limit`.';

/** What a caller may see of events that belong to its topics. */
export type VeilEvents = <Row extends EventsTable>(
  db: Connection,
  asking: Pick<Principal, 'scopes'>,
  events: readonly Row[],
) => Promise<Row[]>;

export function eventRoutes(db: Database, whole: WholeEvents, veil: VeilEvents): Route[] {
  const changes = createChangeWatch(db.read);
  return [
    route({
      method: 'GET',
      path: '/api/v1/events',
      scope: [...new Set(Object.values(SCOPE_OF))],
      tag: 'Events',
      summary: 'List events, oldest first',
      description:
        'Every change to an order, product or source is here, in the order in which they were committed, and none is missing: keep `next_cursor` and ask again with it as `after`. ' +
        'A key sees the events that its scopes let it read. `total` is how many there are after `after`. `next_cursor` is never null: it is where to go on from, now or later.\n\n' +
        'To be told when there is something new in place of asking again and again, ask for `text/event-stream`.',
      query: Strict({
        limit: PAGING.limit,
        after: Type.Optional(
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Only events after this sequence.' }),
        ),
        cursor: Type.Optional(Type.String({ pattern: '^\\d{1,15}$', description: 'The same as `after`.' })),
      }),
      answer: ListOf(Event),
      answersAlso: { 'text/event-stream': STREAM },
      examples: { answer: { success: true, data: [EXAMPLE_EVENT], total: 1, next_cursor: '42' } },
      handle: async ({ query, principal, request }) => {
        const topics = readableTopics(principal);
        if (prefers('text/event-stream', request.headers.accept)) {
          const [given] = Object.keys(query);
          if (given !== undefined) throw invalidParam(given, 'cannot be combined with Accept: text/event-stream');
          return new EventStream((signal) => changes.follow(topics, signal));
        }
        if (query.cursor !== undefined && query.after !== undefined) throw invalidParam('cursor', 'cannot be combined with after');
        const after = query.after ?? Number(query.cursor ?? 0);
        const { limit = 50 } = query;
        const { rows, total } = await readEvents(db.read, topics, after, limit);
        const data = (await veil(db.read, principal, await whole(db.read, rows))).map(
          ({ seq, type, object_id, created_at, data: json }) => ({
            sequence: seq,
            id: idOf('evt', Date.parse(created_at), seq),
            type,
            object_id,
            created_at,
            data: json,
          }),
        );
        return { success: true as const, data, total, next_cursor: String(data.at(-1)?.sequence ?? after) };
      },
    }),
  ];
}

/**
 * The events of some topics after a place, and how many there are. Each topic is read along its own index and counted by
 * its own numbering, so the cost is that of the page, wherever in the feed it lies. It must be one statement: read one
 * after the other, a topic could be ahead of another, and what the other is missing would never be sent.
 */
async function readEvents(db: Connection, topics: readonly EventTopic[], after: number, limit: number) {
  const end = await endOfPage(db, topics, after, limit);
  const parts = topics.map(
    (topic) => sql`select * from (
      select seq, topic, topic_seq, type, object_id, created_at, case when seq <= ${integer(end)} then data end as data,
        (select n from counters where name = ${`events:${topic}`}) as last
      from events e where topic = ${topic} and seq > ${after} order by seq limit ${limit}) as ${raw(topic)}`,
  );
  const rows = await db.all<EventsTable & { last: number }>(sql`${join(parts, ' union all ')} order by seq`);
  const firstOf = new Map<string, (typeof rows)[number]>();
  for (const row of rows) if (!firstOf.has(row.topic)) firstOf.set(row.topic, row);
  const total = [...firstOf.values()].reduce((sum, { last, topic_seq }) => sum + last - topic_seq + 1, 0);
  return { rows: rows.filter(({ seq }) => seq <= end).slice(0, limit), total };
}

/** The last event that belongs to a page: each topic would give a whole page, of which most is not shown. Events stay as they are once they are told. */
async function endOfPage(db: Connection, topics: readonly EventTopic[], after: number, limit: number): Promise<number> {
  const parts = topics.map(
    (topic) => sql`select * from (
      select seq, ${TOLD_BYTES} as bytes from events where topic = ${topic} and seq > ${after} order by seq limit ${limit}) as ${raw(topic)}`,
  );
  const sizes = await db.all<{ seq: number; bytes: number }>(sql`${join(parts, ' union all ')} order by seq limit ${limit}`);
  const fit = thoseThatFit(sizes);
  // All that there is: what is told at this moment may come along.
  return fit.length < limit && fit.length === sizes.length ? Number.MAX_SAFE_INTEGER : (fit.at(-1)?.seq ?? after);
}
