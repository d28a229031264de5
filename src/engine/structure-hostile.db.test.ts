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
