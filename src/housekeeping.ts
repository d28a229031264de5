import { forgetIncidents } from './alerts/apply.ts';
import type { Config } from './config.ts';
import { forgetCalls, forgetTokens } from './datasync/hooks/forget.ts';
import { forgetLogs } from './datasync/logs/forget.ts';
import { forgetRuns } from './datasync/runs/rows/forget.ts';
import type { Database } from './db/database.ts';
import { type Clock, isoTime } from './lib/clock.ts';
import type { Logger } from './lib/log.ts';
import { forgetSessions } from './keys/sessions/commands.ts';
import { IDLE_TIME } from './keys/sessions/queries.ts';
import { forgetExpiredKeys } from './shop/orders/claims.ts';
import { forgetOldDeliveries } from './webhooks/rows.ts';

const INTERVAL = 60_000;
const DAY = 24 * 3_600_000;
/** How long deliveries and incidents that are over are kept, with what was told of them. */
const DELIVERY_DAYS = 30;
const INCIDENT_DAYS = 30;

/** By name, those who have secrets, to be encrypted anew where the key has changed. */
type Secretive = Readonly<Record<string, { renewSecrets(): Promise<void> }>>;

interface Options {
  db: Database;
  clock: Clock;
  config: Config;
  log: Logger;
}

/** Renews secrets at once, and removes what is over every minute, until the answer is called. */
export function startHousekeeping({ db, clock, config, log }: Options, secretive: Secretive): () => void {
  for (const [name, owner] of Object.entries(secretive)) {
    owner.renewSecrets().catch((error: unknown) => log.warn({ err: error }, `could not look after the secrets of ${name}`));
  }
  const timer = setInterval(() => {
    keepHouse(db, clock, config).catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed; it will be tried again'));
  }, INTERVAL).unref();
  return () => clearInterval(timer);
}

/** Removes what is over, in small steps that hold up no request. */
async function keepHouse(db: Database, clock: Clock, { logDays, runDays, hookDays }: Config): Promise<void> {
  const most = 1000;
  while ((await db.write(forgetExpiredKeys, { now: isoTime(clock()), most })) === most);
  const over = { now: isoTime(clock()), idleSince: isoTime(clock() - IDLE_TIME), most };
  while ((await db.write(forgetSessions, over)) === most);
  const before = isoTime(clock() - logDays * DAY);
  while ((await db.write(forgetLogs, { before, most })) === most);
  while ((await db.write(forgetIncidents, { before: isoTime(clock() - INCIDENT_DAYS * DAY), most })) === most);
  const callsBefore = isoTime(clock() - hookDays * DAY);
  while ((await db.write(forgetCalls, { before: callsBefore, most })) === most);
  await db.write(forgetTokens, { now: isoTime(clock()) });
  while ((await db.write(forgetRuns, { before: clock() - runDays * DAY, most })) === most);
  const deliveredBefore = isoTime(clock() - DELIVERY_DAYS * DAY);
  while ((await db.write(forgetOldDeliveries, { before: deliveredBefore, most })) === most);
}
