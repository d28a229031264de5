import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import type { Row } from '../../canonical.ts';
import type { Applier, ApplyRequest, TargetChange } from '../../changes.ts';
import { counts, insert, int, maybe, PLAIN_FIELDS, remove, text, update } from '../../conformance/made-changes.ts';
import type { Field } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
let token = 0n;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

type StreamRequest = ApplyRequest['streams'][number];

const stream = (name: string, more: Partial<StreamRequest> = {}): StreamRequest => ({
  stream: `public.${name}`,
  fields: PLAIN_FIELDS,
  key: ['id'],
  create: true,
  ...more,
});

function open(names: readonly (string | StreamRequest)[], more: Partial<ApplyRequest> = {}): Promise<Applier> {
  const streams = names.map((one) => (typeof one === 'string' ? stream(one) : one));
  const request = { streams, owner: `live ${streams[0]?.stream}`, token: ++token, ...more };
  return (session.apply as NonNullable<Session['apply']>)(request);
}

const rowsOf = (table: string): Promise<Row[]> => database.rows(`select * from ${table} order by 1`);

/** Counts in a table of its own what triggers have seen. */
async function witness(table: string): Promise<() => Promise<Row[]>> {
  await database.run(`create table seen_${table} (n serial, op text, id int8);
    create function see_${table}() returns trigger language plpgsql as $$ begin
      insert into seen_${table} (op, id) values (lower(tg_op), coalesce(new.id, old.id)); return null; end $$;
    create trigger see after insert or update or delete on ${table} for each row execute function see_${table}()`);
  return () => database.rows(`select op, id from seen_${table} order by n`);
}

// What holds for all databases is in as-others.db.test.ts; here is what PostgreSQL alone has.

describe('changes', () => {
  test('of a key that changes ten thousand times are all made', async () => {
    const applier = await open(['hot']);
    const seen = await witness('hot');
    const changes = [insert(['1', '0']), insert(['2', '0'])];
    for (let i = 1; i <= 10_000; i++) changes.push(update(['1', String(i)]));
    const { counts: changed } = await applier.apply({ changes, position: 'p' });
    assert.deepEqual(changed, [counts(2, 10_000, 0)]);
    assert.deepEqual(await rowsOf('hot'), [
      ['1', '10000'],
      ['2', '0'],
    ]);
    assert.equal((await seen()).length, 10_002);
    await applier.close();
  });

  test('are made one by one in the order of the log where statements for many cannot', async () => {
    await database.run(`create table parents (id int8 primary key, v text unique);
      create table children (id int8 primary key, v text, parent int8 references parents)`);
    const children = stream('children', { fields: [...PLAIN_FIELDS, int('parent')] });
    const applier = await open([stream('parents'), children]);
    const { rejects, counts: changed } = await applier.apply({
      changes: [
        insert(['1', 'a']),
        insert(['1', 'x', '1'], 1),
        insert(['2', 'b']),
        remove('1', 1),
        remove('1'),
        // Each takes the value that the one before has just left.
        update(['2', 'c']),
        insert(['3', 'b']),
        update(['3', 'd']),
        update(['2', 'b']),
        insert(['2', 'y', '3'], 1),
      ],
      position: 'p',
    });
    assert.deepEqual(rejects, []);
    assert.deepEqual(changed, [counts(3, 3, 1), counts(2, 0, 1)]);
    assert.deepEqual(await rowsOf('parents'), [
      ['2', 'b'],
      ['3', 'd'],
    ]);
    await applier.close();
  });
});

describe('a transaction', () => {
  test('is never seen in part by those who add up what has to stay the same', async () => {
    const accounts = stream('accounts', { fields: [int('id'), int('balance')] });
    const applier = await open([accounts]);
    await applier.apply({ changes: Array.from({ length: 100 }, (_, i) => insert([String(i), '1000'])), position: '0' });
    const reader = await database.client();
    const over = new AbortController();
    const sums = new Set<string>();
    const reading = (async () => {
      while (!over.signal.aborted) sums.add(String((await reader.query('select sum(balance)::text as s from accounts')).rows[0].s));
    })();
    const balances = Array.from({ length: 100 }, () => 1000);
    for (let set = 1; set <= 60; set++) {
      const changes: TargetChange[] = [];
      for (let n = 0; n < 50; n++) {
        const [from, to] = [(set * 7 + n * 13) % 100, (set * 11 + n * 29 + 1) % 100];
        if (from === to) continue;
        balances[from] = (balances[from] as number) - n;
        balances[to] = (balances[to] as number) + n;
        changes.push(update([String(from), String(balances[from])]), update([String(to), String(balances[to])]));
      }
      const half = (changes.length >> 2) * 2 + 1;
      await applier.apply({ changes: changes.slice(0, half) });
      await applier.apply({ changes: changes.slice(half), position: String(set) });
    }
    over.abort();
    await reading;
    assert.deepEqual([...sums], ['100000']);
    assert.deepEqual(await database.rows('select sum(balance) from accounts'), [['100000']]);
    await applier.close();
  });

  test('of a worker whose work was taken over comes to nothing', async () => {
    const first = await open(['fenced']);
    await first.apply({ changes: [insert(['1', 'a'])], position: 'p1' });
    const idle = await open(['fenced'], { token: ++token });
    assert.equal((await failureOf(first.apply({ changes: [insert(['2', 'b'])], position: 'p2' }))).kind, 'fenced');
    // One that is asleep in a transaction holds nobody up.
    await idle.apply({ changes: [update(['1', 'b'])] });
    const second = await open(['fenced'], { token: ++token });
    assert.equal(second.checkpoint, 'p1');
    await second.apply({ changes: [update(['1', 'c'])], position: 'p2' });
    assert.notEqual((await failureOf(idle.apply({ changes: [], position: 'p3' }))).kind, 'data');
    assert.deepEqual(await rowsOf('fenced'), [['1', 'c']]);
    assert.equal((await failureOf(open(['fenced'], { token: 1n }))).kind, 'fenced');
    for (const one of [first, idle, second]) await one.close();
  });
});

