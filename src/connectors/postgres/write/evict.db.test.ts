import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { Batch } from '../../batch.ts';
import type { Writer } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { sessionName } from './evict.ts';

const OWNER = 'syn_1/public.t';

let database: TestDatabase;
let session: Session;
before(async () => {
  database = await newDatabase();
  session = await database.session({ lock_timeout: 5 });
  await database.run('create table t (id bigint primary key, v text)');
});
after(() => database.close());

function open(token: bigint): Promise<Writer> {
  const fields = [
    { name: 'id', type: 'int64' as const, nullable: false },
    { name: 'v', type: 'text' as const, nullable: true },
  ];
  return session.write({ stream: 'public.t', fields, key: ['id'], mode: 'upsert', owner: OWNER, create: true, token });
}

/** A session that has written a row and sleeps before its commit. */
async function asleep(name: string, id: number): Promise<() => Promise<boolean>> {
  const client = await database.client();
  await client.query(`set application_name = '${name}'; begin; insert into t values (${id}, 'asleep')`);
  return async () => (await database.rows(`select 1 from pg_stat_activity where application_name = '${name}'`)).length > 0;
}

test('an earlier claim that sleeps in a transaction is ended, and does not hold up the next one', async () => {
  const isThere = await asleep(sessionName({ owner: OWNER, token: 1n }), 1);
  const writer = await open(2n);
  await writer.write(Batch.ofRows([['1', 'awake']], { position: '1' }));
  await writer.finish();
  await writer.close();
  assert.equal(await isThere(), false);
  assert.deepEqual(await database.rows('select * from t'), [['1', 'awake']]);
});

test('neither a later claim nor other work is touched', async () => {
  const later = await asleep(sessionName({ owner: OWNER, token: 100n }), 2);
  const other = await asleep(sessionName({ owner: 'syn_2/public.t', token: 1n }), 3);
  const foreign = await asleep('syncline', 4);
  const writer = await open(3n);
  await writer.close();
  assert.deepEqual([await later(), await other(), await foreign()], [true, true, true]);
});
