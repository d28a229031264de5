import { bulk, list } from '../db/bulk.ts';
import { command, type Connection, first } from '../db/database.ts';
import { thoseThatFit } from '../db/page-bytes.ts';
import { byEngine, join, raw, sql } from '../db/sql.ts';
import type { EventsTable } from '../db/tables.ts';
import { appendEvents, type EventTopic } from '../events/append.ts';
import { TOLD_BYTES } from '../events/left-out.ts';
import { isoTime } from '../lib/clock.ts';
import type { KnownRow, AttemptEntry, RowChange } from './delivery/parcel.ts';
import type { LaneChanges } from './delivery/lane.ts';
import { BY_WAITING, findWebhook } from './queries.ts';
import { webhookJson } from './render.ts';

// What deliveries read and write of our own tables.

/** The name of the duty under which one node delivers for all. */
export const DELIVERY_DUTY = 'webhooks';

export async function hasActive(db: Connection): Promise<boolean> {
  return (await db.all(sql`select webhook_id from webhook_state where status = 'active' limit 1`)).length > 0;
}

export async function endOfFeed(db: Connection): Promise<number> {
  return (await first<{ n: number }>(db, sql`select n from counters where name = 'events'`))?.n ?? 0;
}

export type FeedRow = Omit<EventsTable, 'topic_seq'>;
const EVENT = sql`seq, topic, type, object_id, created_at, data`;

/** Where in the feed to read: behind `after`, up to `end`, of these topics or of all. */
export interface FeedPlace {
  readonly after: number;
  readonly end: number;
  readonly topics: readonly EventTopic[] | null;
}

/** Some of the feed, in its order. Each topic is read along its own index: what lies between costs nothing. */
export async function readFeed(db: Connection, { after, end, topics }: FeedPlace, limit: number): Promise<FeedRow[]> {
  const between = sql`seq > ${after} and seq <= ${end}`;
  const sizesOf = (topic: EventTopic) => sql`select * from (
    select seq, ${TOLD_BYTES} as bytes from events where topic = ${topic} and ${between} order by seq limit ${limit}) as ${raw(topic)}`;
  if (topics?.length === 0) return [];
  const parts = topics ? join(topics.map(sizesOf), ' union all ') : sql`select seq, ${TOLD_BYTES} as bytes from events where ${between}`;
  const sizes = await db.all<{ seq: number; bytes: number }>(sql`${parts} order by seq limit ${limit}`);
  const last = thoseThatFit(sizes).at(-1);
  if (!last) return [];
  const these = topics
    ? sql`topic in ${list(topics)} and seq > ${after} and seq <= ${last.seq}`
    : sql`seq > ${after} and seq <= ${last.seq}`;
  return db.all(sql`select ${EVENT} from events where ${these} order by seq`);
}

export type SentBefore = FeedRow & { webhook_id: string; log: string | null };

/** Events that have a delivery already, with what is known of its attempts. */
export async function readSentBefore(db: Connection, wanted: readonly { webhookId: string; seq: number }[]): Promise<SentBefore[]> {
  const input = bulk(
    { webhook_id: 'text', seq: 'bigint' },
    wanted.map(({ webhookId, seq }) => [webhookId, seq]),
  );
  return db.all(sql`
    select input.webhook_id as webhook_id, e.seq as seq, topic, e.type as type, e.object_id as object_id, e.created_at as created_at, data, log
    from ${input} as input join events e on e.seq = input.seq
    left join webhook_deliveries d on d.webhook_id = input.webhook_id and d.seq = input.seq`);
}

interface StoredRow {
  webhook_id: string;
  seq: number;
  type: string;
  object_id: string;
  created_at: string;
  status: KnownRow['status'];
  attempts: number;
  next_at: string | null;
}

/** What is known of the deliveries of one endpoint, in the order of their sequence. */
export interface KnownRows {
  readonly webhookId: string;
  readonly rows: KnownRow[];
  /** Whether more wait than are told. */
  readonly hasMore: boolean;
}

const STORED = sql`d.webhook_id as webhook_id, d.seq as seq, d.type as type, d.object_id as object_id, d.created_at as created_at, d.status as status,
  d.attempts as attempts, d.next_at as next_at`;

/** The endpoints first, then what lies behind the position of each: SQLite would rather look at all deliveries there are. */
const JOINED_IN_ORDER = byEngine((engine) => raw(engine === 'sqlite' ? 'cross join' : 'join'));

