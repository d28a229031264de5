import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { testUndo } from '../../../../test/support/undone-runs.ts';
import { Batch } from '../../batch.ts';
import type { Field } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { quoteName } from '../catalogue/names.ts';

let database: TestDatabase;

before(async () => {
  database = await newDatabase();
});
after(() => database.close());

const FIELDS: readonly Field[] = [
  { name: 'Id', type: 'int64', nullable: false },
  { name: 'a text', type: 'text', nullable: true },
  { name: 'n', type: 'decimal', nullable: true },
  { name: 'At', type: 'timestamp', nullable: true },
  { name: 'tz', type: 'timestamptz', nullable: true },
  { name: 'j', type: 'json', nullable: true },
  { name: 'jb', type: 'json', nullable: true },
  { name: 'b', type: 'binary', nullable: true },
  { name: 'yes', type: 'boolean', nullable: true },
  { name: 'f', type: 'float64', nullable: true },
  { name: 'kept', type: 'int64', nullable: true },
];

testUndo(() => ({
  session: () => database.session(),
  run: (sql) => database.run(sql),
  contents: async (table) => {
    const columns = await database.rows(
      `select attname from pg_attribute where attrelid = '${quoteName(table)}'::regclass and attnum > 0 and not attisdropped order by attnum`,
    );
    return database.rows(
      `select ${columns.map(([name]) => `${quoteName(name ?? '')}::text`).join(', ')} from ${quoteName(table)} order by "Id"`,
    );
  },
  make: async (table) => {
    await database.run(`create table ${quoteName(table)} ("Id" int8 primary key, "a text" text, n numeric, "At" timestamp, tz timestamptz, j json, jb jsonb,
      b bytea, yes bool, f float8, kept int8, "Own note" text, "Made" text generated always as (n::text || '!') stored, numbered int8 generated always as identity)`);
    return FIELDS;
  },
  quote: quoteName,
  stream: (table) => `public.${quoteName(table)}`,
}));

const keeping = (run: string) => ({ undo: { run, sync: 'syn_1', most: 1000 } });
const undoing = (run: string, streams: string[]) => ({
  run,
  sync: 'syn_1',
  streams,
  owners: [],
  token: 9n,
  preview: false,
  mostListed: 10,
});

test('what refers to each other is taken back, and what cannot be is refused as a whole', async () => {
  await database.run(`create table owners (id int8 primary key, v text unique);
    create table things (id int8 primary key, owner int8 references owners);
    insert into owners values (1, 'a'), (2, 'b'); insert into things values (1, 1), (2, 2)`);
  const session = await database.session();
  const fields = (second: Field): Field[] => [{ name: 'id', type: 'int64', nullable: false }, second];
  const owner = fields({ name: 'v', type: 'text', nullable: true });
  const thing = fields({ name: 'owner', type: 'int64', nullable: true });
  const streams = [
    { stream: 'public.owners', fields: owner, key: ['id'], create: false },
    { stream: 'public.things', fields: thing, key: ['id'], create: false },
  ];
  const applier = await (session as Session & Required<Pick<Session, 'apply'>>).apply({
    streams,
    owner: 'live',
    token: 1n,
    ...keeping('run_1'),
  });
  await applier.apply({
    changes: [
      // The new owner has the old one's value, and the old one's thing.
      { op: 'insert', stream: 0, row: ['3', 'c'] },
      { op: 'update', stream: 1, row: ['1', '3'] },
      { op: 'delete', stream: 0, key: ['1'] },
      { op: 'update', stream: 0, row: ['3', 'a'] },
      { op: 'insert', stream: 1, row: ['4', '3'] },
    ],
    position: 'p',
  });
  await applier.close();
  const result = await session.undo?.undo(undoing('run_1', ['public.things', 'public.owners'])).catch((error: unknown) => error as Error);
  // Neither order does: the old owner's value is taken as long as the new one is there, and the new one is referred to as long as the old one is not.
  assert.match((result as Error).message, /does not take its old rows back/);
  assert.deepEqual(await database.rows('select * from owners order by id'), [
    ['2', 'b'],
    ['3', 'a'],
  ]);
  await database.run(`alter table owners drop constraint owners_v_key`);
  const done = await session.undo?.undo(undoing('run_1', ['public.owners', 'public.things']));
  assert.deepEqual(
    done?.streams.map(({ target, restored, removed, left }) => [target, restored, removed, left]),
    [
      ['public.owners', 1, 1, 0],
      ['public.things', 1, 1, 0],
    ],
  );
  assert.deepEqual(await database.rows('select * from things order by id'), [
    ['1', '1'],
    ['2', '2'],
  ]);
});

test('parts of a partitioned table are kept and taken back like others, and several writers at once keep for one run', async () => {
  await database.run(`create table wide (id int8 primary key, v text) partition by range (id);
    create table wide_low partition of wide for values from (0) to (100); create table wide_high partition of wide for values from (100) to (1000);
    insert into wide select n, 'old' from generate_series(0, 199) n`);
  const session = await database.session();
  const fields: Field[] = [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'v', type: 'text', nullable: true },
  ];
  const request = {
    stream: 'public.wide',
    fields,
    key: ['id'],
    mode: 'upsert' as const,
    owner: 'syn_1/wide',
    create: false,
    ...keeping('run_1'),
  };
  const whole = await session.write({ ...request, token: 1n });
  assert.ok(whole.parts);
  await whole.parts.split('s', 2, 'note');
  const parts = await Promise.all([0, 1].map((index) => session.write({ ...request, token: 1n, part: { split: 's', index } })));
  await Promise.all(
    parts.map(async (part, index) => {
      const rows = Array.from({ length: 150 }, (_, n) => [String(100 * index + n * 2 + index), 'new']);
      await part.write(Batch.ofRows(rows, { position: `${index}` }));
      await part.finish();
      await part.close();
    }),
  );
  await whole.parts.join('end', 'note');
  await whole.finish();
  await whole.close();
  assert.notEqual((await database.rows(`select count(*) from wide where v = 'new'`))[0]?.[0], '0');
  const done = await session.undo?.undo(undoing('run_1', ['public.wide']));
  assert.equal(done?.streams[0]?.left, 0);
  assert.deepEqual(await database.rows('select count(*), min(v), max(v) from wide'), [['200', 'old', 'old']]);
});

test('no trigger, function or journal stays behind when it is all forgotten', async () => {
  const session = await database.session();
  await session.undo?.forget({ sync: 'syn_1' });
  const left =
    await database.rows(`select tgname from pg_trigger where tgname like '\\_syncline%' union all select proname from pg_proc where proname like '\\_syncline%'
    union all select relname from pg_class where relname like '\\_syncline\\_undo\\__%' and relkind = 'r'`);
  assert.deepEqual(left, []);
});
