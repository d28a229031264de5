import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import { int, PLAIN_FIELDS, text } from '../../conformance/made-changes.ts';
import type { Writer, WriteRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
let token = 0n;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

function open(stream: string, options: Partial<WriteRequest> = {}): Promise<Writer> {
  const request = { fields: PLAIN_FIELDS, key: ['id'], mode: 'upsert' as const, owner: `owner of ${stream}`, create: true };
  return session.write({ stream: `public.${stream}`, token: ++token, ...request, ...options });
}

const batch = (rows: Row[], position = String(token)): Batch => Batch.ofRows(rows, { position });
const rowsOf = (table: string): Promise<Row[]> => database.rows(`select * from ${table} order by 1`);

const hasKey = async (table: string): Promise<boolean> =>
  (await database.rows(`select 1 from pg_index where indrelid = '${table}'::regclass and indisprimary`)).length === 1;

describe('a first load', () => {
  test('gets its key at the end; of the same key in several batches the last counts', async () => {
    const writer = await open('fresh');
    assert.equal(
      (
        await writer.write(
          batch([
            ['1', 'a'],
            ['2', 'long '.repeat(500)],
            ['3', 'c'],
          ]),
        )
      ).inserted,
      3,
    );
    assert.equal(
      (
        await writer.write(
          batch([
            ['2', 'b'],
            ['4', 'd'],
          ]),
        )
      ).inserted,
      2,
    );
    assert.equal((await writer.write(batch([['1', 'A']]))).inserted, 1);
    assert.equal(await hasKey('fresh'), false);
    const { inserted, updated } = await writer.finish();
    assert.deepEqual([inserted, updated], [-2, 2], 'two of the six were newer versions of others');
    await writer.close();
    assert.equal(await hasKey('fresh'), true);
    assert.deepEqual(await rowsOf('fresh'), [
      ['1', 'A'],
      ['2', 'b'],
      ['3', 'c'],
      ['4', 'd'],
    ]);
  });

  test('goes on after a crash, also when what follows is no load any more', async () => {
    await (await open('broken')).close();
    const second = await open('broken');
    await second.write(batch([['1', 'a']], 'one'));
    await second.close();
    const third = await open('broken');
    assert.equal(third.checkpoint, 'one');
    assert.equal(await hasKey('broken'), false);
    await third.write(Batch.ofRows([['1']], { position: 'two', operation: 'delete' }));
    assert.equal(await hasKey('broken'), true, 'a delete needs the key');
    await third.write(batch([['2', 'b']], 'three'));
    await third.close();
    assert.deepEqual(await rowsOf('broken'), [['2', 'b']]);
    await (await open('other', { owner: 'x' })).close();
    await (await open('other', { owner: 'x', mode: 'append' })).close();
    assert.equal(await hasKey('other'), true, 'another mode finds a table that is complete');
  });

  test('whose table was dropped meanwhile starts anew', async () => {
    const writer = await open('dropped');
    await writer.write(batch([['1', 'a']], 'one'));
    await writer.close();
    await database.run('drop table dropped');
    const again = await open('dropped');
    assert.equal(again.checkpoint, undefined);
    await again.close();
  });

  test('with a key that cannot be one says so', async () => {
    const writer = await open('odd_key', { fields: [{ name: 'id', type: 'json', nullable: false }, text('v')] });
    await writer.write(batch([['{}', 'a']]));
    const error = await failureOf(writer.finish());
    assert.deepEqual([error.kind, error.code, error.field], ['config', 'KEY_INVALID', 'key']);
    await writer.close();
  });
});

describe('an upsert', () => {
  test('into an empty table copies directly until a key is there already', async () => {
    await database.run('create table empty (id bigint primary key, v text)');
    const writer = await open('empty');
    assert.equal(
      (
        await writer.write(
          batch([
            ['1', 'a'],
            ['2', 'b'],
          ]),
        )
      ).inserted,
      2,
    );
    const result = await writer.write(
      batch([
        ['2', 'b'],
        ['1', 'A'],
        ['3', 'c'],
      ]),
    );
    assert.deepEqual([result.inserted, result.updated, result.unchanged, result.rejects], [1, 1, 1, []]);
    await writer.close();
    assert.deepEqual(await rowsOf('empty'), [
      ['1', 'A'],
      ['2', 'b'],
      ['3', 'c'],
    ]);
  });

  test('leaves unchanged rows alone, whatever their type', async () => {
    await database.run(`create type mood as enum ('sad', 'ok'); create table many (id int primary key, j json, jb jsonb, p point, a int[], i interval, m mood, x xml, n numeric);
      insert into many values (1, '{"a": 1}', '{"a": 1}', '(1,2)', '{1,2}', '1 mon', 'ok', '<a/>', 1.50)`);
    const names = ['id', 'j', 'jb', 'p', 'a', 'i', 'm', 'x', 'n'];
    const rows: Row[] = [];
    const stream = (await session.discover()).find(({ name }) => name === 'public.many');
    for await (const one of session.read({ stream: 'public.many', fields: names, key: ['id'] })) rows.push(...one.rows);
    const writer = await open('many', { fields: stream?.fields ?? [] });
    const same = await writer.write(batch(rows));
    assert.deepEqual([same.updated, same.unchanged, same.rejects], [0, 1, []]);
    const changed = await writer.write(batch(rows.map((row) => row.map((value) => (value === 'P1M' ? 'P30D' : value)))));
    assert.equal(changed.updated, 1, 'thirty days are not a month');
    await writer.close();
  });

  test('into partitioned tables, and tables that number rows themselves', async () => {
    await database.run(`create table sliced (id bigint primary key, v text) partition by range (id);
      create table sliced_1 partition of sliced for values from (0) to (10); create table sliced_2 partition of sliced for values from (10) to (20);
      insert into sliced values (1, 'a'), (2, 'b');
      create table numbered (id bigint generated always as identity primary key, n bigint generated always as identity, v text); insert into numbered (v) values ('a')`);
    const writer = await open('sliced');
    const result = await writer.write(
      batch([
        ['1', 'a'],
        ['2', 'B'],
        ['11', 'c'],
        ['99', 'nowhere'],
      ]),
    );
    assert.deepEqual([result.inserted, result.updated, result.unchanged], [1, 1, 1]);
    assert.deepEqual(
      result.rejects.map(({ index, row }) => [index, row['id']]),
      [[3, '99']],
    );
    await writer.close();
    const other = await open('numbered', { fields: [int('id'), int('n'), text('v')] });
    const numbered = await other.write(
      batch([
        ['1', '1', 'A'],
        ['7', '70', 'x'],
      ]),
    );
    assert.deepEqual([numbered.inserted, numbered.updated, numbered.rejects], [1, 1, []]);
    await other.close();
    assert.deepEqual(await rowsOf('numbered'), [
      ['1', '1', 'A'],
      ['7', '70', 'x'],
    ]);
  });

  test('with keys that are equal to the database but not as text: the last counts', async () => {
    await database.run('create table rounded (id numeric(10,1) primary key, v text); insert into rounded values (1, $$x$$)');
    const writer = await open('rounded', { fields: [{ name: 'id', type: 'decimal', nullable: false }, text('v')] });
    const result = await writer.write(
      batch([
        ['1.00', 'a'],
        ['1.01', 'b'],
        ['1.04', 'c'],
      ]),
    );
    assert.deepEqual(result.rejects, []);
    await writer.close();
    assert.deepEqual(await rowsOf('rounded'), [['1.0', 'c']]);
  });

  test('needs a unique index, makes it when it may, and says when it cannot be', async () => {
    await database.run(
      'create table keyless (id bigint, v text); create table doubled (id bigint, v text); insert into doubled values (1, null), (1, null)',
    );
    assert.equal((await failureOf(open('keyless', { create: false }))).code, 'KEY_NOT_UNIQUE');
    await (await open('keyless')).close();
    assert.equal((await failureOf(open('doubled'))).code, 'KEY_NOT_UNIQUE');
  });
});

describe('bad rows', () => {
  test('are told with the field, its value and the reason', async () => {
    await database.run(`create table parent (id bigint primary key); insert into parent values (1);
      create table strict (id bigint primary key, v varchar(5) not null, n int check (n > 0), parent bigint references parent deferrable initially deferred,
        a text, b text, unique (a, b), constraint ordered check (a < b));
      create unique index on strict (lower(a)); insert into strict values (0, 'old', 1, 1, 'a', 'b');
      create function refuse() returns trigger as 'begin if new.id = 12 then raise ''not on Sundays''; end if; return new; end' language plpgsql;
      create trigger refusing before insert on strict for each row execute function refuse()`);
    const fields = [int('id'), text('v'), int('n'), int('parent'), text('a'), text('b')];
    const writer = await open('strict', { fields });
    const rows: Row[] = [
      ['1', 'fine', '1', '1'],
      ['2', 'too-long', '1', '1'],
      ['3', null, '1', '1'],
      ['4', 'fine', 'word', '1'],
      ['5', 'fine', '-1', '1'],
      ['6', 'fine', '1', '99'],
      ['7', 'nul\0', '1', '1'],
      [null, 'fine', '1', '1'],
      ['8', 'half\ud800', '1', '1'],
      ['9', 'fine', '99999999999', '1'],
      ['10', 'fine', '2', '1'],
      ['11', `long ${'x'.repeat(200)}`, '2', '1'],
      ['12', 'fine', '2', '1'],
      ['13', 'fine', '2', '1', 'a', 'b'],
      ['14', 'fine', '2', '1', 'd', 'c'],
      ['15', 'fine', '2', '1', 'A', 'b'],
    ];
    const { inserted, rejects } = await writer.write(batch(rows.map((row) => [...row, null, null].slice(0, 6))));
    assert.equal(inserted, 2);
    assert.deepEqual(
      rejects.map(({ index, field, reason }) => [index, field, reason.replace(/, says PostgreSQL \(\w{5}\)\.$/, '')]),
      [
        [1, 'v', 'The value "too-long" of "v" is too long for its column'],
        [2, 'v', 'The value of "v" may not be empty'],
        [3, 'n', 'The value "word" of "n" is not a value of the type of its column'],
        [4, 'n', 'The value "-1" of "n" breaks a rule of the table (constraint "strict_n_check")'],
        [5, 'parent', 'The value "99" of "parent" refers to a row that is not there in "parent" (constraint "strict_parent_fkey")'],
        [6, 'v', 'The value "nul\\u0000" of "v" contains a character that the database cannot hold'],
        [7, 'id', '"id" is part of the key and may not be empty.'],
        [8, 'v', 'A text contains half of a surrogate pair (field "v").'],
        [9, 'n', 'The value "99999999999" of "n" is out of the range of its column'],
        [11, 'v', `The value "long ${'x'.repeat(95)}…" of "v" is too long for its column`],
        [12, undefined, 'The row was refused with the words "not on Sundays"'],
        [13, undefined, 'The row with "a" = "a", "b" = "b" is there already (constraint "strict_a_b_key")'],
        [14, undefined, 'The row with "a" = "d", "b" = "c" breaks a rule of the table (constraint "ordered")'],
        [15, undefined, 'The row with lower(a) = "a" is there already (constraint "strict_lower_idx")'],
      ],
    );
    await writer.close();
    assert.deepEqual(await database.rows('select id from strict order by 1'), [['0'], ['1'], ['10']]);
  });

  test('of a mirror, which the table refuses at the end, do not stop the others', async () => {
    await database.run(
      `create table picky (id bigint primary key, v text check (v <> 'bad')); insert into picky values (1, 'a'), (2, 'b'), (9, 'gone')`,
    );
    const writer = await open('picky', { mode: 'mirror' });
    await writer.write(
      batch([
        ['1', 'bad'],
        ['2', 'B'],
        ['3', 'c'],
        ['4', 'bad'],
      ]),
    );
    const { rejects, ...changes } = await writer.finish();
    assert.deepEqual(changes, { inserted: 1, updated: 1, unchanged: 0, deleted: 1 });
    assert.deepEqual(rejects.map(({ row, field }) => `${String(row['id'])} ${field}`).sort(), ['1 v', '4 v']);
    assert.match(rejects[0]?.reason ?? '', /^The value "bad" of "v" breaks a rule of the table \(constraint "picky_v_check"\), says/);
    await writer.close();
    assert.deepEqual(await rowsOf('picky'), [
      ['1', 'a'],
      ['2', 'B'],
      ['3', 'c'],
    ]);
  });
});
