import { createHash } from 'node:crypto';
import { type Db, type JobInsert, PgBoss } from 'pg-boss';
import type { Connection, JobStore, SharedDatabase } from '../db/database.ts';
import type { Job, Queue } from '../db/job.ts';
import { finished } from '../db/sql.ts';
import type { Logger } from '../lib/log.ts';
import type { Dispatcher, Worker } from './dispatcher.ts';
import { createSharedHints } from './shared-hints.ts';
import { workerOver } from './worker.ts';

const SCHEMA = 'syncline_jobs';
const QUEUES: readonly Queue[] = ['runs', 'parts'];
/** Jobs are gone when they are taken, so little has to be looked after: an idle node shall ask the database as little as it can. */
const RARELY = 10 * 60;
const HOUR = 3600;
const NO_JOB = '00000000-0000-0000-0000-000000000000';
/** A job that nobody took for so long is of no use: its row has been found by others, or is over. */
const RETENTION = 30 * 24 * HOUR;

/** For nodes that share a PostgreSQL: pg-boss keeps the jobs and tells all nodes when there is one. */
export async function createPgBossDispatcher(shared: SharedDatabase, log: Logger): Promise<Dispatcher> {
  const workers = new Map<string, Worker>();
  const hints = createSharedHints(shared, log);
  const wakeAll = (): void => {
    for (const worker of workers.values()) worker.wake();
  };
  const boss = new PgBoss({
    schema: SCHEMA,
    db: {
      executeSql: (text, values) => shared.execute(text, values),
      // pg-boss tells on a channel of its own in which queue there is something.
      listen: async (channel, onNotification, onReconnect) => {
        const hear = (queue: string): void => {
          onNotification(queue);
          workers.get(queue)?.wake();
        };
        shared.listen(channel, hear, () => {
          onReconnect();
          wakeAll();
        });
        return { close: async () => {} };
      },
    },
    useListenNotify: true,
    // Schedules are ours: a slot is a row, so that each is done once.
    schedule: false,
    superviseIntervalSeconds: RARELY,
    monitorIntervalSeconds: RARELY,
    queueCacheIntervalSeconds: RARELY,
    bamIntervalSeconds: RARELY,
    flowIntervalSeconds: HOUR,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the queue of jobs has a problem; it is tried again'));
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  await boss.start();
  for (const queue of QUEUES) {
    await boss.createQueue(queue, { notify: true, retentionSeconds: RETENTION });
    // pg-boss looks a queue up when it first needs it, on a connection of its own. Within transactions that hold all connections,
    // nobody would ever get one: so it knows them before the first.
    await boss.deleteJob(queue, NO_JOB);
  }
  shared.keepJobsIn(storeIn(boss));
  return {
    work: (queue, work) => {
      const worker = workerOver(work, log);
      workers.set(queue, worker);
      return worker;
    },
    hints,
    close: async () => {
      hints.close();
      await boss.stop({ graceful: false, close: false });
    },
  };
}

function storeIn(boss: PgBoss): JobStore {
  return {
    enqueue: async (tx, queue, jobs) => {
      await boss.insert(queue, jobs.map(asInsert), { db: within(tx) });
    },
    take: async (tx, queue, most) => {
      const db = within(tx);
      const jobs = await boss.fetch<{ key: string }>(queue, { batchSize: most, db });
      // The node that takes a job claims what it names in the same transaction, so the job need not be kept.
      if (jobs.length > 0) {
        const ids = jobs.map(({ id }) => id);
        await boss.deleteJob(queue, ids, { db });
      }
      return jobs.map(({ data }) => data.key);
    },
    cancel: async (tx, queue, keys) => {
      await boss.deleteJob(queue, keys.map(idOf), { db: within(tx) });
    },
  };
}

function within(tx: Connection): Db {
  return { executeSql: async (text, values) => ({ rows: await tx.all(finished(text, values)) }) };
}

function asInsert({ key, notBefore }: Job): JobInsert<{ key: string }> {
  return { id: idOf(key), data: { key }, ...(notBefore !== undefined && { startAfter: notBefore }) };
}

/** The same key is always the same job, so that it is found again and is never there twice. */
function idOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
