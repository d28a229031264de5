import { hostname } from 'node:os';
import { readLag, shownLag } from '../datasync/runs/rows/lag.ts';
import { writesSomething } from '../datasync/runs/rows/run-modes.ts';
import type { Verified } from '../datasync/runs/rows/verified.ts';
import { runFor } from '../datasync/runs/told/veil.ts';
import { list } from '../db/bulk.ts';
import type { Connection } from '../db/database.ts';
import { integer, join, raw, sql } from '../db/sql.ts';
import type { RunError } from '../engine/run.ts';
import { isoTime } from '../lib/clock.ts';
import { sentences } from '../lib/sentence.ts';
import { isRemembered, type DiskRoom } from '../nodes/presence.ts';
import { PAUSED_BY_HAND } from '../webhooks/state-commands.ts';
import type { Finding, LookBounds } from './rules.ts';
import * as words from './words.ts';

// What is wrong at this moment, as the rows tell it: a few statements that each look into a small index.

const DAY = 24 * 3_600_000;
/** More rejects than these are not counted for the sake of words alone. */
const COUNTED_REJECTS = 1000;

export interface Looking {
  now: number;
  /** Up to where it pays to look: see `boundsOf`. */
  bounds: LookBounds;
  /** The room for the data directory of this node; for the embedded database, which has no other. */
  disk: DiskRoom | null;
}

export async function readFindings(db: Connection, looking: Looking): Promise<Finding[]> {
  const found = await Promise.all([
    failing(db),
    needingApproval(db),
    rejected(db, looking),
    differing(db),
    behind(db, looking),
    changedSchemas(db),
    stoppedEndpoints(db),
    fullDisks(db, looking),
    expiringKeys(db, looking),
  ]);
  return found.flat();
}

/** A run that says how a synchronization is doing: not one that was cancelled. */
const LAST_RUN = sql`runs where sync_id = s.id and finished_at is not null and ${writesSomething()} and status <> 'skipped'
    and status in ('succeeded', 'partial', 'failed') order by id desc limit 1`;

interface FailingRow {
  id: string;
  name: string;
  failures: number;
  pause_reason: string | null;
  last_id: string | null;
  /** What is known of an incident that goes on: JSON. */
  known: string | null;
}

/** A synchronization fails from its first failed run until one succeeds, also when it was paused or resumed in between. */
async function failing(db: Connection): Promise<Finding[]> {
  const rows = await db.all<FailingRow>(sql`
    select s.id, s.name, st.failures, st.pause_reason, (select id from ${LAST_RUN}) as last_id,
      (select details from incidents i where i.rule = 'failing' and i.object_id = s.id and i.closed_at is null) as known
    from syncs s join sync_state st on st.sync_id = s.id
    where s.id in (select sync_id from sync_state where failures > 0
      union select object_id from incidents where rule = 'failing' and closed_at is null)`);
  const runs = await runsOf(
    db,
    rows.flatMap(({ last_id }) => last_id ?? []),
  );
  return rows.flatMap(({ id, name, failures, pause_reason, last_id, known }): Finding[] => {
    const last = runs.get(last_id ?? '');
    if (failures === 0 && last?.status !== 'failed') return [];
    const before = known === null ? 0 : ((JSON.parse(known) as { failures?: number }).failures ?? 0);
    // To resume it begins a new count, but nothing has succeeded yet.
    const count = failures > 0 ? failures : Math.max(1, before);
    const error = errorOf(last);
    return [
      {
        rule: 'failing',
        objectId: id,
        objectName: name,
        level: count,
        ...(count === 1 && last?.finished_at && { since: last.finished_at }),
        summary: words.failing(count, error, pause_reason),
        details: {
          run_id: last_id,
          failures: count,
          ...(error && { kind: error.kind, code: error.code }),
          ...(pause_reason && { paused: true }),
        },
      },
    ];
  });
}

interface RunOfFinding {
  id: string;
  status: string;
  error: string | null;
  report: string;
  shop: string | null;
  finished_at: string | null;
}

