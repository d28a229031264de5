import { bulk, list } from '../db/bulk.ts';
import { command, type Connection, first } from '../db/database.ts';
import { byEngine, type EngineSql, raw, sql } from '../db/sql.ts';
import { appendEvents, type EventTopic, type NewEvent } from '../events/append.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { isOfSyncs, SCOPE_OF } from './alert.ts';
import type { AlertChanges, NewMessage } from './changes.ts';
import type { IncidentRow } from './queries.ts';
import { incidentJson } from './render.ts';
import { ENDINGS } from './words.ts';

/** The name of the duty to look after alerts. */
export const DUTY = 'alerts';

const forShare = byEngine((engine) => raw(engine === 'postgres' ? 'for share' : ''));

/** Whether the duty is still this node's; it stays so until the commit. */
export async function hasDuty(tx: Connection, token: number): Promise<boolean> {
  return (await first(tx, sql`select 1 from duties where name = ${DUTY} and token = ${token} ${forShare}`)) !== undefined;
}

/** Who may read the event of an incident: the same callers that may read the incident. */
const TOPIC_OF: Readonly<Partial<Record<Scope, EventTopic>>> = { 'datasync:read': 'incidents', webhooks: 'webhooks', admin: 'keys' };

/**
 * Opens and closes incidents, and leaves word for every alert that is to be told: in one transaction, so that no incident is without its
 * messages, however the node ends. False: another node has the duty now.
 */
export const applyChanges = command(
  import.meta.url,
  'applyChanges',
  async (tx, { token, now, changes }: { token: number; now: number; changes: AlertChanges }): Promise<boolean> => {
    if (!(await hasDuty(tx, token))) return false;
    const at = isoTime(now);
    const opened = await open(tx, at, changes);
    const changed = changes.changed.map(({ id, summary, objectName, details }) => [id, summary, objectName, JSON.stringify(details)]);
    if (changed.length > 0)
      await tx.all(sql`
        update incidents set summary = input.summary, object_name = input.object_name, details = input.details
        from ${bulk({ id: 'text', summary: 'text', object_name: 'text', details: 'json' }, changed)} as input
        where incidents.id = input.id and closed_at is null`);
    const closed = await close(tx, at, changes.closed);
    await leaveWord(tx, at, changes);
    await tell(tx, at, opened, closed);
    return true;
  },
);

const INCIDENT = {
  id: 'text',
  rule: 'text',
  object_id: 'text',
  object_name: 'text',
  opened_at: 'text',
  summary: 'text',
  details: 'json',
} as const;

async function open(tx: Connection, at: string, { opened }: AlertChanges): Promise<IncidentRow[]> {
  const rows = opened.map(({ id, rule, objectId, objectName, since, summary, details }): IncidentRow => {
    const opened_at = since !== undefined && since < at ? since : at;
    const about = { id, rule, object_id: objectId, object_name: objectName, opened_at, closed_at: null };
    return { ...about, summary, ending: null, details: JSON.stringify(details) };
  });
  const values = rows.map((row) => [row.id, row.rule, row.object_id, row.object_name, row.opened_at, row.summary, row.details]);
  if (values.length > 0)
    await tx.all(sql`
      insert into incidents (id, rule, object_id, object_name, opened_at, summary, details)
      select id, rule, object_id, object_name, opened_at, summary, details from ${bulk(INCIDENT, values)} as input`);
  return rows;
}

async function close(tx: Connection, at: string, ids: readonly string[]): Promise<IncidentRow[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<IncidentRow>(sql`select * from incidents where id in ${list(ids)} and closed_at is null order by id`);
  const closed: IncidentRow[] = [];
  for (const row of rows) {
    const ending = (await unusualEnding(tx, at, row)) ?? ENDINGS[row.rule];
    await tx.all(sql`update incidents set closed_at = ${at}, ending = ${ending} where id = ${row.id}`);
    closed.push({ ...row, closed_at: at, ending });
  }
  return closed;
}

/** Not everything that is over has turned out well. */
async function unusualEnding(tx: Connection, at: string, { rule, object_id }: IncidentRow): Promise<string | undefined> {
  if (isOfSyncs(rule)) {
    const sync = await first<{ status: string }>(tx, sql`select status from sync_state where sync_id = ${object_id}`);
    if (!sync) return 'The synchronization was deleted.';
    return sync.status === 'paused' && (rule === 'late' || rule === 'lag') ? 'The synchronization was paused.' : undefined;
  }
  if (rule === 'endpoint_paused') {
    const endpoint = await first<{ status: string }>(tx, sql`select status from webhook_state where webhook_id = ${object_id}`);
    if (!endpoint) return 'The endpoint was deleted.';
    return endpoint.status === 'active' ? undefined : 'A person has paused it.';
  }
  if (rule === 'key_expires') {
    const key = await first<{ expires_at: string | null; revoked_at: string | null }>(
      tx,
      sql`select expires_at, revoked_at from keys where id = ${object_id}`,
    );
    if (!key || key.revoked_at !== null) return 'The key was revoked.';
    return key.expires_at !== null && key.expires_at <= at ? 'The key has expired.' : undefined;
  }
  const isGone = tx.engine === 'postgres' && !(await first(tx, sql`select 1 from nodes where host = ${object_id}`));
  return isGone ? 'No node is at work on this machine any more.' : undefined;
}