/** The deliveries that wait, or lie behind the position of their endpoint: of these endpoints, or of all. To be run with `db.query`: there may be many. */
export const readKnownRows = command(
  import.meta.url,
  'readKnownRows',
  async (db, { ids, most }: { ids: readonly string[] | null; most: number }): Promise<KnownRows[]> => {
    const among = (column: string) => (ids === null ? sql`true` : sql`${raw(column)} in ${list(ids)}`);
    const waiting = await db.all<{ id: string }>(
      sql`select distinct d.webhook_id as id from webhook_deliveries d ${BY_WAITING} where d.status = 'waiting' and ${among('d.webhook_id')}`,
    );
    const ahead = await db.all<StoredRow>(sql`
      select ${STORED} from webhook_state s ${JOINED_IN_ORDER} webhook_deliveries d on d.webhook_id = s.webhook_id and d.seq > s.position
      where ${among('s.webhook_id')} and d.status <> 'waiting'`);
    const known = new Map<string, KnownRows>();
    for (const { id } of waiting) {
      const rows = await db.all<StoredRow>(sql`
        select ${STORED} from webhook_deliveries d ${BY_WAITING} where d.webhook_id = ${id} and d.status = 'waiting' order by d.seq limit ${most + 1}`);
      known.set(id, { webhookId: id, rows: rows.slice(0, most).map(knownRow), hasMore: rows.length > most });
    }
    for (const [id, rows] of Map.groupBy(ahead, (row) => row.webhook_id)) {
      const { rows: others = [], hasMore = false } = known.get(id) ?? {};
      known.set(id, { webhookId: id, rows: [...others, ...rows.map(knownRow)].sort((a, b) => a.seq - b.seq), hasMore });
    }
    return [...known.values()];
  },
);

function knownRow({ seq, type, object_id, created_at, status, attempts, next_at }: StoredRow): KnownRow {
  const nextAt = next_at === null ? 0 : Date.parse(next_at);
  return { seq, type, objectId: object_id, createdAt: created_at, status, attempts, nextAt };
}

/** What has changed of one endpoint's deliveries. */
export interface RecordedChanges extends LaneChanges {
  readonly webhookId: string;
}

const ROW_COLUMNS = {
  webhook_id: 'text',
  seq: 'bigint',
  type: 'text',
  object_id: 'text',
  status: 'text',
  attempts: 'bigint',
  created_at: 'text',
  updated_at: 'text',
  next_at: 'text',
  response_status: 'bigint',
  duration_ms: 'bigint',
  error: 'text',
  log: 'json',
} as const;
const STATE_COLUMNS = {
  webhook_id: 'text',
  position: 'bigint',
  failures: 'bigint',
  failing_since: 'text',
  try_at: 'text',
  last_delivered_at: 'text',
} as const;
const names = (columns: object, prefix = ''): ReturnType<typeof raw> =>
  raw(
    Object.keys(columns)
      .map((name) => `${prefix}${name}`)
      .join(', '),
  );
const CHANGING = ['status', 'attempts', 'updated_at', 'next_at', 'response_status', 'duration_ms', 'error', 'log'];

/** Writes down what has happened to deliveries, for many endpoints at once. Answers false, and writes nothing, when another node has the duty. */
export const recordDeliveries = command(
  import.meta.url,
  'recordDeliveries',
  async (tx, { token, now, changes }: { token: number; now: number; changes: readonly RecordedChanges[] }): Promise<boolean> => {
    const share = byEngine((engine) => raw(engine === 'postgres' ? 'for share' : ''));
    const duty = await first<{ token: number }>(tx, sql`select token from duties where name = ${DELIVERY_DUTY} ${share}`);
    if (duty?.token !== token) return false;
    const at = isoTime(now);
    const due = changes.filter(({ isDueAll }) => isDueAll).map(({ webhookId }) => webhookId);
    if (due.length > 0)
      await tx.all(
        sql`update webhook_deliveries ${BY_WAITING} set next_at = ${at} where webhook_id in ${list(due)} and status = 'waiting' and next_at > ${at}`,
      );
    const rows = await withReplays(
      tx,
      changes.flatMap(({ webhookId, rows: own }) => own.map((row) => [webhookId, row] as const)),
    );
    if (rows.length > 0) {
      const input = bulk(
        ROW_COLUMNS,
        rows.map(([webhookId, row]) => {
          const last: AttemptEntry | undefined = row.log.at(-1);
          const what = [webhookId, row.seq, row.type, row.objectId, row.status, row.attempts, row.createdAt, isoTime(row.at)];
          const answer = [last?.response_status ?? null, last?.duration_ms ?? null, last?.error ?? null];
          return [...what, timeOrNull(row.nextAt ?? 0), ...answer, JSON.stringify(row.log)];
        }),
      );
      // An endpoint may have been deleted meanwhile.
      await tx.all(sql`
        insert into webhook_deliveries (${names(ROW_COLUMNS)}) select ${names(ROW_COLUMNS, 'input.')} from ${input} as input
        where input.webhook_id in (select id from webhooks)
        on conflict (webhook_id, seq) do update set ${raw(CHANGING.map((name) => `${name} = excluded.${name}`).join(', '))}`);
    }
    const states = bulk(
      STATE_COLUMNS,
      changes.map(({ webhookId, state }) => [
        webhookId,
        state.position,
        state.failures,
        timeOrNull(state.failingSince),
        timeOrNull(state.tryAt),
        timeOrNull(state.lastDeliveredAt),
      ]),
    );
    const taken = Object.keys(STATE_COLUMNS).filter((name) => name !== 'webhook_id');
    await tx.all(sql`
      update webhook_state set ${raw(taken.map((name) => `${name} = input.${name}`).join(', '))} from ${states} as input
      where webhook_state.webhook_id = input.webhook_id`);
    for (const { webhookId, turn } of changes) if (turn) await turnOff(tx, webhookId, turn, at);
    return true;
  },
);

