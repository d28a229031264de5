import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, streamOf } from '../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../test/support/mysql-database.ts';
import { newDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';
import { qualifiedName } from '../connectors/naming.ts';
import type { End } from './run.ts';

const LONG = 'n'.repeat(63);
const ODD = 'a.b "c" `d` \'e\'';

// Names that are quoted, reserved, as long as they may be, and apart by upper and lower case alone.
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const HOSTILE = `
  create table ${quoted(ODD)} (id int primary key, "select" int not null default 1, ${quoted(LONG)} int, ${quoted(ODD)} varchar(20) default '${ODD.replaceAll("'", "''")}');
  create index "Twice" on ${quoted(ODD)} ("select"); create index twice on ${quoted(ODD)} ("select", id); create unique index ${quoted(LONG.replace('n', 'u'))} on ${quoted(ODD)} (${quoted(ODD)}, "select");
  create index ${quoted(`x.${ODD}`)} on ${quoted(ODD)} (${quoted(LONG)} desc);
  create table "order" (id int primary key, "group" int references ${quoted(ODD)} (id) on delete set null, self int references "order" (id));
  insert into ${quoted(ODD)} values (1, 2, 3); insert into "order" values (1, 1, 1)`;

let folder: string;
let postgres: TestDatabase;
let mysql: MysqlDatabase;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'syncline-structure-'));
  [postgres, mysql] = await Promise.all([newDatabase(), mysqlDatabase()]);
});
after(async () => {
  await Promise.all([postgres.close(), mysql.close()]);
  rmSync(folder, { recursive: true });
});

const endOf = (id: string, type: string, config: object): End => ({ id, name: id, type, config });
const file = (name: string): End => endOf(name, 'sqlite', { path: join(folder, `${name}.db`), create: true });
const server = (): End =>
  endOf('server', 'mysql', {
    host: mysql.host,
    port: mysql.port,
    user: mysql.user,
    password: mysql.password,
    database: mysql.name,
    tls: 'prefer',
  });

interface Twins {
  readonly end: End;
  readonly schema: string;
  close(): Promise<unknown>;
}

const LONGER = 'i'.repeat(90);

/** Of SQLite: names of any length, keys without names, and indexes that another system calls by their table, too. */
function sqliteTwins(): Twins {
  const path = join(folder, 'twins-from.db');
  rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  database.exec(`create table users_role (id integer primary key); create table users_pkey (id integer primary key);
    create table users (id integer primary key, a int, b int, c int, r int, foreign key (r) references users_role (id), foreign key (r) references users_pkey (id));
    create index role on users (a); create index users_x on users (b); create index x on users (c);
    create index ${LONGER}1 on users (a, b); create index ${LONGER}2 on users (b, a); create index "users_role_2" on users (a, c);
    insert into users_role values (1); insert into users_pkey values (1); insert into users values (1, 1, 1, 1, 1)`);
  database.close();
  return { end: endOf('from', 'sqlite', { path }), schema: '', close: async () => {} };
}

/** Of PostgreSQL: names that are apart by upper and lower case alone, and one that is a table's. */
async function postgresTwins(): Promise<Twins> {
  const database = await newDatabase();
  await database.run(`create schema twins; create table twins.users_role (id int primary key); create table twins."users_pkey" (id int primary key);
    create table twins.users (id int constraint own primary key, a int, b int, c int, r int, constraint "Fk" foreign key (r) references twins.users_role (id),
      constraint fk foreign key (r) references twins.users_pkey (id));
    create index role on twins.users (a); create index "Role" on twins.users (b); create index "ROLE_2" on twins.users (c); create index role_2 on twins.users (a, b);
    create index "users_Role" on twins.users (b, a); create index "USERS" on twins.users (a, c);
    insert into twins.users_role values (1); insert into twins.users_pkey values (1); insert into twins.users values (1, 1, 1, 1, 1)`);
  return { end: endOf('from', 'postgres', database.config), schema: 'twins.', close: () => database.close() };
}

async function namesAt(runs: ReturnType<typeof engineRuns>, names: readonly string[]): Promise<string[]> {
  const session = await runs.open('target');
  const found = await session.discover(names);
  await session.close();
  return found.map(({ name }) => name);
}