const MESSAGE = { id: 'text', alert_id: 'text', incident_id: 'text', kind: 'text', next_at: 'text' } as const;
const PAIR = { alert_id: 'text', incident_id: 'text', remind_at: 'text' } as const;

async function leaveWord(tx: Connection, at: string, { messages, learned, forgotten }: AlertChanges): Promise<void> {
  await supersede(tx, messages);
  const now = Date.parse(at);
  const waits = await waiting(tx, messages);
  // One who has not yet heard of it, or not since the last reminder, is not reminded.
  const wanted = messages.filter(({ alertId, incidentId, kind }) => kind !== 'reminder' || !waits.has(`${alertId} ${incidentId}`));
  const rows = wanted.map(({ alertId, incidentId, kind, nextAt }) => [newId('msg', now).id, alertId, incidentId, kind, isoTime(nextAt)]);
  if (rows.length > 0)
    // An alert that was deleted a moment ago is told nothing.
    await tx.all(sql`
      insert into alert_messages (id, alert_id, incident_id, kind, status, attempts, created_at, next_at, object_name, summary, details)
      select input.id, a.id, i.id, input.kind, 'waiting', 0, ${at}, input.next_at, i.object_name, i.summary, i.details
      from ${bulk(MESSAGE, rows)} as input join alerts a on a.id = input.alert_id join incidents i on i.id = input.incident_id`);
  const pairs = learned.map(({ alertId, incidentId, remindAt }) => [alertId, incidentId, remindAt === null ? null : isoTime(remindAt)]);
  if (pairs.length > 0)
    await tx.all(sql`
      insert into alert_incidents (alert_id, incident_id, remind_at)
      select a.id, input.incident_id, input.remind_at from ${bulk(PAIR, pairs)} as input join alerts a on a.id = input.alert_id where true
      on conflict (alert_id, incident_id) do update set remind_at = excluded.remind_at`);
  if (forgotten.length > 0)
    await tx.all(
      sql`delete from alert_incidents where (alert_id, incident_id) in (select alert_id, incident_id from ${told(forgotten)} as input)`,
    );
}

/** What is over is told once, as over, to those that could not be told before: it was quiet, or only a moment. A beginning that was tried may have arrived. */
async function supersede(tx: Connection, messages: readonly NewMessage[]): Promise<void> {
  const closed = messages.filter(({ kind }) => kind === 'closed');
  if (closed.length > 0)
    await tx.all(sql`
      update alert_messages set status = 'skipped', next_at = null
      where next_at is not null and (attempts = 0 or kind = 'reminder')
        and (alert_id, incident_id) in (select alert_id, incident_id from ${told(closed)} as input)`);
}

function told(pairs: readonly { alertId: string; incidentId: string }[]): EngineSql {
  return bulk(
    { alert_id: 'text', incident_id: 'text' },
    pairs.map(({ alertId, incidentId }) => [alertId, incidentId]),
  );
}

async function waiting(tx: Connection, messages: readonly NewMessage[]): Promise<Set<string>> {
  const reminded = messages.filter(({ kind }) => kind === 'reminder').map(({ alertId }) => alertId);
  if (reminded.length === 0) return new Set();
  const rows = await tx.all<{ alert_id: string; incident_id: string }>(
    sql`select alert_id, incident_id from alert_messages where alert_id in ${list(reminded)} and next_at is not null`,
  );
  return new Set(rows.map(({ alert_id, incident_id }) => `${alert_id} ${incident_id}`));
}

async function tell(tx: Connection, at: string, opened: readonly IncidentRow[], closed: readonly IncidentRow[]): Promise<void> {
  const events = [
    ...opened.map((row) => ({ row, type: 'incident.opened' as const })),
    ...closed.map((row) => ({ row, type: 'incident.closed' as const })),
  ].map(({ row, type }) => ({
    topic: TOPIC_OF[SCOPE_OF[row.rule]] ?? 'keys',
    event: { type, objectId: row.id, at, data: incidentJson(row) } satisfies NewEvent,
  }));
  for (const [topic, ofTopic] of Map.groupBy(events, (one) => one.topic)) {
    await appendEvents(
      tx,
      topic,
      ofTopic.map(({ event }) => event),
      {},
    );
  }
}

/** Forgets incidents that were over so long ago, with their messages, and reminders of those that go on. Answers how many. */
export const forgetIncidents = command(
  import.meta.url,
  'forgetIncidents',
  async (tx, { before, most }: { before: string; most: number }): Promise<number> => {
    const gone = await tx.all(sql`
      delete from incidents where id in (select id from incidents where closed_at is not null and closed_at < ${before} limit ${most}) returning id`);
    const reminders = await tx.all(sql`
      delete from alert_messages where id in (
        select id from alert_messages where kind = 'reminder' and next_at is null and created_at < ${before} limit ${most}) returning id`);
    return Math.max(gone.length, reminders.length);
  },
);
