import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { until } from '../../../../test/support/until.ts';
import type { Row } from '../../canonical.ts';
import type { Applier, LoggedRow, TargetChange } from '../../changes.ts';
import type { Field } from '../../contract.ts';
import { encodeRows } from '../../lines.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];

function open(name: string): Promise<Applier> {
  const streams = [{ stream: `public.${name}`, fields: FIELDS, key: ['id'], create: true }];
  return (session.apply as NonNullable<Session['apply']>)({ streams, owner: name, token: 1n });
}

const insert = (row: LoggedRow): TargetChange => ({ op: 'insert', stream: 0, row });
const update = (row: LoggedRow): TargetChange => ({ op: 'update', stream: 0, row });
const remove = (id: string): TargetChange => ({ op: 'delete', stream: 0, key: [id] });
const rowsOf = (table: string): Promise<Row[]> => database.rows(`select * from ${table} order by 1`);
const counts = (inserted: number, updated: number, deleted: number, unchanged = 0) => ({ inserted, updated, unchanged, deleted });

/** Counts in a table of its own what triggers have seen. */
async function witness(table: string): Promise<() => Promise<Row[]>> {
  await database.run(`create table seen_${table} (n serial, op text, id int8);
    create function see_${table}() returns trigger language plpgsql as $$ begin
      insert into seen_${table} (op, id) values (lower(tg_op), coalesce(new.id, old.id)); return null; end $$;
    create trigger see after insert or update or delete on ${table} for each row execute function see_${table}()`);
  return () => database.rows(`select op, id from seen_${table} order by n`);
}

// Most changes are made by statements that tell little of what they did. Here is what happens when that is not enough.

describe('changes', () => {
  test('of a transaction in pieces are each made once, also where rows are not there, or are refused', async () => {
    await database.run(
      `create table pieces (id int8 primary key, v text check (v <> 'bad')); insert into pieces values (1, 'a'), (2, 'a'), (3, 'a')`,
    );
    const seen = await witness('pieces');
    const applier = await open('pieces');
    const give = async (...changes: TargetChange[]) => (await applier.apply({ changes })).counts[0];
    assert.deepEqual(await give(update(['1', 'b']), update(['7', 'b'])), counts(1, 1, 0), 'the first piece');
    assert.deepEqual(await give(update(['2', 'b'])), counts(0, 1, 0));
    assert.deepEqual(await give(update(['3', 'b']), update(['8', 'b']), insert(['1', 'c'])), counts(1, 2, 0));
    assert.deepEqual(await give(update(['2', 'bad']), insert(['4', 'a']), remove('9'), remove('3')), counts(1, 0, 1, 1));
    assert.deepEqual(
      await rowsOf('pieces'),
      [
        ['1', 'a'],
        ['2', 'a'],
        ['3', 'a'],
      ],
      'nothing is seen before its end',
    );
    await applier.apply({ changes: [], position: 'p' });
    assert.deepEqual(await rowsOf('pieces'), [
      ['1', 'c'],
      ['2', 'b'],
      ['4', 'a'],
      ['7', 'b'],
      ['8', 'b'],
    ]);
    const all = (await seen()).map(([op, id]) => `${op} ${id}`).sort();
    assert.deepEqual(all, ['delete 3', 'insert 4', 'insert 7', 'insert 8', 'update 1', 'update 1', 'update 2', 'update 3']);
    await applier.close();
  });

  test('that a trigger leaves out are not made, and the others once', async () => {
    await database.run(`create table picky (id int8 primary key, v text); insert into picky values (1, 'a'), (2, 'a');
      create function pick() returns trigger language plpgsql as $$ begin return case when new.v = 'no' then null else new end; end $$;
      create trigger pick before insert or update on picky for each row execute function pick()`);
    const seen = await witness('picky');
    const applier = await open('picky');
    const changes = [update(['1', 'no']), update(['2', 'b']), insert(['3', 'no']), insert(['4', 'b'])];
    assert.deepEqual((await applier.apply({ changes, position: 'p' })).counts, [counts(1, 1, 0, 2)]);
    assert.deepEqual(await rowsOf('picky'), [
      ['1', 'a'],
      ['2', 'b'],
      ['4', 'b'],
    ]);
    assert.deepEqual(await seen(), [
      ['update', '2'],
      ['insert', '4'],
    ]);
    await applier.close();
  });

  test('with a text that has no UTF-8 are refused, also behind much that was sent already', async () => {
    const applier = await open('halves');
    const changes = Array.from({ length: 3000 }, (_, n) => insert([String(n + 1), n === 2500 ? '\ud800' : 'x'.repeat(100)]));
    const { counts: made, rejects } = await applier.apply({ changes, position: 'p' });
    assert.deepEqual(made, [counts(2999, 0, 0)]);
    assert.deepEqual(
      rejects.map(({ index }) => index),
      [2500],
    );
    assert.deepEqual(await database.rows('select count(*) from halves'), [['2999']]);
    await applier.close();
  });
});