describe('structures that are hostile', () => {
  for (const to of ['mysql', 'sqlite'])
    test(`names of every kind arrive at ${to}`, async () => {
      const source = await newDatabase();
      try {
        await source.run(HOSTILE);
        const streams = [ODD, 'order'].map((name) => streamOf(qualifiedName('public', name), { target: name }));
        const ends = { source: endOf('from', 'postgres', source.config), target: to === 'mysql' ? server() : file('names') };
        const runs = engineRuns({ definition: definitionOf(streams, { structure: 'full' }), ends, folder });
        const outcome = await runs.run();
        assert.deepEqual([outcome.status, runs.log.filter(({ level }) => level !== 'info')], ['succeeded', []]);
        const session = await runs.open('target');
        const made = await session.structure?.describe([ODD, 'order']);
        await session.close();
        const { indexes = [], columns = [] } = made?.get(ODD)?.plain ?? {};
        const columnsOf = (index: (typeof indexes)[number]): string => index.columns.map(({ name }) => name).join();
        assert.deepEqual(indexes.map(columnsOf).sort(), [LONG, `${ODD},select`, 'select', 'select,id'].sort());
        assert.deepEqual(columns.find(({ name }) => name === ODD)?.default, { kind: 'text', text: ODD });
        assert.deepEqual(
          made
            ?.get('order')
            ?.plain.references.map(({ to: table, columns: of }) => `${table}: ${of.join()}`)
            .sort(),
          [`${ODD}: group`, 'order: self'],
        );
      } finally {
        await source.close();
      }
    });

  for (const to of ['postgres', 'mysql', 'sqlite'])
    test(`names that would be one at ${to} stay apart: too long, apart by their table or by case alone`, async () => {
      const twins = to === 'sqlite' ? await postgresTwins() : sqliteTwins();
      const database = await newDatabase();
      try {
        const target = { postgres: endOf('to', 'postgres', database.config), mysql: server(), sqlite: file('twins') }[to] as End;
        const streams = ['users', 'users_role', 'users_pkey'].map((name) =>
          streamOf(`${twins.schema}${name}`, { target: to === 'postgres' ? `public.${name}` : name }),
        );
        const runs = engineRuns({ definition: definitionOf(streams, { structure: 'full' }), ends: { source: twins.end, target }, folder });
        const outcome = await runs.run();
        assert.deepEqual([outcome.status, runs.log.filter(({ level }) => level !== 'info')], ['succeeded', []]);
        const session = await runs.open('target');
        const made = await session.structure?.describe(streams.map((stream) => stream.target));
        await session.close();
        const { indexes = [], references = [] } = made?.get(streams[0]?.target ?? '')?.plain ?? {};
        const columns = indexes.map((index) => index.columns.map(({ name }) => name).join());
        for (const wanted of ['a', 'b', 'c', 'a,b', 'b,a', 'a,c']) assert.ok(columns.includes(wanted), `${wanted} of ${columns.join(' ')}`);
        assert.deepEqual(references.map((reference) => `${reference.columns.join()} ${reference.to.replace('public.', '')}`).sort(), [
          'r users_pkey',
          'r users_role',
        ]);
        // What was made is known again.
        assert.deepEqual((await runs.run({ mode: 'full' })).status, 'succeeded');
      } finally {
        await Promise.all([database.close(), twins.close()]);
      }
    });

  for (const to of ['mysql', 'sqlite'])
    test(`columns that are apart by case alone are told before anything is made at ${to}`, async () => {
      await postgres.run(
        `create schema if not exists cased; drop table if exists cased.t; create table cased.t (id int primary key, "Name" text, name text)`,
      );
      const ends = { source: endOf('from', 'postgres', postgres.config), target: to === 'mysql' ? server() : file('cased') };
      const streams = [streamOf('cased.t', { target: 'cased' })];
      const runs = engineRuns({ definition: definitionOf(streams, { structure: 'full' }), ends, folder });
      const outcome = await runs.run();
      assert.equal(outcome.status, 'failed');
      assert.match(outcome.first.error?.message ?? '', /"Name" and "name" are one column at the target/);
      assert.deepEqual(await namesAt(runs, ['cased']), []);
    });

  for (const to of ['postgres', 'mysql'])
    test(`tables and columns whose names ${to} would cut are told before anything is made`, async () => {
      const from = file(`long-to-${to}`);
      const database = new DatabaseSync(join(folder, `long-to-${to}.db`));
      database.exec(`create table columns (id integer primary key, ${LONGER} int); create table ${LONGER} (id integer primary key)`);
      database.close();
      const target = to === 'mysql' ? server() : endOf('to', 'postgres', postgres.config);
      for (const name of ['columns', LONGER]) {
        const runs = engineRuns({
          definition: definitionOf([streamOf(name)], { structure: 'full' }),
          ends: { source: from, target },
          folder,
        });
        const outcome = await runs.run();
        assert.equal(outcome.status, 'failed');
        assert.match(outcome.first.error?.message ?? '', /i{80}.* allows names of (63 bytes|64 characters), and .* has 90/);
        assert.deepEqual(await namesAt(runs, [name]), []);
      }
    });

  test('rows that break a key are told with the table, the key and what to do', async () => {
    const from = file('broken');
    const database = new DatabaseSync(join(folder, 'broken.db'));
    database.exec(`pragma foreign_keys = off; create table parent (id integer primary key);
      create table child (id integer primary key, p int, constraint to_parent foreign key (p) references parent (id));
      insert into parent values (1); insert into child values (1, 1), (2, 7)`);
    database.close();
    for (const [target, schema] of [
      [endOf('to', 'postgres', postgres.config), 'public.'],
      [server(), ''],
    ] as const) {
      const streams = ['child', 'parent'].map((name) => streamOf(name, { target: `${schema}${name}` }));
      const outcome = await engineRuns({
        definition: definitionOf(streams, { structure: 'full' }),
        ends: { source: from, target },
        folder,
      }).run();
      assert.deepEqual([outcome.status, outcome.streams.map(({ report }) => report.inserted)], ['succeeded', [2, 1]]);
      assert.match(
        outcome.first.warnings?.join('\n') ?? '',
        /^The foreign key .* of "(public\.)?child".* could not be made.*mend (the rows|them), then run: alter table .*foreign key/is,
      );
    }
  });
});
