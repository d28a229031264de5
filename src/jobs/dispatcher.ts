import type { Connection } from '../db/database.ts';
import type { Job, Queue } from '../db/job.ts';
import type { Hints } from './hints.ts';

/** Where and when work runs: in this process with the embedded database, on all nodes with PostgreSQL, by way of pg-boss. */
export interface Dispatcher {
  /** Takes jobs of a queue while there is room: when one comes, when told to, and from time to time. */
  work(queue: Queue, work: QueueWork): Worker;
  /** Word from other rooms and other nodes, for those that would otherwise have to ask. */
  readonly hints: Hints;
  close(): Promise<void>;
}

export interface QueueWork {
  /** In words, for the log. */
  readonly name: string;
  /** How many more this node can take at the moment. */
  readonly room: () => number;
  /** Claims up to so many, in a transaction that takes their jobs, and begins them; it does not wait for their end. */
  readonly take: (most: number) => Promise<void>;
  /** Milliseconds after which it is tried even though nobody has told of a job: hints may be lost. */
  readonly interval: number;
}

/** A worker on a queue. */
export interface Worker {
  /** There may be something to do, or room for it. */
  readonly wake: () => void;
  /** Takes nothing more; resolves when nothing is being taken any more. */
  readonly stop: () => Promise<void>;
}

/** Puts jobs in a queue, in the caller's transaction. The queue's workers hear of it after the commit. */
export async function enqueueJobs(tx: Connection, queue: Queue, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 0) await tx.jobs?.enqueue(tx, queue, jobs);
}

/** Takes jobs in the transaction that claims what they name. Null: there are none in this database, so look at the rows. */
export async function takeJobs(tx: Connection, queue: Queue, most: number): Promise<string[] | null> {
  return tx.jobs ? tx.jobs.take(tx, queue, most) : null;
}

/** Takes jobs back that nobody has to do any more. */
export async function cancelJobs(tx: Connection, queue: Queue, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await tx.jobs?.cancel(tx, queue, keys);
}