describe('lines', () => {
  const lines = (kind: 'insert' | 'update', ...rows: string[][]) => ({ stream: 0, kind, lines: encodeRows(rows), count: rows.length });
  const giving = (applier: Applier) => applier.applyLines as NonNullable<Applier['applyLines']>;

  test('are made within the transaction, among other changes, and seen at its end', async () => {
    await database.run(`create table lined (id int8 primary key, v text); insert into lined values (1, 'a'), (2, 'a')`);
    const seen = await witness('lined');
    const applier = await open('lined');
    const give = giving(applier);
    assert.deepEqual(await give(lines('insert', ['3', 'tab\t\\N\n'], ['4', 'b'])), counts(2, 0, 0), 'they begin it');
    assert.deepEqual((await applier.apply({ changes: [remove('4'), update(['1', 'b'])] })).counts, [counts(0, 1, 1)]);
    assert.deepEqual(await give(lines('update', ['1', 'c'], ['3', 'c'])), counts(0, 2, 0));
    assert.deepEqual(await give(lines('update', ['1', 'd'], ['2', 'd'])), counts(0, 2, 0));
    assert.equal((await rowsOf('lined')).length, 2, 'nothing is seen before its end');
    await applier.apply({ changes: [], position: 'p' });
    assert.deepEqual(await rowsOf('lined'), [
      ['1', 'd'],
      ['2', 'd'],
      ['3', 'c'],
    ]);
    assert.equal((await seen()).length, 8);
    await applier.close();
  });

  test('of which one is refused, or is not there, leave nothing, and what was made before stays', async () => {
    await database.run(
      `create table strained (id int8 primary key, v text check (v <> 'bad')); insert into strained values (1, 'a'), (2, 'a')`,
    );
    const applier = await open('strained');
    const give = giving(applier);
    assert.equal(await give(lines('insert', ['5', 'a'], ['6', 'bad'])), undefined, 'the first of a transaction');
    assert.deepEqual(await give(lines('insert', ['3', 'a'])), counts(1, 0, 0));
    assert.equal(await give(lines('update', ['1', 'b'], ['2', 'bad'])), undefined);
    assert.equal(await give(lines('update', ['1', 'b'], ['2', 'half a line\\'].slice(0, 1))), undefined);
    assert.equal(await give(lines('update', ['1', 'b'], ['9', 'b'])), undefined, 'a row is not there');
    const { counts: made } = await applier.apply({ changes: [update(['1', 'b']), update(['9', 'b'])], position: 'p' });
    assert.deepEqual(made, [counts(1, 1, 0)]);
    assert.deepEqual(await rowsOf('strained'), [
      ['1', 'b'],
      ['2', 'a'],
      ['3', 'a'],
      ['9', 'b'],
    ]);
    await applier.close();
  });

  test('may be long in coming: the server is told that someone is still there', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const applier = await open('patient');
    const told = (): Promise<Row[]> => database.rows(`select state from pg_stat_activity where query = 'select 1 as still_there'`);
    context.mock.timers.tick(30_000);
    assert.deepEqual(await told(), [], 'without a transaction nobody has to');
    await giving(applier)(lines('insert', ['1', 'a']));
    context.mock.timers.tick(30_000);
    await until('the word', async () => (await told())[0]?.[0] === 'idle in transaction');
    await applier.apply({ changes: [], position: 'p' });
    assert.deepEqual(await rowsOf('patient'), [['1', 'a']]);
    await applier.close();
  });

  test('of a worker whose work was taken over come to nothing', async () => {
    const applier = await open('passed');
    await giving(applier)(lines('insert', ['1', 'a']));
    const streams = [{ stream: 'public.passed', fields: FIELDS, key: ['id'], create: true }];
    const other = await (session.apply as NonNullable<Session['apply']>)({ streams, owner: 'passed', token: 2n });
    await assert.rejects(applier.apply({ changes: [], position: 'p' }));
    assert.deepEqual(await rowsOf('passed'), []);
    for (const one of [applier, other]) await one.close();
  });
});
