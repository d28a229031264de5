import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplying } from '../../../../test/support/applied-changes.ts';
import { useDatabase } from '../../../../test/support/mysql-session.ts';
import type { Applier } from '../../changes.ts';
import type { Session } from '../../session.ts';

const fixture = useDatabase();

testApplying(() => ({
  session: () => Promise.resolve(fixture.session),
  run: async (sql) => void (await fixture.database.query(sql)),
  rows: (sql) => fixture.database.query(sql),
  witness: async (table) => {
    await fixture.database.query('create table seen (n int auto_increment primary key, op varchar(10), id bigint)');
    for (const [op, row] of Object.entries({ insert: 'new', update: 'new', delete: 'old' }))
      await fixture.database.query(
        `create trigger see_${op} after ${op} on ${table} for each row insert into seen (op, id) values ('${op}', ${row}.id)`,
      );
  },
}));

test('a worker that is asleep in a transaction does not hold up the next one', async () => {
  const fields = [{ name: 'id', type: 'int64' as const, nullable: false }];
  const open = (token: bigint): Promise<Applier> =>
    (fixture.session.apply as NonNullable<Session['apply']>)({
      streams: [{ stream: 'asleep', fields, key: ['id'], create: true }],
      owner: 'asleep',
      token,
    });
  const first = await open(1n);
  await first.apply({ changes: [{ op: 'insert', stream: 0, row: ['1'] }] });
  const second = await open(2n);
  await second.apply({ changes: [{ op: 'insert', stream: 0, row: ['1'] }], position: 'p' });
  await assert.rejects(first.apply({ changes: [], position: 'q' }));
  assert.deepEqual(await fixture.database.query('select id from asleep'), [['1']]);
  await first.close();
  await second.close();
});
