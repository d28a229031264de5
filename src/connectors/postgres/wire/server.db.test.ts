// What needs a server to itself: passwords, TLS, prepared transactions, and a server that dies.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from '../../../../test/support/tls-certificates.ts';
import { until } from '../../../../test/support/until.ts';
import { Batch } from '../../batch.ts';
import type { ReadRequest } from '../../contract.ts';

let server: PostgresServer;
let database: TestDatabase;
let isStopped = false;

before(async () => {
  server = await startPostgres('', '-c max_prepared_transactions=5 -c fsync=off');
  database = await newDatabase(server.url);
  const [[folder] = []] = await database.rows(`select current_setting('data_directory')`);
  // The server writes these files itself: its key must belong to it.
  for (const [name, text] of [
    ['server.crt', CERTIFICATE],
    ['server.key', CERTIFICATE_KEY],
  ])
    await database.run(`copy (select unnest(string_to_array('${text?.trim()}', E'\\n'))) to program 'umask 077; cat > ${folder}/${name}'`);
  const rules = [
    'local all all trust',
    'host all syncline 127.0.0.1/32 trust',
    'hostssl all only_tls 127.0.0.1/32 trust',
    'host all guest 127.0.0.1/32 scram-sha-256',
  ];
  await database.run(
    `copy (select unnest(array[${rules.map((rule) => `'${rule}'`).join(', ')}])) to program 'cat > ${folder}/pg_hba.conf'`,
  );
  await database.run(
    `create role guest login password 'right'; create role only_tls login; create table t (id int primary key, at int, v int)`,
  );
  await database.run(`alter system set ssl = on`);
  await database.run('select pg_reload_conf()');
  await until('TLS is on', async () => (await (await database.session({ ssl: 'require' })).check().catch(() => undefined)) !== undefined);
});
after(async () => {
  if (isStopped) return;
  await database.close();
  server.stop();
});

test('a wrong password, and the right one', async () => {
  const account = { user: 'guest', schemas: ['pg_catalog'] };
  for (const password of ['hunter2', undefined]) {
    const error = await failureOf((await database.session({ ...account, ...(password && { password }) })).check());
    assert.deepEqual([error.kind, error.code, error.field], ['auth', 'PASSWORD_WRONG', 'password']);
    assert.ok(!error.message.includes('hunter2'));
  }
  await database.run('grant select on t to guest');
  assert.match((await (await database.session({ user: 'guest', password: 'right' })).check()).message, /^PostgreSQL/);
});

test('TLS with a real server, and a user who has to use it', async () => {
  await database.run('grant select on t to only_tls');
  for (const changes of [
    { ssl: 'prefer' },
    { ssl: 'verify-ca', ca: AUTHORITY },
    { ssl: 'verify-full', ca: AUTHORITY, host: 'localhost' },
  ] as const)
    await (await database.session({ user: 'only_tls', ...changes })).check();
  const refused = await failureOf((await database.session({ user: 'only_tls', ssl: 'disable' })).check());
  assert.deepEqual([refused.kind, refused.code], ['auth', 'LOGIN_REFUSED']);
  const untrusted = await failureOf((await database.session({ ssl: 'verify-full' })).check());
  assert.deepEqual([untrusted.kind, untrusted.code], ['config', 'TLS_UNTRUSTED']);
  const read = await database.session({ ssl: 'require' });
  await database.run(`insert into t select n, n, n from generate_series(1, 50000) n`);
  let rows = 0;
  for await (const batch of read.read({ stream: 'public.t', fields: ['id', 'v'], key: ['id'], batchBytes: 10_000 })) rows += batch.count;
  assert.equal(rows, 50_000);
  await database.run('truncate t');
});

test('a prepared transaction is waited for, also when it was prepared after the read began to wait', async () => {
  const request: ReadRequest = { stream: 'public.t', fields: ['id', 'v'], key: ['id'], cursor: 'id' };
  const session = await database.session();
  let position: string | undefined;
  const next = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const batch of session.read({ ...request, ...(position !== undefined && { after: position }) })) {
      ids.push(...batch.rows.map(([id]) => String(id)));
      ({ position } = batch);
    }
    return ids;
  };
  const slow = await database.client();
  await slow.query('begin; insert into t values (1, 1, 1)');
  await database.run('insert into t values (10, 10, 10)');
  assert.deepEqual(await next(), ['10']);
  await slow.query(`prepare transaction 'slow'`);
  for (const id of ['11', '12', '13']) {
    await database.run(`insert into t values (${id}, 1, 1)`);
    assert.deepEqual(await next(), [id]);
  }
  await database.run(`commit prepared 'slow'`);
  assert.deepEqual(await next(), ['1']);
  assert.deepEqual(await next(), []);
});

test('a server that dies: transient, for a read and for a write', async () => {
  await database.run(`truncate t; insert into t select n, n, n from generate_series(1, 200000) n`);
  const session = await database.session();
  const writer = await session.write({
    stream: 'public.copy',
    fields: [{ name: 'id', type: 'int64', nullable: false }],
    key: ['id'],
    mode: 'upsert',
    owner: 'o',
    token: 1n,
    create: true,
  });
  await writer.write(Batch.ofRows([['1']], { position: '1' }));
  const batches = session.read({ stream: 'public.t', fields: ['id', 'v'], key: ['id'], batchBytes: 10_000 })[Symbol.asyncIterator]();
  await batches.next();
  server.stop();
  isStopped = true;
  const read = await failureOf(
    (async () => {
      while (!(await batches.next()).done);
    })(),
  );
  assert.equal(read.kind, 'transient', read.message);
  const written = await failureOf(writer.write(Batch.ofRows([['2']], { position: '2' })));
  assert.equal(written.kind, 'transient', written.message);
  const checked = await failureOf(session.check());
  assert.deepEqual([checked.kind, checked.code], ['transient', 'PORT_CLOSED']);
  await session.close();
});
