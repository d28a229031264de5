import { bulk, list } from '../../../db/bulk.ts';
import { command, type Connection, first } from '../../../db/database.ts';
import { forUpdate, type Sql, sql } from '../../../db/sql.ts';
import { recordAudit } from '../../../audit/record.ts';
import { appendEvents, type NewEvent } from '../../../events/append.ts';
import type { Actor } from '../../../http/caller.ts';
import { isoTime } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { isLeftOut } from '../../../events/left-out.ts';
import { type RenderableOrder, renderOrder } from '../../orders/render.ts';
import { historyOf } from '../../orders/folded.ts';
import { scrubbedColumns, scrubbedEvent, textsOf, textsOfEvent } from './scrub.ts';

// An erasure is a row that says what is to be done next. Each step is a transaction of its own, or several, and may be done twice: whatever dies, it goes on.

export const PSEUDONYM = 'erased-';

export type ErasureStep = 'orders' | 'events' | 'texts' | 'index' | 'close' | 'sweep' | 'done';

interface Subject {
  id: string;
  pseudonym: string;
}

export interface ErasureRow {
  id: string;
  step: ErasureStep;
  customer_id: string | null;
  subjects: string | null;
  texts: string | null;
  before: string | null;
  position: number;
  orders: number;
  requested_by: string;
  created_at: string;
  finished_at: string | null;
}

export interface NewErasure {
  now: number;
  actor: Actor;
  /** Who is to be erased. */
  customers: readonly string[];
  /** Only orders before this id. */
  before: string | null;
}

/** Notes that persons are to be erased, and answers the note; undefined when one of them has no orders. */
export const requestErasure = command(
  import.meta.url,
  'requestErasure',
  async (tx, { now, actor, customers, before }: NewErasure): Promise<ErasureRow | undefined> => {
    if (customers.length === 1) {
      const known = await first(tx, sql`select id from orders where customer_id = ${customers[0]} limit 1`);
      if (!known) return undefined;
    }
    const { id, time } = newId('era', now);
    const subjects = customers.map((customer): Subject => ({ id: customer, pseudonym: PSEUDONYM + newId('era', now).id.slice(4) }));
    const shown = before === null ? (subjects[0]?.pseudonym ?? null) : null;
    await tx.all(sql`
      insert into erasures (id, step, customer_id, subjects, texts, before, position, orders, requested_by, created_at)
      values (${id}, 'orders', ${shown}, ${JSON.stringify(subjects)}, '[]', ${before}, 0, 0, ${actor.id}, ${isoTime(time)})`);
    await recordAudit(tx, now, {
      actor,
      action: 'customer.erased',
      object_id: shown ?? id,
      details: { erasure: id, customers: customers.length },
    });
    return findErasure(tx, id);
  },
);

export function findErasure(db: Connection, id: string): Promise<ErasureRow | undefined> {
  return first<ErasureRow>(db, sql`select * from erasures where id = ${id}`);
}

export function openErasures(db: Connection): Promise<ErasureRow[]> {
  return db.all<ErasureRow>(sql`select * from erasures where finished_at is null order by id`);
}

const ORDERS_AT_ONCE = 100;

/** Takes the persons out of some of their orders, and tells of each; answers whether there are none left. */
export const eraseOrders = command(
  import.meta.url,
  'eraseOrders',
  async (tx, { id, now }: { id: string; now: number }): Promise<boolean> => {
    const erasure = await lockErasure(tx, id);
    const subjects = subjectsOf(erasure);
    const range = erasure.before === null ? sql`true` : sql`id < ${erasure.before}`;
    const orders = await tx.all<RenderableOrder>(sql`
      select * from orders where customer_id in ${list(subjects.map((subject) => subject.id))} and ${range} order by id limit ${ORDERS_AT_ONCE} ${forUpdate}`);
    if (orders.length === 0) return true;
    const texts = [...new Set([...(JSON.parse(erasure.texts ?? '[]') as string[]), ...orders.flatMap(textsOf)])];
    const pseudonyms = new Map(subjects.map((subject) => [subject.id, subject.pseudonym]));
    const at = isoTime(now);
    const erased = orders.map((order) => ({
      ...order,
      ...scrubbedColumns(order, pseudonyms.get(order.customer_id) ?? '', texts),
      version: order.version + 1,
      updated_at: at > order.updated_at ? at : order.updated_at,
    }));
    await saveErased(tx, erased);
    await tx.all(sql`update erasures set orders = orders + ${orders.length}, texts = ${keptTexts(erasure, texts)} where id = ${id}`);
    await tellErased(tx, erased);
    return false;
  },
);

async function lockErasure(tx: Connection, id: string): Promise<ErasureRow> {
  return (await first<ErasureRow>(tx, sql`select * from erasures where id = ${id} ${forUpdate}`)) as ErasureRow;
}

/** Who is erased from old orders alone may be named elsewhere for a later one. */
function keptTexts({ before }: ErasureRow, texts: readonly string[]): string {
  return JSON.stringify(before === null ? texts : []);
}

function subjectsOf({ subjects }: ErasureRow): Subject[] {
  return JSON.parse(subjects ?? '[]') as Subject[];
}

