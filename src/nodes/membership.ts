import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { isOutdated, outdatedText } from '../db/migrate.ts';
import { startPulse } from '../jobs/pulse.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Keyring } from '../lib/secrets.ts';
import { roomFor } from './data-dir.ts';
import { beatNode, joinNode, leaveNode, type Presence, type NodeReport } from './presence.ts';
import type { Role } from './role.ts';
import { haveSameAdminKey, listOf, marksFor } from './shared-keys.ts';

/** Well below the time after which a node counts as lost; and one statement in so long is cheap. */
const BEAT_INTERVAL = 5_000;
const GOODBYE_PATIENCE = 2_000;
/** How often in a row nobody is seen to run synchronizations before it is told: nodes that start together need a moment. */
const TIMES_ALONE = 3;

export interface MembershipOptions {
  id: string;
  role: Role;
  version: string;
  maxRuns: number;
  dataDir: string;
  keyring: Keyring;
  /** The operator's own key, from the environment. */
  adminKey: string | undefined;
  db: Database;
  clock: Clock;
  log: Logger;
}

/** This process as one of the nodes that share a database. */
export interface Membership {
  readonly self: Presence;
  /** Resolves when this node cannot go on beside the others, with the reason. */
  readonly outdated: Promise<Error>;
  leave(): Promise<void>;
}

/** Makes this process known to the others, and tells them that it is alive. Throws when it must not work beside them. */
export async function joinNodes({ db, clock, log, keyring, adminKey, dataDir, ...about }: MembershipOptions): Promise<Membership> {
  const self: Presence = { ...about, host: hostname(), pid: process.pid, disk: await roomFor(dataDir), ...marksFor(keyring, adminKey) };
  const { startedAt, neighbours } = await db.write(joinNode, { now: clock(), node: self });
  const others = neighbours.filter((neighbour) => !haveSameAdminKey(self, neighbour));
  if (others.length > 0) {
    log.warn(
      { nodes: listOf(others) },
      'SYNCLINE_ADMIN_KEY is not the same on all nodes: some of them refuse the key that others accept. Set it to the same value on all, or on none',
    );
  }

  const outdated = Promise.withResolvers<Error>();
  let timesAlone = 0;
  const hear = ({ newest, needs, workers }: NodeReport): void => {
    if (isOutdated(needs)) outdated.resolve(new Error(outdatedText(newest)));
    if (self.role !== 'api') return;
    if (workers > 0 && timesAlone >= TIMES_ALONE) log.info('synchronizations are run again');
    timesAlone = workers > 0 ? 0 : timesAlone + 1;
    if (timesAlone === TIMES_ALONE) log.warn('no node runs synchronizations: runs stay in the queue. Start one with --role worker');
  };
  // On SQLite there is no other node to tell.
  const heart =
    db.read.engine === 'sqlite'
      ? undefined
      : startPulse({
          name: 'telling other nodes that this one is alive',
          interval: BEAT_INTERVAL,
          log,
          work: async () => {
            const told = await db.write(beatNode, { now: clock(), node: { ...self, disk: await roomFor(dataDir) }, startedAt });
            if (told) hear(told);
          },
        });
  return {
    self,
    outdated: outdated.promise,
    leave: async () => {
      const goodbye = async (): Promise<void> => {
        await heart?.stop();
        await db.write(leaveNode, self.id);
      };
      // A node that is cut off from the database need not wait for it: others notice by themselves.
      await Promise.race([
        goodbye().catch((error: unknown) => log.warn({ err: error }, 'could not say goodbye to the other nodes')),
        sleep(GOODBYE_PATIENCE, undefined, { ref: false }),
      ]);
    },
  };
}
