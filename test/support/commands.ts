// Commands for the tests. They have a file of their own because on SQLite the writer's thread imports it.
import { oweRelease } from '../../src/datasync/releases/rows.ts';
import { claimLiveRuns } from '../../src/datasync/runs/queue/claim-live.ts';
import type { Claimed, RunClaimant } from '../../src/datasync/runs/queue/claim.ts';
import { addState, raiseWanted } from '../../src/datasync/runs/rows/sync-state.ts';
import { count } from '../../src/db/counters.ts';
import { command } from '../../src/db/database.ts';
import { databaseTimeText } from '../../src/db/database-time.ts';
import { byEngine, raw, sql } from '../../src/db/sql.ts';
import { appendEvents, type EventTopic } from '../../src/events/append.ts';
import type { EventType } from '../../src/events/event-types.ts';
import { AppError } from '../../src/lib/errors.ts';
import { countInBlocks, countInBlocksAtOnce } from '../../src/shop/orders/counts.ts';

type Failure =
  | 'error'
  | 'app-error'
  | 'statement'
  | 'statement-swallowed'
  | 'statement-beside'
  | 'goes-on-after'
  | 'last-statement'
  | 'goes-on-after-last';

const add = (name: string) => sql`insert into counters (name, n) values (${name}, 1)`;
// A key that is there already. On SQLite in the way of a full disk: the whole transaction is gone at once.
const fail = sql`insert ${byEngine((engine) => raw(engine === 'sqlite' ? 'or rollback' : ''))} into counters (name, n) values ('events', 1)`;

/** The same promise, heard of a few turns later than others that settle with it. */
export async function later<Value>(promise: Promise<Value>): Promise<Value> {
  return promise.finally(() => {}).finally(() => {});
}

/** Writes a counter, and then fails in one of the ways there are. */
export const addAndFail = command(import.meta.url, 'addAndFail', async (tx, { name, how }: { name: string; how: Failure }) => {
  await tx.all(add(`${name} before`));
  switch (how) {
    case 'error':
      throw new Error('a fault of our own');
    case 'app-error':
      throw new AppError(
        'CONFLICT',
        'No.',
        { field: 'name', reason: 'is taken', errors: [{ field: 'name', reason: 'is taken' }] },
        { allow: 'x' },
      );
    case 'statement':
      await tx.all(fail);
      break;
    case 'statement-swallowed':
      await tx.all(fail).catch(() => {});
      break;
    case 'statement-beside':
      await Promise.all([later(tx.all(fail)), tx.all(add(`${name} beside`))]);
      break;
    case 'last-statement': {
      const both = Promise.all([tx.all(fail), tx.all(add(`${name} beside`))]);
      tx.last?.();
      await both;
      break;
    }
    case 'goes-on-after-last': {
      const last = tx.all(add(`${name} last`));
      if (!tx.last) throw new Error('A statement came after its transaction.');
      tx.last();
      await last;
      await tx.all(add(`${name} after`));
      break;
    }
    case 'goes-on-after':
      void tx
        .all(sql`select 1`)
        .then(
          () => tx.all(add(`${name} after`)),
          () => {},
        )
        .catch(() => {});
      throw new Error('a fault of our own');
  }
});

/** How the writing connection is set. */
export const readSettings = command(import.meta.url, 'readSettings', async (tx, names: string[]): Promise<string[]> => {
  const values: string[] = [];
  for (const name of names) {
    const rows = await tx.all<object>(raw(tx.engine === 'sqlite' ? `pragma ${name}` : `show ${name}`));
    values.push(String(Object.values(rows[0] ?? {})[0]));
  }
  return values;
});

export const runStatement = command(import.meta.url, 'runStatement', async (tx, text: string) => tx.all<object>(raw(text)));

/** Appends events that tell who wrote them and which they are; fails afterwards when asked to. */
export const append = command(
  import.meta.url,
  'append',
  async (tx, { topic, writer, numbers, fails }: { topic: EventTopic; writer: string; numbers: number[]; fails?: boolean }) => {
    const events = numbers.map((number) => ({
      // None that there is: what is asked for here is how events are appended, not which.
      type: 'test' as EventType,
      objectId: writer,
      at: '2026-11-01T00:00:00.000Z',
      data: JSON.stringify({ number }),
    }));
    await appendEvents(tx, topic, events, {});
    if (fails) throw new Error('after the events');
  },
);

