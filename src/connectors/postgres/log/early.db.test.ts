import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { type LogDatabase, logRequest, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { ChangeLog } from '../../changes.ts';

// Large transactions that are told before their end, while the follower is far behind.

const ROWS = 90_000;
let database: LogDatabase;

before(async () => {
  database = await startLogDatabase('-c max_prepared_transactions=5');
});
after(() => database.close());

/** What was told, transaction by transaction; `early` counts the sets that came without their end. */
interface Told {
  readonly transactions: string[][];
  readonly takenBack: number;
  readonly early: number;
}

/** Follows to the end as a target does: what has no position yet is forgotten when it is taken back. */
async function followed(log: ChangeLog, name: string, start: string): Promise<Told> {
  const end = await log.end();
  const transactions: string[][] = [];
  let [position, takenBack, early] = [start, 0, 0];
  for (;;) {
    let open: string[] = [];
    try {
      for await (const set of log.follow(logRequest(name, { stream: `public.${name}` }), position)) {
        for (const change of set.changes) if ('row' in change) open.push(`${change.row[0]} ${change.row[1]}`);
        if (set.position === undefined) early++;
        else {
          if (open.length > 0) transactions.push(open);
          open = [];
          ({ position } = set as { position: string });
          if (!log.isBefore(position, end)) return { transactions, takenBack, early };
        }
      }
    } catch (error) {
      assert.ok(error instanceof OutsideError && error.code === 'TAKEN_BACK' && error.kind === 'transient', String(error));
      takenBack++;
    }
  }
}

/** A table whose log is held, and a session of its own to follow it by. */
async function held(name: string): Promise<{ log: ChangeLog; start: string }> {
  await database.run(`create table ${name} (id int primary key, v text)`);
  const log = await database.log();
  return { log, start: await log.hold(logRequest(name, { stream: `public.${name}` })) };
}

const many = (name: string, from: number, rows = ROWS): string =>
  `insert into ${name} select n, repeat('x', 300) || n from generate_series(${from}, ${from + rows - 1}) n`;
const idsOf = (rows: readonly string[]): number[] => rows.map((row) => Number(row.split(' ')[0]));
const range = (from: number, rows = ROWS): number[] => Array.from({ length: rows }, (_, n) => from + n);

async function within(client: pg.Client, ...statements: string[]): Promise<void> {
  for (const statement of statements) await client.query(statement);
}

test('one that is committed comes in pieces, and small ones before and behind it in their places', async () => {
  const { log, start } = await held('alone');
  await database.run(`insert into alone values (-1, 'before')`);
  await database.run(many('alone', 0));
  await database.run(`insert into alone values (-2, 'behind')`);
  const { transactions, takenBack, early } = await followed(log, 'alone', start);
  assert.equal(takenBack, 0);
  assert.ok(early > 1, `${early} pieces`);
  assert.deepEqual(idsOf(transactions.flat()), [-1, ...range(0), -2]);
  assert.ok(idsOf(transactions.find((rows) => rows.length > 1000) as string[]).includes(0));
  assert.match(transactions.flat()[1] as string, /^0 x{300}0$/);
  await log.release('alone');
});

test('what was committed while a large one was under way comes first', async () => {
  const { log, start } = await held('amid');
  const client = await database.client();
  await within(client, 'begin', many('amid', 0));
  await database.run(`insert into amid values (-1, 'quick')`);
  await within(client, many('amid', ROWS, 10), 'commit');
  const { transactions, takenBack } = await followed(log, 'amid', start);
  assert.equal(takenBack, 1);
  assert.deepEqual(idsOf(transactions.flat()), [-1, ...range(0, ROWS + 10)]);
  await log.release('amid');
});

test('what a transaction has taken back itself is not told', async () => {
  const { log, start } = await held('partly');
  const client = await database.client();
  await within(client, 'begin', many('partly', 0), 'savepoint one', many('partly', ROWS), 'rollback to savepoint one');
  await within(client, many('partly', ROWS * 2, 10), 'commit');
  const { transactions, takenBack } = await followed(log, 'partly', start);
  assert.equal(takenBack, 1);
  assert.deepEqual(idsOf(transactions.flat()), [...range(0), ...range(ROWS * 2, 10)]);
  await log.release('partly');
});

test('one that is not committed is not told, however it ends', async () => {
  const { log, start } = await held('open');
  const [rolled, prepared] = [await database.client(), await database.client()];
  await within(rolled, 'begin', many('open', 0), 'rollback');
  await within(prepared, 'begin', many('open', ROWS), `prepare transaction 'open'`);
  await database.run(`insert into open values (-1, 'small')`);
  const first = await followed(log, 'open', start);
  assert.deepEqual([first.transactions, first.early], [[['-1 small']], 0]);
  await prepared.query(`commit prepared 'open'`);
  const again = await database.log();
  assert.deepEqual(idsOf((await followed(again, 'open', start)).transactions.flat()), [-1, ...range(ROWS)]);
  await log.release('open');
});

test('one of other tables is none of ours', async () => {
  const { log, start } = await held('ours');
  await database.run('create table others (id int primary key, v text)');
  const client = await database.client();
  await within(client, 'begin', many('others', 0));
  await database.run(`insert into ours values (1, 'within')`);
  await within(client, many('others', ROWS), `insert into ours values (2, 'at last')`, 'commit');
  const { transactions } = await followed(log, 'ours', start);
  assert.deepEqual(transactions, [['1 within'], ['2 at last']]);
  await log.release('ours');
});

test('a table that is changed within one', async () => {
  const { log, start } = await held('altered');
  const client = await database.client();
  await within(client, 'begin', many('altered', 0), 'alter table altered add column w text');
  await within(client, `update altered set v = 'z', w = 'new' where id < 10`, 'commit');
  const { transactions } = await followed(log, 'altered', start);
  assert.equal(transactions.length, 1);
  assert.deepEqual(
    transactions[0]?.slice(ROWS),
    range(0, 10).map((id) => `${id} z`),
  );
  await log.release('altered');
});