describe('what the table refuses', () => {
  test('comes back, and the others get in', async () => {
    await database.run(`create table strict (id int8 primary key, v text not null check (v <> 'bad'), n int2)`);
    const applier = await open([stream('strict', { fields: [...PLAIN_FIELDS, int('n')] }), 'beside']);
    const changes: TargetChange[] = Array.from({ length: 1000 }, (_, i) => insert([String(i), 'good', '1']));
    changes[100] = insert(['100', 'bad', '1']);
    changes[500] = insert(['500', null, '1']);
    changes[501] = insert(['501', 'good', '40000']);
    changes[502] = insert(['502', 'half \ud800', '1']);
    changes[503] = insert([null, 'good', '1']);
    changes[999] = insert(['7', 'beside'], 1);
    changes.push(update(['100', 'better', '2']));
    const { counts: changed, rejects } = await applier.apply({ changes, position: 'p' });
    assert.deepEqual(
      rejects.map(({ index, stream: at, field }) => [index, at, field]),
      [
        [100, 0, 'v'],
        [500, 0, 'v'],
        [501, 0, 'n'],
        [502, 0, 'v'],
        [503, 0, 'id'],
      ],
    );
    assert.match(rejects[0]?.reason ?? '', /"bad" of "v" breaks a rule of the table/);
    assert.deepEqual(rejects[2]?.row, { id: '501', v: 'good', n: '40000' });
    assert.deepEqual(changed, [counts(995, 0, 0), counts(1, 0, 0)]);
    assert.deepEqual(await database.rows('select count(*) from strict'), [['995']]);
    assert.deepEqual(await database.rows('select v from strict where id = 100'), [['better']]);
    await applier.close();
  });

  test('is found quickly, also where it is much', async () => {
    await database.run(`create table harsh (id int8 primary key, v text check (v <> 'bad'))`);
    const applier = await open(['harsh']);
    const changes = Array.from({ length: 3000 }, (_, i) => insert([String(i), i % 3 === 0 ? 'bad' : 'good']));
    const { counts: changed, rejects } = await applier.apply({ changes, position: 'p' });
    assert.deepEqual([changed, rejects.length], [[counts(2000, 0, 0)], 1000]);
    await applier.close();
  });

  test('waits for the end of the changes where the table lets it', async () => {
    await database.run(`create table tree (id int8 primary key, v text, parent int8 references tree deferrable initially deferred)`);
    const applier = await open([stream('tree', { fields: [...PLAIN_FIELDS, int('parent')] })]);
    const { rejects: none } = await applier.apply({ changes: [insert(['1', 'leaf', '2']), insert(['2', 'root', null])], position: 'p' });
    assert.deepEqual(none, []);
    const { rejects } = await applier.apply({
      changes: [insert(['4', 'leaf', '2']), insert(['3', 'lost', '9']), update(['1', 'x', '4'])],
      position: 'q',
    });
    assert.deepEqual(
      rejects.map(({ index, field }) => [index, field]),
      [[1, 'parent']],
    );
    assert.equal((await rowsOf('tree')).length, 3);
    await applier.close();
  });
});