async function runsOf(db: Connection, ids: readonly string[]): Promise<Map<string, RunOfFinding>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<RunOfFinding>(
    sql`select id, status, error, '[]' as report, shop, finished_at from runs where id in ${list(ids)}`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What a run failed with, in words that quote no rows of the shop: an alert goes to where nobody asks for scopes. */
function errorOf(run: RunOfFinding | undefined): RunError | null {
  if (!run) return null;
  const { error } = runFor({ scopes: new Set(['datasync:read'] as const) }, run);
  return error === null ? null : (JSON.parse(error) as RunError);
}

async function needingApproval(db: Connection): Promise<Finding[]> {
  const rows = await db.all<RunOfFinding & { sync_id: string; name: string }>(sql`
    select r.id, r.status, r.error, '[]' as report, r.shop, r.finished_at, r.sync_id, s.name
    from runs r join syncs s on s.id = r.sync_id where r.status = 'needs_approval' and ${writesSomething('r.')}`);
  return rows.map((run) => ({
    rule: 'needs_approval',
    objectId: run.sync_id,
    objectName: run.name,
    level: 0,
    summary: words.needsApproval(errorOf(run)),
    details: { run_id: run.id },
  }));
}

async function rejected(db: Connection, { bounds }: Looking): Promise<Finding[]> {
  const most = Math.max(COUNTED_REJECTS, bounds.rejects + 1);
  const rows = await db.all<{ id: string; name: string; n: number }>(sql`
    select s.id, s.name, (select count(*) from (
      select 1 from rejects r where r.sync_id = s.id and r.resolved_at is null limit ${integer(most)}) as waiting) as n
    from syncs s where exists (select 1 from rejects r where r.sync_id = s.id and r.resolved_at is null)`);
  return rows.map(({ id, name, n }) => ({
    rule: 'rejects',
    objectId: id,
    objectName: name,
    level: n,
    summary: words.rejects(n, n >= most),
    details: { rejected: n, ...(n >= most && { or_more: true }) },
  }));
}

async function differing(db: Connection): Promise<Finding[]> {
  const rows = await db.all<{ id: string; name: string; verified: string }>(sql`
    select s.id, s.name, st.verified from sync_state st join syncs s on s.id = st.sync_id where st.verified is not null`);
  return rows.flatMap(({ id, name, verified }): Finding[] => {
    const { result, missing, extra, different, run_id, at } = JSON.parse(verified) as Verified;
    if (result !== 'differs') return [];
    const counts = { missing, extra, different };
    return [
      {
        rule: 'differs',
        objectId: id,
        objectName: name,
        level: missing + extra + different,
        since: at,
        summary: words.differs(counts),
        details: { run_id, ...counts },
      },
    ];
  });
}

interface ExpectedRow {
  id: string;
  name: string;
  expect_ms: number | null;
  status: 'active' | 'paused';
  status_at: string;
  pause_reason: string | null;
  created_at: string;
  /** When the last run that succeeded began and ended. */
  started_at: string | null;
  finished_at: string | null;
  failures: number;
  live: number;
  /** JSON: the Lag that its live runs told last. */
  lag: string | null;
}

/** Late: no run has succeeded for longer than is expected. Lagging: the last one that did began long ago, as metrics count it. */
async function behind(db: Connection, { now, bounds }: Looking): Promise<Finding[]> {
  const mayLag = bounds.lag === null ? [] : [raw('st.live <> 0'), sql`f.started_at < ${isoTime(now - bounds.lag * 1000)}`];
  // What is not behind is not even read: there may be thousands that are not, and they are looked at all the time.
  const rows = await db.all<ExpectedRow>(sql`
    select s.id, s.name, s.expect_ms, st.status, st.status_at, st.pause_reason, s.created_at, f.started_at, f.finished_at, st.failures, st.live,
      case when st.live <> 0 then (select lag from runs where sync_id = s.id and live <> 0 order by id desc limit 1) end as lag
    from syncs s join sync_state st on st.sync_id = s.id left join runs f on f.id = (
      select id from runs where sync_id = s.id and status in ('succeeded', 'partial') and mode in ('run', 'full') order by id desc limit 1)
    where ${join([raw('s.expect_ms is not null'), ...mayLag], ' or ')}`);
  return rows.flatMap((row): Finding[] => {
    const about = { objectId: row.id, objectName: row.name };
    const found = row.live !== 0 ? liveBehind(row, now, about) : [...lateOf(row, row.finished_at, now, about), ...lagOf(row, now, about)];
    return found.filter(({ rule, level }) => rule !== 'lag' || (bounds.lag !== null && level > bounds.lag));
  });
}

/** What is live says itself how far it is behind: up to then everything is there, as after a run that has succeeded. */
function liveBehind(row: ExpectedRow, now: number, about: About): Finding[] {
  const told = readLag(row.lag);
  const lag = told && shownLag(told, now);
  const upTo = lag ? isoTime(now - lag.seconds * 1000) : null;
  // That its run was cancelled by a person is a reason to be paused, too.
  const late = row.status === 'paused' && row.failures === 0 ? [] : lateOf(row, upTo, now, about, words.liveLate);
  if (!lag || row.status !== 'active') return late;
  const level = Math.round(lag.seconds);
  return [...late, { rule: 'lag', ...about, level, summary: words.liveLag(), details: { lag_seconds: level, lag_bytes: lag.bytes } }];
}

type About = Pick<Finding, 'objectId' | 'objectName'>;

/** One that a person has paused is not waited for; one that was paused because it failed is. */
function lateOf(
  { expect_ms, status, status_at, pause_reason, created_at }: ExpectedRow,
  finished: string | null,
  now: number,
  about: About,
  inWords = words.late,
): Finding[] {
  if (expect_ms === null || (status === 'paused' && pause_reason === null)) return [];
  const resumed = status === 'active' ? status_at : '';
  const from = [finished ?? '', created_at, resumed].reduce((one, other) => (one > other ? one : other));
  const due = Date.parse(from) + expect_ms;
  if (due >= now) return [];
  const details = { expected_every_ms: expect_ms, last_success_at: finished };
  return [{ rule: 'late', ...about, level: 0, since: isoTime(due), summary: inWords(expect_ms, finished, created_at), details }];
}

function lagOf({ status, started_at: started }: ExpectedRow, now: number, about: About): Finding[] {
  if (status !== 'active' || started === null) return [];
  const level = Math.max(0, Math.round((now - Date.parse(started)) / 1000));
  return [{ rule: 'lag', ...about, level, summary: words.lag(started), details: { last_success_began_at: started } }];
}

async function changedSchemas(db: Connection): Promise<Finding[]> {
  const rows = await db.all<{ id: string; name: string; schema_notices: string; schema_noticed_at: string }>(sql`
    select s.id, s.name, st.schema_notices, st.schema_noticed_at from sync_state st join syncs s on s.id = st.sync_id
    where st.schema_notices is not null`);
  return rows.map(({ id, name, schema_notices, schema_noticed_at }) => {
    const notices = JSON.parse(schema_notices) as string[];
    return {
      rule: 'schema_changed',
      objectId: id,
      objectName: name,
      level: 0,
      since: schema_noticed_at,
      summary: sentences(notices),
      details: { notices },
    };
  });
}

/** Endpoints that no person has paused. */
async function stoppedEndpoints(db: Connection): Promise<Finding[]> {
  const rows = await db.all<{ id: string; name: string; status: string; status_at: string; reason: string }>(sql`
    select w.id, w.name, st.status, st.status_at, st.reason from webhook_state st join webhooks w on w.id = st.webhook_id
    where st.status <> 'active' and st.reason is not null and st.reason <> ${PAUSED_BY_HAND}`);
  return rows.map(({ id, name, status, status_at, reason }) => ({
    rule: 'endpoint_paused',
    objectId: id,
    objectName: name,
    level: 0,
    since: status_at,
    summary: reason,
    details: { status },
  }));
}

async function fullDisks(db: Connection, { now, disk }: Looking): Promise<Finding[]> {
  const own = disk ? [{ host: hostname(), disk_free: disk.free, disk_size: disk.size }] : [];
  const rows =
    db.engine === 'sqlite'
      ? own
      : await db.all<(typeof own)[number]>(
          sql`select host, disk_free, disk_size from nodes where disk_size is not null and ${isRemembered(now)}`,
        );
  // Of several nodes on one machine, the one with the least room speaks.
  const fullest = new Map<string, Finding>();
  for (const { host, disk_free, disk_size } of rows) {
    const level = disk_size > 0 ? (disk_free / disk_size) * 100 : 100;
    if (level >= (fullest.get(host)?.level ?? 101)) continue;
    const details = { free_bytes: disk_free, size_bytes: disk_size };
    fullest.set(host, { rule: 'disk_full', objectId: host, objectName: host, level, summary: words.diskFull(level), details });
  }
  return [...fullest.values()];
}

async function expiringKeys(db: Connection, { now, bounds }: Looking): Promise<Finding[]> {
  const [from, to] = [isoTime(now), isoTime(now + bounds.days * DAY)];
  const rows = await db.all<{ id: string; name: string; created_at: string; expires_at: string }>(sql`
    select id, name, created_at, expires_at from keys
    where expires_at is not null and revoked_at is null and expires_at > ${from} and expires_at <= ${to}`);
  return rows.map(({ id, name, created_at, expires_at }) => ({
    rule: 'key_expires',
    objectId: id,
    objectName: name,
    level: (Date.parse(expires_at) - now) / DAY,
    lifetime: (Date.parse(expires_at) - Date.parse(created_at)) / DAY,
    summary: words.keyExpires(expires_at),
    details: { expires_at },
  }));
}
