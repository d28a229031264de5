// Who may only read the target can have it compared, and is told what is missing when it is to be written to.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import type { End } from '../run.ts';

const READER = { user: `reader_${process.pid}`, password: 'only-reads' };
let [source, target]: TestDatabase[] = [];
let mysql: MysqlDatabase;

before(async () => {
  [source, target] = await Promise.all([newDatabase(), newDatabase()]);
  mysql = await mysqlDatabase();
  await source?.run(`create table people (id bigint primary key, name text);
    insert into people select n, 'name ' || n from generate_series(1, 100) n`);
});
after(async () => {
  await target?.run(`drop owned by ${READER.user}; drop role ${READER.user}`);
  await mysql?.query(`drop user ${READER.user}@'%'`);
  await Promise.all([source?.close(), target?.close(), mysql?.close()]);
});

interface ReadOnlyTarget {
  readonly stream: string;
  readonly end: (who?: typeof READER) => End;
  readonly run: (sql: string) => Promise<unknown>;
  /** Lets the reader see the table, and do nothing to it. */
  readonly grant: () => Promise<unknown>;
}

const TARGETS: Readonly<Record<string, () => ReadOnlyTarget>> = {
  postgres: () => ({
    stream: 'public.people',
    end: (who) => ({ id: 't', name: 't', type: 'postgres', config: { ...target?.config, ...who } }),
    run: async (sql) => target?.run(sql),
    grant: async () =>
      target?.run(`create role ${READER.user} login password '${READER.password}'; grant select on people to ${READER.user}`),
  }),
  mysql: () => {
    const { host, port, user, password, name: database } = mysql;
    const { user: reader } = READER;
    return {
      stream: 'people',
      end: (who) => ({ id: 't', name: 't', type: 'mysql', config: { host, port, user, password, database, ...who } }),
      run: (sql) => mysql.query(sql),
      grant: async () => {
        await mysql.query(`create user ${reader}@'%' identified by '${READER.password}'`);
        await mysql.query(`grant select on ${database}.people to ${reader}@'%'`);
      },
    };
  },
};

describe('a user who may only read the target', () => {
  for (const [system, made] of Object.entries(TARGETS))
    test(`has it verified: ${system}`, async () => {
      const { stream, end, run, grant } = made();
      const from: End = { id: 's', name: 's', type: 'postgres', config: source?.config };
      const definition = definitionOf([streamOf('public.people', { target: stream })]);
      const runsAs = (who?: typeof READER) => engineRuns({ definition, ends: { source: from, target: end(who) } });
      assert.equal((await runsAs().run()).status, 'succeeded');
      await grant();
      const reader = runsAs(READER);
      const equal = await reader.run({ mode: 'verify' });
      assert.deepEqual(
        [equal.status, equal.first.proof?.result, equal.first.proof?.rows],
        ['succeeded', 'equal', 100],
        JSON.stringify(equal.first),
      );
      await run(`update people set name = 'other' where id = 7`);
      await run('delete from people where id = 8');
      const { first } = await reader.run({ mode: 'verify' });
      assert.deepEqual([first.proof?.result, first.proof?.different, first.proof?.missing], ['differs', 1, 1]);
      const preview = await reader.run({ mode: 'repair_preview' });
      assert.deepEqual([preview.status, preview.first.changes?.updated, preview.first.changes?.inserted], ['succeeded', 1, 1]);
      const repair = await reader.run({ mode: 'repair' });
      assert.equal(repair.status, 'failed');
      assert.match(repair.first.error?.message ?? '', /cannot be written to|denied/);
    });
});
