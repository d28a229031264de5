import { list } from '../db/bulk.ts';
import { type Connection, first } from '../db/database.ts';
import { bytesOf, rowsThatFit } from '../db/page-bytes.ts';
import { all, integer, raw, type Sql, sql } from '../db/sql.ts';
import type { PageRequest } from '../http/paging.ts';
import type { MessageKind, MessageStatus, RuleType } from './alert.ts';

export interface AlertRow {
  id: string;
  name: string;
  channel_type: string;
  /** JSON, with masks where secrets are. */
  channel: string;
  /** Encrypted. */
  secrets: string;
  /** JSON. */
  rules: string;
  sync_ids: string | null;
  remind_every: string | null;
  quiet_hours: string | null;
  /** JSON: those of the caller that saved it. */
  scopes: string;
  version: number;
  created_at: string;
  updated_at: string;
  created_by: string;
  sent_at: string | null;
  error: string | null;
  error_at: string | null;
}

/** An alert with the number of its messages that are still to be sent. */
export type AlertView = AlertRow & { waiting: number };

const WAITING = raw('(select count(*) from alert_messages m where m.alert_id = a.id and m.next_at is not null) as waiting');

export async function findAlert(db: Connection, id: string): Promise<AlertView | undefined> {
  return first<AlertView>(db, sql`select a.*, ${WAITING} from alerts a where a.id = ${id}`);
}

export async function listAlerts(
  db: Connection,
  { limit: most, offset, after }: PageRequest,
): Promise<{ rows: AlertView[]; total: number; limit: number }> {
  const place = after === undefined ? sql`true` : sql`a.id < ${after}`;
  const page = (count: number): Sql => sql`from alerts a where ${place} order by a.id desc limit ${integer(count)} offset ${offset}`;
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from alerts`);
  const limit = await rowsThatFit(db, sql`select ${bytesOf('a.channel', 'a.rules')} as bytes ${page(most)}`, most);
  const rows = await db.all<AlertView>(sql`select a.*, ${WAITING} ${page(limit + 1)}`);
  return { rows, total: counted?.total ?? 0, limit };
}

export async function allAlerts(db: Connection): Promise<AlertRow[]> {
  return db.all<AlertRow>(sql`select * from alerts order by id`);
}

/** Of these synchronizations, those that there are. */
export async function knownSyncs(db: Connection, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ id: string }>(sql`select id from syncs where id in ${list(ids)}`);
  return new Set(rows.map(({ id }) => id));
}

/** What a message tells of its incident: as it was when the message was made, whatever has become of it. */
export const AS_IT_WAS = raw('coalesce(m.object_name, i.object_name) as object_name, coalesce(m.summary, i.summary) as summary');

export interface MessageView {
  id: string;
  incident_id: string;
  rule: RuleType;
  object_id: string;
  object_name: string;
  summary: string;
  kind: MessageKind;
  status: MessageStatus;
  attempts: number;
  created_at: string;
  next_at: string | null;
  sent_at: string | null;
  error: string | null;
}

interface MessageWish {
  alertId: string;
  status: MessageStatus | undefined;
  /** Those that the caller may hear of: an alert may have had other rules before. */
  rules: readonly RuleType[];
}

/** The messages of an alert, newest first. */
export async function listMessages(
  db: Connection,
  { alertId, status, rules }: MessageWish,
  { limit, offset, after }: PageRequest,
): Promise<{ rows: MessageView[]; total: number }> {
  const ofAlert = all([
    sql`m.alert_id = ${alertId} and i.rule in ${list(rules)}`,
    status === undefined ? undefined : sql`m.status = ${status}`,
  ]);
  const place = after === undefined ? ofAlert : sql`${ofAlert} and m.id < ${after}`;
  const [counted, rows] = await Promise.all([
    first<{ total: number }>(
      db,
      sql`select count(*) as total from alert_messages m join incidents i on i.id = m.incident_id where ${ofAlert}`,
    ),
    db.all<MessageView>(sql`
      select m.id, m.incident_id, i.rule, i.object_id, ${AS_IT_WAS}, m.kind, m.status, m.attempts, m.created_at, m.next_at,
        m.sent_at, m.error
      from alert_messages m join incidents i on i.id = m.incident_id where ${place} order by m.id desc limit ${integer(limit + 1)} offset ${offset}`),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

export interface IncidentRow {
  id: string;
  rule: RuleType;
  object_id: string;
  object_name: string;
  opened_at: string;
  closed_at: string | null;
  summary: string;
  ending: string | null;
  /** JSON. */
  details: string;
}

export interface IncidentPage extends PageRequest {
  status: 'open' | 'closed' | 'all';
  /** Those that the caller may hear of. */
  rules: readonly RuleType[];
  objectId: string | undefined;
}

/** Incidents, newest first. */
export async function listIncidents(
  db: Connection,
  { status, rules, objectId, limit: most, offset, after }: IncidentPage,
): Promise<{ rows: IncidentRow[]; total: number; limit: number }> {
  const matches = all([
    sql`rule in ${list(rules)}`,
    status === 'open' ? raw('closed_at is null') : status === 'closed' ? raw('closed_at is not null') : undefined,
    objectId === undefined ? undefined : sql`object_id = ${objectId}`,
  ]);
  const place = after === undefined ? matches : sql`${matches} and id < ${after}`;
  const page = (count: number): Sql => sql`from incidents where ${place} order by id desc limit ${integer(count)} offset ${offset}`;
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from incidents where ${matches}`);
  const limit = await rowsThatFit(db, sql`select ${bytesOf('details', 'summary')} as bytes ${page(most)}`, most);
  const rows = await db.all<IncidentRow>(sql`select * ${page(limit + 1)}`);
  return { rows, total: counted?.total ?? 0, limit };
}
