import { list } from '../db/bulk.ts';
import { count } from '../db/counters.ts';
import { command, type Connection, first } from '../db/database.ts';
import { forUpdate, integer, sql } from '../db/sql.ts';
import { isoTime } from '../lib/clock.ts';
import type { MessageKind } from './alert.ts';
import { hasDuty } from './apply.ts';
import { AS_IT_WAS, type IncidentRow } from './queries.ts';

/** How long a message is tried. */
const KEPT = 30 * 24 * 3_600_000;
const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 3_600_000;
const JITTER = 0.1;

/** 10 s, 20 s, 40 s … an hour, give or take a tenth; longer when the other side asks for it. */
export function sendingDelay(attempts: number, retryAfter: number, random: () => number = Math.random): number {
  const own = Math.min(FIRST_DELAY * 2 ** Math.max(0, attempts - 1), LONGEST_DELAY);
  return Math.round(Math.max(own * (1 - JITTER + 2 * JITTER * random()), retryAfter * 1000));
}

/** A message that is due, with all that is needed to send it. */
export interface DueMessage {
  id: string;
  kind: MessageKind;
  attempts: number;
  created_at: string;
  alert_id: string;
  alert_name: string;
  channel: string;
  secrets: string;
  quiet_hours: string | null;
  incident_id: string;
  rule: IncidentRow['rule'];
  object_id: string;
  object_name: string;
  opened_at: string;
  closed_at: string | null;
  summary: string;
  ending: string | null;
  details: string;
}

/** An alert that has something to be told. */
export interface DueAlert {
  id: string;
  version: number;
  /** Who has made it. */
  owner: string;
  /** Why the last try did not get through; null when it did, or there was none. */
  error: string | null;
}

/** Alerts with messages whose time has come, but for those that are being told; those that answer come first. Each costs one step in an index. */
export function dueAlerts(db: Connection, now: string, busy: readonly string[], most: number): Promise<DueAlert[]> {
  return db.all<DueAlert>(sql`
    select id, version, owner, error from (
      select a.id, a.version, a.created_by as owner, a.error,
        (select d.next_at from alert_messages d where d.alert_id = a.id and d.next_at is not null order by d.next_at limit 1) as next_at
      from alerts a where a.id not in ${list(busy)}
    ) as due
    where next_at <= ${now} order by case when error is null then 0 else 1 end, next_at, id limit ${integer(most)}`);
}

/** The first message of an alert whose time has come. Of an incident, its end never comes before its beginning. */
export function dueMessage(db: Connection, now: string, alertId: string): Promise<DueMessage | undefined> {
  return first<DueMessage>(
    db,
    sql`
    select m.id, m.kind, m.attempts, m.created_at, a.id as alert_id, a.name as alert_name, a.channel, a.secrets, a.quiet_hours,
      i.id as incident_id, i.rule, i.object_id, i.opened_at, i.closed_at, i.ending, ${AS_IT_WAS},
      coalesce(m.details, i.details) as details
    from (
      select d.* from alert_messages d
      where d.alert_id = ${alertId} and d.next_at is not null and d.next_at <= ${now} and not exists (
        select 1 from alert_messages o where o.alert_id = d.alert_id and o.incident_id = d.incident_id and o.next_at is not null and o.id < d.id)
      order by d.next_at, d.id limit 1
    ) as m join alerts a on a.id = m.alert_id join incidents i on i.id = m.incident_id`,
  );
}

interface Recording {
  token: number;
  now: number;
  id: string;
  alertId: string;
  /** Tries before this one. */
  attempts: number;
}

/** Whether this try was written down before: the answer may have been lost, or another node has tried since. */
async function isRecorded(tx: Connection, { id, attempts }: Recording): Promise<boolean> {
  return (await first(tx, sql`select 1 from alert_messages where id = ${id} and attempts = ${attempts} ${forUpdate}`)) === undefined;
}

/** A message has got through; what else waits for the same alert may get through now, too. */
export const recordDelivered = command(
  import.meta.url,
  'recordDelivered',
  async (tx, input: Recording & { remark: string | null }): Promise<boolean> => {
    const { token, now, id, alertId, remark } = input;
    if (!(await hasDuty(tx, token))) return false;
    if (await isRecorded(tx, input)) return true;
    const at = isoTime(now);
    await tx.all(sql`
      update alert_messages set status = 'sent', attempts = attempts + 1, next_at = null, sent_at = ${at}, error = ${remark} where id = ${id}`);
    await tx.all(sql`update alerts set sent_at = ${at}, error = null, error_at = null where id = ${alertId}`);
    await tx.all(
      sql`update alert_messages set next_at = ${at} where alert_id = ${alertId} and next_at is not null and next_at > ${at} and attempts > 0`,
    );
    await count(tx, { 'alerts:sent': 1 });
    return true;
  },
);

/** A message has not got through. It is tried again, for 30 days. */
export const recordUndelivered = command(
  import.meta.url,
  'recordUndelivered',
  async (tx, input: Recording & { createdAt: string; error: string; retryAfter: number }): Promise<boolean> => {
    const { token, now, id, alertId, attempts, createdAt, error, retryAfter } = input;
    if (!(await hasDuty(tx, token))) return false;
    if (await isRecorded(tx, input)) return true;
    const isGivenUp = now - Date.parse(createdAt) > KEPT;
    const next = isGivenUp ? null : isoTime(now + sendingDelay(attempts + 1, retryAfter));
    await tx.all(sql`
      update alert_messages set status = ${isGivenUp ? 'failed' : 'waiting'}, attempts = ${attempts + 1}, next_at = ${next}, error = ${error}
      where id = ${id} and status = 'waiting'`);
    await tx.all(sql`update alerts set error = ${error}, error_at = ${isoTime(now)} where id = ${alertId}`);
    await count(tx, { 'alerts:attempts_failed': 1, ...(isGivenUp && { 'alerts:given_up': 1 }) });
    return true;
  },
);

/** Holds all that an alert is to be told back until quiet hours are over. */
export const holdMessages = command(
  import.meta.url,
  'holdMessages',
  async (tx, { token, alertId, until }: { token: number; alertId: string; until: number }): Promise<boolean> => {
    if (!(await hasDuty(tx, token))) return false;
    const at = isoTime(until);
    await tx.all(sql`update alert_messages set next_at = ${at} where alert_id = ${alertId} and next_at is not null and next_at < ${at}`);
    return true;
  },
);
