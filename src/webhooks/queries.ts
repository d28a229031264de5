import { command, type Connection, first } from '../db/database.ts';
import { list } from '../db/bulk.ts';
import { all, byEngine, type EngineSql, raw, sql } from '../db/sql.ts';
import type { PageRequest } from '../http/paging.ts';
import type { Payload } from './message.ts';
import type { SignatureKind } from './signature.ts';

export type EndpointStatus = 'active' | 'paused' | 'disabled';

/** What was saved of an endpoint. */
export interface WebhookRow {
  id: string;
  name: string;
  url: string;
  /** JSON: patterns of the types of events that it wants. */
  types: string;
  condition: string | null;
  payload: Payload;
  signature: SignatureKind;
  /** JSON: see `SealedSecret`. */
  secrets: string;
  /** JSON: see `SealedHeaders`. */
  headers: string;
  max_in_flight: number;
  rate: number | null;
  /** JSON: what the endpoint may be told of. */
  scopes: string;
  /** The key that it counts for; null when an admin has made it. */
  share_of: string | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** What deliveries change of it. */
interface StateColumns {
  status: EndpointStatus;
  status_at: string;
  reason: string | null;
  position: number;
  failures: number;
  failing_since: string | null;
  try_at: string | null;
  last_delivered_at: string | null;
}

export interface WebhookWithState extends WebhookRow, StateColumns {}

/** With the numbers of deliveries, which have to be counted. */
export interface CountedWebhook extends WebhookWithState {
  waiting: number;
  failed: number;
  next_at: string | null;
}

const COLUMNS = sql`id, name, url, types, condition, payload, signature, secrets, headers, max_in_flight, rate, scopes, share_of, version, created_at, updated_at`;
const STATE = sql`status, status_at, reason, position, failures, failing_since, try_at, last_delivered_at`;
/**
 * Behind the name of the table, where a statement looks for what waits or has failed. SQLite takes the primary key for the shorter way, and would walk through all
 * that was ever delivered to the endpoint.
 */
export const BY_WAITING = byIndex('webhook_deliveries_open');
export const BY_FAILED = byIndex('webhook_deliveries_failed');

function byIndex(name: string): EngineSql {
  return byEngine((engine) => raw(engine === 'sqlite' ? `indexed by ${name}` : ''));
}

const COUNTS = sql`
  (select count(*) from webhook_deliveries d ${BY_WAITING} where d.webhook_id = w.id and d.status = 'waiting') as waiting,
  (select count(*) from webhook_deliveries d ${BY_FAILED} where d.webhook_id = w.id and d.status = 'failed') as failed,
  (select min(d.next_at) from webhook_deliveries d ${BY_WAITING} where d.webhook_id = w.id and d.status = 'waiting') as next_at`;

export async function findWebhook(db: Connection, id: string): Promise<WebhookWithState | undefined> {
  return first(db, sql`select ${COLUMNS}, ${STATE} from webhooks join webhook_state on webhook_id = id where id = ${id}`);
}

export async function findCountedWebhook(db: Connection, id: string): Promise<CountedWebhook | undefined> {
  return first(db, sql`select ${COLUMNS}, ${STATE}, ${COUNTS} from webhooks w join webhook_state on webhook_id = id where id = ${id}`);
}

/** Endpoints as deliveries need them; all of them, or those of these ids. */
export async function webhooksWithState(db: Connection, ids?: readonly string[]): Promise<WebhookWithState[]> {
  const these = ids && sql`id in ${list(ids)}`;
  return db.all(sql`select ${COLUMNS}, ${STATE} from webhooks join webhook_state on webhook_id = id where ${all([these])} order by id`);
}

interface ListWish {
  page: PageRequest;
  status: EndpointStatus | undefined;
}

/** A page of endpoints, newest first, with one more to know whether others follow. Apart from other work: those that are dead have thousands of deliveries to be counted. */
export const listWebhooks = command(
  import.meta.url,
  'listWebhooks',
  async (db, { page: { limit, offset, after }, status }: ListWish): Promise<{ rows: CountedWebhook[]; total: number }> => {
    const is = status && sql`status = ${status}`;
    const from = sql`from webhooks w join webhook_state on webhook_id = id`;
    const counted = await first<{ total: number }>(db, sql`select count(*) as total ${from} where ${all([is])}`);
    const rows = await db.all<CountedWebhook>(sql`
      select ${COLUMNS}, ${STATE}, ${COUNTS} ${from} where ${all([is, after === undefined ? undefined : sql`id < ${after}`])}
      order by id desc limit ${limit + 1} offset ${offset}`);
    return { rows, total: counted?.total ?? 0 };
  },
);
