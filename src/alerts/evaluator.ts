import type { Connection, Database } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { sql } from '../db/sql.ts';
import { type Duty, type HeldDuty, startDuty } from '../jobs/duty.ts';
import type { Hints } from '../jobs/hints.ts';
import { startPulse } from '../jobs/pulse.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import type { Keyring } from '../lib/secrets.ts';
import { roomFor } from '../nodes/data-dir.ts';
import type { AlertRules, QuietHours, Rule } from './alert.ts';
import { applyChanges, DUTY } from './apply.ts';
import { changesIn, isAnything, type KnownIncident, type OpenIncident } from './changes.ts';
import type { Sender } from './channels/send.ts';
import { readFindings } from './findings.ts';
import { createPostman, type Unrecorded } from './postman.ts';
import { allAlerts, type AlertRow } from './queries.ts';
import { boundsOf } from './rules.ts';

/** Nobody waits for an alert by the second: seldom asked for, the duty costs the database little. */
const LEASE = 30_000;
/** Milliseconds between two glances, each of one statement that looks into a few counters. */
const GLANCE_INTERVAL = 2_000;
/** Some things go wrong by nothing happening: so often everything is looked at anyway. */
const LOOK_INTERVAL = 15_000;
/** However much happens, everything is looked at no more often. */
const LOOK_PAUSE = 1_000;
/** Hints may come by the hundred. */
const HINT_PAUSE = 500;

export interface AlertsOptions {
  /** The id of this node. */
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  hints: Hints;
  keyring: Keyring;
  sender: Sender;
  dataDir: string;
}

/** Looks what is wrong and tells those who want to know, on one node for all of them. */
export function startAlerts(options: AlertsOptions): Duty {
  const { node, db, clock, log } = options;
  const unrecorded: Unrecorded = new Map();
  return startDuty({ name: DUTY, node, db, clock, log, lease: LEASE, work: (held) => lookAfter(held, options, unrecorded) });
}

async function lookAfter(
  { token, lost }: HeldDuty,
  { db, clock, log, hints, keyring, sender, dataDir }: AlertsOptions,
  unrecorded: Unrecorded,
): Promise<void> {
  const postman = createPostman({ db, clock, log, keyring, sender, token, unrecorded });
  let seen: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let glancedAt = Number.NEGATIVE_INFINITY;
  const pulse = startPulse({
    name: 'looking what is wrong',
    interval: GLANCE_INTERVAL,
    log,
    work: async () => {
      if (lost.aborted) return undefined;
      glancedAt = performance.now();
      const { news, nextMessage } = await glance(db.read);
      const ago = performance.now() - lookedAt;
      if ((news !== seen && ago >= LOOK_PAUSE) || ago >= LOOK_INTERVAL) {
        lookedAt = performance.now();
        const looked = await evaluate(db, { token, now: clock(), dataDir });
        if (looked === 'lost') return undefined;
        seen = looked === 'all' ? news : undefined;
        await postman.deliver();
        return looked === 'all' ? undefined : LOOK_PAUSE;
      }
      if (nextMessage !== null && nextMessage <= isoTime(await databaseTime(db.read, clock()))) await postman.deliver();
      return news === seen ? undefined : LOOK_PAUSE - ago;
    },
  });
  const stopListening = (['runs', 'syncs', 'keys'] as const).map((topic) =>
    hints.listen(topic, () => {
      // What is done to keys is no event.
      if (topic === 'keys') seen = undefined;
      if (performance.now() - glancedAt >= HINT_PAUSE) pulse.wake();
    }),
  );
  postman.onDone(() => pulse.wake());
  await new Promise<void>((resolve) => {
    if (lost.aborted) resolve();
    lost.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const stop of stopListening) stop();
  await pulse.stop();
  await postman.close();
}

/** What may have changed since the last look: everything that can begin or end an incident writes an event, or takes its time. */
async function glance(db: Connection): Promise<{ news: string; nextMessage: string | null }> {
  const [row] = await db.all<{
    runs: number | null;
    syncs: number | null;
    keys: number | null;
    webhooks: number | null;
    next_at: string | null;
  }>(sql`
    select (select n from counters where name = 'events:runs') as runs, (select n from counters where name = 'events:syncs') as syncs,
      (select n from counters where name = 'events:keys') as keys, (select n from counters where name = 'events:webhooks') as webhooks,
      (select min(next_at) from alert_messages where next_at is not null) as next_at`);
  return { news: [row?.runs, row?.syncs, row?.keys, row?.webhooks].join(' '), nextMessage: row?.next_at ?? null };
}

/** What came of a look: what follows was written down, or as much of it as is done in one go, or another node has the duty now. */
export type Looked = 'all' | 'more' | 'lost';

/** Looks at everything once, and writes down what follows. */
export async function evaluate(
  db: Database,
  { token, now: given, dataDir }: { token: number; now: number; dataDir: string },
): Promise<Looked> {
  const now = await databaseTime(db.read, given);
  const [rows, disk] = await Promise.all([allAlerts(db.read), db.read.engine === 'sqlite' ? roomFor(dataDir) : null]);
  const alerts = rows.map(rulesOf);
  const findings = await readFindings(db.read, { now, bounds: boundsOf(alerts), disk });
  // Read after what was found: an incident that was opened by another node meanwhile is seen, and the duty is asked for in any case.
  const [open, known] = await Promise.all([openIncidents(db.read), knownIncidents(db.read)]);
  const { changes, isAll } = changesIn({ now, alerts, findings, open, known }, () => newId('inc', now).id);
  if (isAnything(changes) && !(await db.write(applyChanges, { token, now, changes }))) return 'lost';
  return isAll ? 'all' : 'more';
}

function rulesOf({ id, rules, sync_ids, remind_every, quiet_hours }: AlertRow): AlertRules {
  return {
    id,
    rules: JSON.parse(rules) as Rule[],
    syncIds: sync_ids === null ? null : (JSON.parse(sync_ids) as string[]),
    remindEvery: remind_every,
    quietHours: quiet_hours === null ? null : (JSON.parse(quiet_hours) as QuietHours),
  };
}

function openIncidents(db: Connection): Promise<OpenIncident[]> {
  return db.all<OpenIncident>(sql`select id, rule, object_id, object_name, summary from incidents where closed_at is null`);
}

function knownIncidents(db: Connection): Promise<KnownIncident[]> {
  return db.all<KnownIncident>(sql`select alert_id, incident_id, remind_at from alert_incidents`);
}
