import { command, type Connection, first } from '../db/database.ts';
import { all, raw, type Sql, sql } from '../db/sql.ts';
import type { EventsTable } from '../db/tables.ts';
import type { PageRequest } from '../http/paging.ts';
import { BY_FAILED, BY_WAITING } from './queries.ts';

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed'] as const;

/** One event for one endpoint, as it is stored. */
export interface DeliveryRow {
  seq: number;
  type: string;
  object_id: string;
  status: (typeof DELIVERY_STATUSES)[number];
  attempts: number;
  /** That of the event. */
  created_at: string;
  updated_at: string;
  next_at: string | null;
  response_status: number | null;
  duration_ms: number | null;
  error: string | null;
  /** JSON: the last attempts. */
  log: string | null;
}

const COLUMNS = raw('seq, type, object_id, status, attempts, created_at, updated_at, next_at, response_status, duration_ms, error');

interface DeliveryFilter {
  status?: DeliveryRow['status'] | undefined;
  type?: string | undefined;
  object_id?: string | undefined;
}

interface ListWish {
  id: string;
  page: PageRequest;
  filter: DeliveryFilter;
}

/** A page of deliveries, newest first, with one more to know whether others follow. Apart from other work: an endpoint may have had millions. */
export const listDeliveries = command(
  import.meta.url,
  'listDeliveries',
  async (db, { id, page, filter }: ListWish): Promise<{ rows: Omit<DeliveryRow, 'log'>[]; total: number }> => {
    const meant = all([
      sql`webhook_id = ${id}`,
      // As the partial indexes have it.
      filter.status && raw(`status = '${filter.status}'`),
      filter.type === undefined ? undefined : sql`type = ${filter.type}`,
      filter.object_id === undefined ? undefined : sql`object_id = ${filter.object_id}`,
    ]);
    const by = filter.status === 'waiting' ? BY_WAITING : filter.status === 'failed' ? BY_FAILED : raw('');
    const counted = await first<{ total: number }>(db, sql`select count(*) as total from webhook_deliveries where ${meant}`);
    const after: Sql = page.after === undefined ? sql`true` : sql`seq < ${Number(page.after)}`;
    const rows = await db.all<Omit<DeliveryRow, 'log'>>(sql`
      select ${COLUMNS} from webhook_deliveries ${by} where ${meant} and ${after} order by seq desc limit ${page.limit + 1} offset ${page.offset}`);
    return { rows, total: counted?.total ?? 0 };
  },
);

export async function findDelivery(db: Connection, id: string, seq: number): Promise<DeliveryRow | undefined> {
  return first(db, sql`select ${COLUMNS}, log from webhook_deliveries where webhook_id = ${id} and seq = ${seq}`);
}

export async function findEvent(db: Connection, seq: number): Promise<EventsTable | undefined> {
  return first(db, sql`select seq, topic, topic_seq, type, object_id, created_at, data from events where seq = ${seq}`);
}

/** Removes deliveries of an endpoint that is to be deleted; answers how many. */
export const forgetDeliveries = command(
  import.meta.url,
  'forgetDeliveries',
  async (tx, { id, most }: { id: string; most: number }): Promise<number> => {
    const gone = await tx.all(sql`
      delete from webhook_deliveries where webhook_id = ${id} and seq in (
        select seq from webhook_deliveries where webhook_id = ${id} order by seq limit ${most}) returning seq`);
    return gone.length;
  },
);