async function saveErased(tx: Connection, orders: readonly RenderableOrder[]): Promise<void> {
  const ids = list(orders.map(({ id }) => id));
  const columns = {
    id: 'text',
    customer_id: 'text',
    external_id: 'text',
    items: 'json',
    metadata: 'json',
    extra: 'json',
    past: 'json',
    since: 'json',
    as_created: 'json',
    version: 'bigint',
    updated_at: 'text',
  } as const;
  const rows = orders.map((o) => [
    o.id,
    o.customer_id,
    o.external_id,
    o.items,
    o.metadata,
    o.extra,
    o.past,
    o.since,
    o.as_created,
    o.version,
    o.updated_at,
  ]);
  await tx.all(sql`
    update orders set customer_id = input.customer_id, external_id = input.external_id, items = input.items, shipping_address = null, metadata = input.metadata,
      extra = input.extra, past = input.past, since = input.since, as_created = input.as_created, version = input.version, updated_at = input.updated_at
    from ${bulk(columns, rows)} as input where orders.id = input.id`);
  await tx.all(sql`update order_history set reason = null where order_id in ${ids} and reason is not null`);
  await tx.all(sql`delete from idempotency_keys where order_id in ${ids}`);
}

/** Those that follow orders hear of it like of any other change, and can do the same. */
async function tellErased(tx: Connection, orders: readonly RenderableOrder[]): Promise<void> {
  const history = await historyOf(
    tx,
    orders.map(({ id }) => id),
  );
  const events = orders.map(
    (order): NewEvent => ({
      type: 'order.erased',
      objectId: order.id,
      at: order.updated_at,
      data: renderOrder(order, history.get(order.id) ?? []),
    }),
  );
  await appendEvents(tx, 'orders', events, {});
}

/** The orders that a pseudonym stands in. */
export async function erasedOrders(db: Connection, erasure: ErasureRow): Promise<{ id: string; customer_id: string }[]> {
  const pseudonyms = subjectsOf(erasure).map(({ pseudonym }) => pseudonym);
  return db.all(sql`select id, customer_id from orders where customer_id in ${list(pseudonyms)} order by id`);
}

const EVENTS_AT_ONCE = 20_000;

/** Takes the persons out of a stretch of the feed, and out of what endpoints have answered to it; answers whether that was the end. */
export const eraseEvents = command(import.meta.url, 'eraseEvents', async (tx, { id }: { id: string }): Promise<boolean> => {
  const erasure = await lockErasure(tx, id);
  const orders = await erasedOrders(tx, erasure);
  const pseudonyms = new Map(orders.map((order) => [order.id, order.customer_id]));
  const ids = list([...pseudonyms.keys()]);
  const until = erasure.position + EVENTS_AT_ONCE;
  const stretch: Sql = sql`seq > ${erasure.position} and seq <= ${until}`;
  const told = await tx.all<{ seq: number; object_id: string; data: string }>(sql`
    select seq, object_id, data from events where topic = 'orders' and ${stretch} and object_id in ${ids}`);
  // Of what is left out there is nothing here: it was taken out of the order.
  const events = told.filter(({ data }) => !isLeftOut(data));
  const texts = [...new Set([...(JSON.parse(erasure.texts ?? '[]') as string[]), ...events.flatMap(({ data }) => textsOfEvent(data))])];
  const rows = events.map(({ seq, object_id, data }) => [seq, scrubbedEvent(data, pseudonyms.get(object_id) ?? '', texts)]);
  if (rows.length > 0)
    await tx.all(sql`
      update events set data = input.data from ${bulk({ seq: 'bigint', data: 'json' }, rows)} as input where events.seq = input.seq`);
  await tx.all(sql`update webhook_deliveries set error = null, log = null where ${stretch} and object_id in ${ids}`);
  await tx.all(sql`update erasures set position = ${until}, texts = ${keptTexts(erasure, texts)} where id = ${id}`);
  const last = await first<{ n: number }>(tx, sql`select n from counters where name = 'events'`);
  return until >= (last?.n ?? 0);
});

/** Nothing that names the person is kept from here on. */
export const closeErasure = command(import.meta.url, 'closeErasure', async (tx, { id }: { id: string }): Promise<void> => {
  const erasure = await lockErasure(tx, id);
  const names = list(subjectsOf(erasure).map((subject) => subject.id));
  const gone = await tx.all(sql`
    delete from order_customers where customer_id in ${names} and not exists (select 1 from orders where orders.customer_id = order_customers.customer_id)
    returning customer_id`);
  await tx.all(sql`update erasures set subjects = null, texts = null, step = 'sweep' where id = ${id}`);
  if (gone.length > 0) await tx.all(sql`update order_find_state set customers = customers - ${gone.length}`);
});

/** What is to be done next. */
export const stepErasure = command(
  import.meta.url,
  'stepErasure',
  async (tx, { id, step, now }: { id: string; step: ErasureStep; now: number }): Promise<void> => {
    const finished = step === 'done' ? isoTime(now) : null;
    await tx.all(sql`update erasures set step = ${step}, finished_at = ${finished} where id = ${id}`);
  },
);