/** Writes orders and changes of status and counts them in blocks of this size, in the way orders and transitions do. */
export const countChanges = command(
  import.meta.url,
  'countChanges',
  async (
    tx,
    input: { orders: { id: string; status: string }[]; moves: { id: string; from: string; to: string }[]; size: number; atOnce?: boolean },
  ) => {
    for (const { id, status } of input.orders) {
      await tx.all(sql`
        insert into orders (id, status, total, created_at, updated_at, version, customer_id, currency, items, metadata)
        values (${id}, ${status}, 1, 'then', 'then', 1, 'c', 'EUR', '[]', '{}')`);
    }
    for (const { id, to } of input.moves) await tx.all(sql`update orders set status = ${to} where id = ${id}`);
    const added = input.orders.map(({ id, status }) => ({ id, status, by: 1 }));
    const moved = input.moves.flatMap(({ id, from, to }) => [
      { id, status: from, by: -1 },
      { id, status: to, by: 1 },
    ]);
    await (input.atOnce ? countInBlocksAtOnce : countInBlocks)(tx, [...added, ...moved], input.size);
  },
);

/** A synchronization, written behind the back of the API. */
export const insertSync = command(import.meta.url, 'insertSync', async (tx, input: { source: string; target: string }): Promise<void> => {
  const at = '2026-11-01T00:00:00.000Z';
  await tx.all(sql`insert into syncs (id, name, source_id, target_id, definition, version, created_at, updated_at)
    values ('syn_1', 'nightly', ${input.source}, ${input.target}, '{}', 1, ${at}, ${at})`);
  await addState(tx, { syncId: 'syn_1', at, nextRunAt: null });
});

/** What a synchronization leaves behind, every column filled: a stream, a run that has ended and a row that was rejected. */
export const insertTraces = command(import.meta.url, 'insertTraces', async (tx, { sync }: { sync: string }): Promise<void> => {
  const at = '2026-11-01T00:00:00.000Z';
  const odd = JSON.stringify({ a: '" NULL {b,c} \\ 🦊' });
  await tx.all(sql`insert into sync_streams (sync_id, target, generation, fields, position, rows)
    values (${sync}, 'odd "name"', 3, ${`[${odd}]`}, ${odd}, 5)`);
  await tx.all(sql`insert into sync_totals (sync_id, name, n) values (${sync}, 'runs_succeeded', 7)`);
  await tx.all(sql`insert into runs (id, sync_id, status, "trigger", mode, attempt, retries, crashes, headway, streams, slot, created_at, not_before, started_at,
      finished_at, duration_ms, node, lease_until, token, approved, cancelled, report, rows_read, inserted, updated, deleted, unchanged, rejected,
      bytes, error)
    values ('run_1', ${sync}, 'partial', 'schedule', 'run', 2, 1, 3, 10, '["odd"]', ${at}, ${at}, ${at}, ${at}, ${at}, 12, 'node', ${at}, 7, 1, 0,
      ${`[${odd}]`}, 10, 1, 2, 3, 4, 5, ${Number.MAX_SAFE_INTEGER}, ${odd})`);
  await tx.all(sql`insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "key", "row", field, reason, unreadable,
      created_at, updated_at, resolved_at)
    values ('rej_1', ${sync}, 'odd', 'odd "name"', 'x', 'run_1', 'run_1', '["1"]', ${odd}, 'a', 'is "NULL"', 1, ${at}, ${at}, ${at})`);
  await count(tx, { 'runs:*': 1, 'runs:partial': 1 });
});

/** Something that does not wait for it wants runs of these. */
export const wantRuns = command(import.meta.url, 'wantRuns', async (tx, syncIds: string[]): Promise<void> => {
  await raiseWanted(
    tx,
    syncIds.map((syncId) => ({ syncId, by: null })),
  );
});

/** What a source with these secrets is to forget. */
export const oweReleaseOf = command(
  import.meta.url,
  'oweReleaseOf',
  (tx, { id, secrets, now }: { id: string; secrets: string | null; now: number }) =>
    oweRelease(tx, { sync: { id: `syn of ${id}`, name: id }, source: { id, name: id, type: 'fake', config: '{}', secrets }, now }),
);

/** Takes live runs so many milliseconds after they have become due, however long the machine takes for it. */
export const claimLiveAfter = command(
  import.meta.url,
  'claimLiveAfter',
  async (tx, { ago, ...claimant }: RunClaimant & { ago: number }): Promise<Claimed[]> => {
    await tx.all(sql`update runs set not_before = ${databaseTimeText(claimant.now, ago)} where live = 1 and status = 'queued'`);
    return claimLiveRuns.run(tx, claimant);
  },
);

/** How many keys there are. */
export const countKeys = command(import.meta.url, 'countKeys', async (tx) => (await tx.all(sql`select id from keys`)).length);
