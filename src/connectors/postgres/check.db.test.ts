import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { freePort } from '../../../test/support/postgres-server.ts';
import { AUTHORITY } from '../../../test/support/tls-certificates.ts';
import { startTlsFront } from '../../../test/support/tls-front.ts';
import { withDefaults } from '../config-values.ts';
import { CHECK_TIMEOUT } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { reachOf } from '../../outside/reach.ts';
import { type PostgresConfig, manifest } from './manifest.ts';

let database: TestDatabase;
const role = `checker_${process.pid}`;

before(async () => {
  database = await newDatabase();
  await database.run(`create table public.t (id int primary key); create schema empty; create role ${role} login password 'secret'`);
});
after(async () => {
  await database.run(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`);
  await database.close();
});

/** The error of a check, which has to come in time and hold no secret. */
async function failure(changes: Partial<PostgresConfig>, context = {}): Promise<OutsideError> {
  const session = await database.session(changes, context);
  const started = performance.now();
  const error: unknown = await session.check().then(
    () => assert.fail('the check should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(performance.now() - started < CHECK_TIMEOUT, 'within ten seconds');
  assert.ok(error instanceof OutsideError, String(error));
  assert.ok(!`${error.message} ${error.hint}`.includes('hunter2'), 'no secret');
  return error;
}

describe('check', () => {
  test('says what was reached', async () => {
    const { message, warnings } = await (await database.session()).check();
    assert.match(message, /^PostgreSQL \d+(\.\d+)?, database connector_\w+, 1 table or view\.$/);
    assert.deepEqual(warnings, []);
  });

  for (const [what, changes, kind, code, field] of [
    ['a host that is not known', { host: 'no-such-host.invalid' }, 'config', 'HOST_UNKNOWN', 'host'],
    ['a database that is missing', { database: 'no_such_database' }, 'config', 'DATABASE_MISSING', 'database'],
    ['a user that is not known', { user: 'no_such_user' }, 'auth', 'LOGIN_REFUSED', 'user'],
    ['a schema that is missing', { schemas: ['public', 'nowhere'] }, 'config', 'SCHEMA_MISSING', 'schemas'],
    ['TLS that is refused', { ssl: 'require' }, 'config', 'TLS_REFUSED', 'ssl'],
    ['a socket in the file system', { host: '/var/run/postgresql' }, 'config', 'ADDRESS_REFUSED', 'host'],
    ['a user who may read nothing', { user: role, password: 'secret' }, 'auth', 'PERMISSION_MISSING', 'user'],
  ] as const) {
    test(`tells ${what}`, async () => {
      const error = await failure({ password: 'hunter2', ...(changes as Partial<PostgresConfig>) });
      assert.deepEqual([error.kind, error.code, error.field], [kind, code, field], error.message);
      assert.ok(error.hint, 'what to do next');
    });
  }

  test('tells a port where nothing listens', async () => {
    const error = await failure({ port: await freePort() });
    assert.deepEqual([error.kind, error.code, error.field], ['transient', 'PORT_CLOSED', 'port']);
  });

  test('tells a server that never answers', async () => {
    const silent = await listen(createServer(() => {}));
    const error = await failure({ port: portOf(silent), connect_timeout: 60 });
    assert.deepEqual([error.kind, error.code], ['transient', 'TIMEOUT']);
    silent.close();
  });

  test('tells a server that is something else', async () => {
    const web = await listen(createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    for (const ssl of ['disable', 'require'] as const) {
      const error = await failure({ port: portOf(web), ssl });
      assert.ok(['config', 'transient'].includes(error.kind), `${error.kind} ${error.code}: ${error.message}`);
    }
    web.close();
  });

  test('tells a server of another kind, that speaks first', async () => {
    const mysql = await listen(
      createServer((socket) =>
        socket.on('error', () => {}).write(Buffer.from('4a0000000a352e352e352d31302e31312e392d4d61726961444200', 'hex')),
      ),
    );
    for (const ssl of ['disable', 'prefer'] as const) {
      const error = await failure({ port: portOf(mysql), ssl });
      assert.deepEqual([error.kind, error.code], ['config', 'NOT_POSTGRES'], `${ssl}: ${error.message}`);
    }
    mysql.close();
  });

  test('tells an address that is out of bounds', async () => {
    const error = await failure({}, { reach: reachOf('public') });
    assert.deepEqual([error.kind, error.code], ['config', 'ADDRESS_REFUSED']);
  });

  test('warns of tables that cannot be read, and of a server for reading only', async () => {
    await database.run(
      `create table public.open (id int); grant select on public.open to ${role}; alter role ${role} set default_transaction_read_only = on`,
    );
    const { warnings } = await (await database.session({ user: role, password: 'secret' })).check();
    assert.equal(warnings.length, 2);
    assert.match(warnings.join(' '), /1 of 2 tables cannot be read.*Only reading is possible/);
  });

  test('TLS: encrypts when the server offers it, and verifies whom it is told to verify', async () => {
    const front = await startTlsFront(database.config.port ?? 0);
    const [port, host] = [front.port, 'localhost'];
    for (const config of [
      { ssl: 'prefer' },
      { ssl: 'require' },
      { ssl: 'verify-ca', ca: AUTHORITY },
      { ssl: 'verify-full', ca: AUTHORITY },
    ] as const)
      await (await database.session({ ...config, port, host })).check();
    assert.equal(front.encrypted(), 4);
    for (const ssl of ['verify-ca', 'verify-full'] as const) {
      const error = await failure({ ssl, port, host });
      assert.deepEqual([error.kind, error.code, error.field], ['config', 'TLS_UNTRUSTED', 'ssl']);
    }
    await front.close();
    const plain = await startTlsFront(database.config.port ?? 0, { refuses: true });
    await (await database.session({ ssl: 'prefer', port: plain.port })).check();
    const error = await failure({ ssl: 'verify-full', ca: AUTHORITY, port: plain.port });
    assert.equal(error.code, 'TLS_REFUSED');
    await plain.close();
  });
});

describe('the configuration', () => {
  test('has defaults, and faults are named', () => {
    const given = { host: 'h', database: 'd', user: 'u' };
    assert.deepEqual(withDefaults(manifest.config, given), {
      ...given,
      port: 5432,
      ssl: 'prefer',
      schemas: [],
      connect_timeout: 8,
      statement_timeout: 3600,
      lock_timeout: 60,
    });
    const whole = manifest.validate?.({ ...given, host: 'postgres://u:hunter2@h/d' } as never) ?? [];
    assert.deepEqual(
      whole.map(({ field, reason }) => [field, reason.includes('hunter2')]),
      [['host', false]],
    );
    const faults = manifest.validate?.({ ...given, ssl: 'disable', ca: 'nonsense', cert: '-----BEGIN' } as never) ?? [];
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['ca', 'key', 'ssl'],
    );
  });
});

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