type OwnedRow = readonly [webhookId: string, row: RowChange];

/** A delivery that failed just before a person wanted it to be sent again is due as that person wants it: what came of the attempt is told, and changes nothing else. */
async function withReplays(tx: Connection, rows: readonly OwnedRow[]): Promise<readonly OwnedRow[]> {
  const failed = rows.filter(([, { status, rowAttempts }]) => status !== 'delivered' && rowAttempts > 0);
  if (failed.length === 0) return rows;
  const input = bulk(
    { webhook_id: 'text', seq: 'bigint', attempts: 'bigint' },
    failed.map(([webhookId, { seq, rowAttempts }]) => [webhookId, seq, rowAttempts]),
  );
  const lock = byEngine((engine) => raw(engine === 'postgres' ? 'for update of d' : ''));
  const replayed = await tx.all<StoredRow>(sql`
    select ${STORED} from ${input} as input join webhook_deliveries d on d.webhook_id = input.webhook_id and d.seq = input.seq
    where d.status = 'waiting' and d.attempts < input.attempts ${lock}`);
  const known = new Map(replayed.map((row) => [`${row.webhook_id} ${row.seq}`, knownRow(row)]));
  return rows.map(([webhookId, row]) => {
    const { status, attempts, nextAt } = known.get(`${webhookId} ${row.seq}`) ?? row;
    return [webhookId, { ...row, status, attempts, nextAt }];
  });
}

function timeOrNull(time: number): string | null {
  return time > 0 ? isoTime(time) : null;
}

/** Last in the transaction: it tells the feed. */
async function turnOff(tx: Connection, id: string, { status, reason }: NonNullable<LaneChanges['turn']>, at: string): Promise<void> {
  const turned = await tx.all(sql`
    update webhook_state set status = ${status}, reason = ${reason}, status_at = ${at} where webhook_id = ${id} and status = 'active' returning webhook_id`);
  const row = turned.length > 0 && (await findWebhook(tx, id));
  if (row) await appendEvents(tx, 'webhooks', [{ type: `webhook.${status}`, objectId: id, at, data: webhookJson(row, at) }], {});
}

/** Forgets some deliveries that were over before a time, oldest first; answers how many. Those ahead of a position are what tells that they were sent. */
export const forgetOldDeliveries = command(
  import.meta.url,
  'forgetOldDeliveries',
  async (tx, { before, most }: { before: string; most: number }): Promise<number> => {
    const old = await tx.all<{ webhook_id: string; seq: number }>(sql`
      select d.webhook_id as webhook_id, d.seq as seq from webhook_deliveries d join webhook_state s on s.webhook_id = d.webhook_id
      where d.status <> 'waiting' and d.updated_at < ${before} and d.seq <= s.position order by d.updated_at limit ${most}`);
    if (old.length === 0) return 0;
    const input = bulk(
      { webhook_id: 'text', seq: 'bigint' },
      old.map(({ webhook_id, seq }) => [webhook_id, seq]),
    );
    await tx.all(sql`delete from webhook_deliveries where (webhook_id, seq) in (select webhook_id, seq from ${input} as input)`);
    return old.length;
  },
);

interface Lagging {
  id: string;
  name: string;
  /** When the oldest event came to be that waits, and the first that was not looked at yet. */
  waiting: string | null;
  next: string | null;
}

/** What is to be measured of endpoints, whichever node delivers to them. */
export const measureEndpoints = command(
  import.meta.url,
  'measureEndpoints',
  async (db, most: number): Promise<{ statuses: { status: string; n: number }[]; lagging: Lagging[] }> => {
    const statuses = await db.all<{ status: string; n: number }>(sql`select status, count(*) as n from webhook_state group by status`);
    const lagging = await db.all<Lagging>(sql`
      select w.id as id, w.name as name, (
        select d.created_at from webhook_deliveries d ${BY_WAITING} where d.webhook_id = s.webhook_id and d.status = 'waiting' order by d.seq limit 1) as waiting,
        (select e.created_at from events e where e.seq = s.position + 1) as next
      from webhook_state s join webhooks w on w.id = s.webhook_id where s.status = 'active' order by w.id limit ${most}`);
    return { statuses, lagging };
  },
);
