import { command, type Database, first } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { sql } from '../db/sql.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { startPulse } from './pulse.ts';

/** How long a node that is not heard of keeps a duty. */
const LEASE = 10_000;
/** So often within that time it tells that it is there. */
const RENEWALS = 4;

/** A duty that this node has at this moment. */
export interface HeldDuty {
  /** Goes up with every change of hands. What is written for the duty is written on condition of it. */
  readonly token: number;
  /** Fires when the duty is another node's, or may be. */
  readonly lost: AbortSignal;
  /** Until when no other node can have it, unless it is kept: in milliseconds of `performance.now()`. For threads, which may be awake when this one is not. */
  readonly until: () => number;
}

export interface DutyOptions {
  /** Names the duty, once for all nodes. */
  name: string;
  /** The id of this node. */
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  /** Does the work until `lost` fires, and resolves when nothing of it is under way any more. */
  work: (held: HeldDuty) => Promise<void>;
  /** Milliseconds after which another node may have it when this one is not heard of. */
  lease?: number;
}

export interface Duty {
  /** Ends the work, and lets another node have the duty at once. */
  readonly stop: () => Promise<void>;
}

/** Work that one node does for all of them: the one that has the lease. When it is gone, another one goes on within seconds. */
export function startDuty({ name, node, db, clock, log, work, lease = LEASE }: DutyOptions): Duty {
  let held: { token: number; ending: AbortController; done: Promise<void> } | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let until = 0;

  const end = async (): Promise<void> => {
    clearTimeout(deadline);
    held?.ending.abort();
    await held?.done;
    held = undefined;
  };
  const begin = (token: number): void => {
    const ending = new AbortController();
    const done = work({ token, lost: ending.signal, until: () => until }).catch((error: unknown) => {
      log.error({ err: error, duty: name }, 'a duty failed; it is begun again');
      ending.abort();
    });
    held = { token, ending, done };
  };
  const pulse = startPulse({
    name: `the duty "${name}"`,
    interval: lease / RENEWALS,
    log,
    work: async () => {
      if (held?.ending.signal.aborted) await end();
      // An embedded database has no other node: what is taken is kept, and an idle service writes nothing.
      if (held && !db.shared) return;
      const asked = performance.now();
      const token = await db.write(takeDuty, { now: clock(), name, node, lease, token: held?.token ?? null });
      if (held && token !== held.token) await end();
      if (token === null) return;
      until = db.shared ? asked + lease : Number.POSITIVE_INFINITY;
      if (!held) begin(token);
      if (!db.shared) return;
      // Counted from before the question: when this ends, no other node can have it yet.
      clearTimeout(deadline);
      deadline = setTimeout(() => held?.ending.abort(), Math.max(0, until - performance.now())).unref();
    },
  });
  return {
    stop: async () => {
      await pulse.stop();
      const token = held?.token;
      await end();
      if (token !== undefined && db.shared) await db.write(leaveDuty, { name, token }).catch(() => undefined);
    },
  };
}

interface Taking {
  now: number;
  name: string;
  node: string;
  lease: number;
  /** That of the duty as this node has it; null when it does not. */
  token: number | null;
}

/** Takes a duty that is free, or keeps it. Answers its token; null when another node has it. */
export const takeDuty = command(import.meta.url, 'takeDuty', async (tx, input: Taking): Promise<number | null> => {
  const { name, node, lease, token } = input;
  const now = await databaseTime(tx, input.now);
  const [at, until] = [isoTime(now), isoTime(now + lease)];
  // An embedded database has one node: a lease in it is that of a process that was killed.
  const free = tx.engine === 'sqlite' ? sql`true` : sql`duties.lease_until <= ${at}`;
  const isKept = sql`duties.node = ${node} and duties.token = ${token ?? -1}`;
  // A database that was restored must not hand out tokens that were there already: the time is higher than those.
  const row = await first<{ token: number }>(
    tx,
    sql`insert into duties (name, node, lease_until, token) values (${name}, ${node}, ${until}, ${now})
    on conflict (name) do update set node = excluded.node, lease_until = excluded.lease_until,
      token = case when ${isKept} then duties.token when duties.token < excluded.token then excluded.token else duties.token + 1 end
    where (${isKept}) or duties.node = ${node} or ${free}
    returning token`,
  );
  return row?.token ?? null;
});

/** For databases that nodes share: where there is one node, nobody waits for it. */
export const leaveDuty = command(
  import.meta.url,
  'leaveDuty',
  async (tx, { name, token }: { name: string; token: number }): Promise<void> => {
    await tx.all(sql`update duties set lease_until = '' where name = ${name} and token = ${token}`);
  },
);