describe('tables', () => {
  test('are made and extended, also between the changes', async () => {
    await database.run('create table narrow (id int8)');
    const applier = await open([stream('narrow'), stream('made', { stream: 'elsewhere.made' })]);
    await applier.apply({ changes: [insert(['1', 'a'])], position: 'p1' });
    await applier.apply({ changes: [update(['1', 'b'])] });
    await applier.extend(0, [...PLAIN_FIELDS, { name: 'n', type: 'decimal', nullable: true }]);
    await applier.apply({ changes: [insert(['2', 'c', '1.5']), update(['1', 'd', '2'])] });
    assert.deepEqual(await database.rows(`select count(*) from pg_attribute where attrelid = 'narrow'::regclass and attname = 'n'`), [
      ['0'],
    ]);
    await applier.apply({ changes: [update(['2', 'e', undefined])], position: 'p2' });
    assert.deepEqual(await rowsOf('narrow'), [
      ['1', 'd', '2'],
      ['2', 'e', '1.5'],
    ]);
    // What fails takes the fields back, too.
    await applier.extend(0, [...PLAIN_FIELDS, { name: 'n', type: 'decimal', nullable: true }, text('late')]);
    await assert.rejects(
      applier.apply({ changes: [insert(['3', 'x', '1', 'late'])], position: 'p3' }, () => {
        throw new Error('no');
      }),
    );
    await applier.apply({ changes: [insert(['3', 'x', '1'])], position: 'p3' });
    assert.equal((await rowsOf('narrow')).length, 3);
    await applier.close();
  });

  test('that number their rows themselves, are cut into parts, or have names of all kinds', async () => {
    await database.run(`create table numbered (id int8 generated always as identity primary key, v text);
      create table cut (id int8 primary key, v text) partition by range (id);
      create table cut_1 partition of cut for values from (0) to (10); create table cut_2 partition of cut for values from (10) to (100);
      create domain named as text not null check (value <> 'no'); create table "odd "" name" ("i d" int8, "te""xt" named, primary key ("i d"))`);
    const odd = stream('numbered', { stream: 'public."odd "" name"', fields: [int('i d'), text('te"xt')], key: ['i d'] });
    const applier = await open(['numbered', 'cut', { ...odd, stream: 'public."odd "" name"' }]);
    const { counts: changed, rejects } = await applier.apply({
      changes: [0, 1, 2].flatMap((at) => [
        insert(['1', 'a'], at),
        insert(['2', 'b'], at),
        update(['20', 'c'], ['1'], at),
        insert(['2', 'B'], at),
        remove('2', at),
        update(['20', 'C'], undefined, at),
      ]),
      position: 'p',
    });
    assert.deepEqual(rejects, []);
    for (const one of changed) assert.deepEqual(one, counts(2, 3, 1));
    for (const table of ['numbered', 'cut', '"odd "" name"']) assert.deepEqual(await rowsOf(table), [['20', 'C']]);
    await applier.close();
  });

  test('take values of every type', async () => {
    const fields: Field[] = [
      int('id'),
      text('t'),
      { name: 'd', type: 'decimal', nullable: true },
      { name: 'f', type: 'float64', nullable: true },
      { name: 'b', type: 'boolean', nullable: true },
      { name: 'day', type: 'date', nullable: true },
      { name: 'hour', type: 'time', nullable: true },
      { name: 'ts', type: 'timestamp', nullable: true },
      { name: 'tz', type: 'timestamptz', nullable: true },
      { name: 'u', type: 'uuid', nullable: true },
      { name: 'j', type: 'json', nullable: true },
      { name: 'bin', type: 'binary', nullable: true },
    ];
    const row = [
      '1',
      'tab\t new\n back\\ "ü😀',
      '12345.6700',
      '1.5e-10',
      't',
      '2026-11-15',
      '04:42:11.123456',
      '2026-11-15 04:42:11.5',
      '2026-11-15 04:42:11.123456+00',
      '6f1c1d4e-0000-4000-8000-000000000001',
      '{"b": 1, "a": [null]}',
      '\\x00ff',
    ];
    const other = [
      '2',
      '',
      'NaN',
      'Infinity',
      'f',
      'infinity',
      '24:00:00',
      '-infinity',
      '0044-03-15 12:00:00+00 BC',
      '6f1c1d4e-0000-4000-8000-000000000002',
      'null',
      '\\x',
    ];
    const applier = await open([stream('typed', { fields })]);
    const nulls = ['3', ...Array.from({ length: 11 }, () => null)];
    for (const [position, change] of [
      insert(row),
      insert(other),
      insert(nulls),
      update(row),
      maybe(update(other)),
      maybe(insert(nulls)),
      maybe(update(row)),
    ].entries()) {
      const { rejects, counts: changed } = await applier.apply({ changes: [change], position: String(position) });
      assert.deepEqual(rejects, []);
      if (position > 3) assert.deepEqual(changed, [counts(0, 0, 0, 1)]);
    }
    const batches = [];
    for await (const { rows } of session.read({ stream: 'public.typed', fields: fields.map(({ name }) => name), key: ['id'] }))
      batches.push(...rows);
    assert.deepEqual(batches.slice(1), [other, nulls]);
    assert.deepEqual(
      batches[0]?.map((value, i) => (i === 3 ? Number(value) : value)),
      row.map((value, i) => (i === 3 ? Number(value) : value)),
    );
    await applier.close();
  });

  test('without a key, or with rows that it does not tell apart, are refused in words', async () => {
    assert.equal((await failureOf(open([stream('keyless', { key: [] })]))).code, 'KEY_MISSING');
    await database.run(`create table doubled (id int8, v text); insert into doubled values (1, 'a'), (1, 'b')`);
    assert.equal((await failureOf(open(['doubled']))).code, 'KEY_NOT_UNIQUE');
    assert.equal((await failureOf(open([stream('doubled', { create: false })]))).code, 'KEY_NOT_UNIQUE');
    assert.equal((await failureOf(open([stream('nowhere', { create: false })]))).code, 'STREAM_MISSING');
  });
});
