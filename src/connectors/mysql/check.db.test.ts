import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { freePort } from '../../../test/support/postgres-server.ts';
import { AUTHORITY } from '../../../test/support/tls-certificates.ts';
import type { CheckReport } from '../contract.ts';
import type { Session } from '../session.ts';
import { OutsideError } from '../../outside/errors.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { connector } from './connector.ts';
import type { MysqlConfig } from './manifest.ts';

describe('check', { concurrency: true }, () => {
  let database: MysqlDatabase;
  let base: MysqlConfig;
  const servers: Server[] = [];
  const users: string[] = [];
  before(async () => {
    database = await mysqlDatabase();
    const { host, port, user, password, name } = database;
    base = { host, port, user, password, database: name, tls: 'disable' };
  });
  after(async () => {
    for (const user of users) await database.query(`drop user '${user}'@'%'`);
    for (const server of servers) server.close();
    await database.close();
  });

  const open = (config: Partial<MysqlConfig>): Promise<Session> =>
    connector.open(
      { ...base, ...config },
      { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
    );
  const check = async (config: Partial<MysqlConfig>): Promise<CheckReport> => (await open(config)).check();
  const refuses = async (config: Partial<MysqlConfig>, kind: string, code: string, words: RegExp): Promise<void> => {
    const start = performance.now();
    const error = await check(config).then(
      () => assert.fail('the check should have failed'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof OutsideError, String(error));
    assert.deepEqual([error.kind, error.code], [kind, code], error.message);
    assert.match(`${error.message} ${error.hint ?? ''}`, words);
    assert.ok(performance.now() - start < 10_000, 'within ten seconds');
    assert.ok(!`${error.message} ${error.hint}`.includes('secret-word'), 'no secret');
  };
  const listen = async (greet: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      greet(socket);
    });
    servers.push(server);
    server.listen(0, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const user = async (name: string, ...grants: string[]): Promise<Partial<MysqlConfig>> => {
    const full = `${name}_${database.name}`;
    users.push(full);
    await database.query(`create user '${full}'@'%' identified by 'secret-word'`);
    for (const grant of grants) await database.query(`grant ${grant} to '${full}'@'%'`);
    return { user: full, password: 'secret-word' };
  };

  test('says what was reached', async () => {
    const { message } = await check({});
    assert.match(message, new RegExp(`^(MariaDB|MySQL) [\\d.]+, database ${database.name}`));
  });
  test('host unknown', () => refuses({ host: 'no-such-host.invalid' }, 'config', 'HOST_UNKNOWN', /no-such-host\.invalid.*spelling/));
  test('port closed', async () => refuses({ port: await freePort() }, 'transient', 'PORT_CLOSED', /refused.*port/));
  test('password wrong', async () =>
    refuses({ ...(await user('wrong')), password: 'other-secret-word' }, 'auth', 'PASSWORD_WRONG', /user or password/));
  test('user unknown', () => refuses({ user: 'nobody_at_all', password: 'secret-word' }, 'auth', 'PASSWORD_WRONG', /user or password/));
  test('database missing', () => refuses({ database: 'no_such_database' }, 'config', 'DATABASE_MISSING', /no such database/));
  test('database forbidden', async () => refuses(await user('stranger'), 'auth', 'PERMISSION_MISSING', /GRANT SELECT/));
  test('an address that is out of bounds', () => refuses({ host: '169.254.169.254' }, 'config', 'ADDRESS_REFUSED', /169\.254/));
  test('what the user may not do, and a server that nobody may write to', async () => {
    await database.query('create table something (id int primary key)');
    const write = async (config: Partial<MysqlConfig>) =>
      (await open(config)).write({
        stream: 'something',
        fields: [{ name: 'id', type: 'int64', nullable: false }],
        key: ['id'],
        mode: 'upsert',
        owner: 'x',
        token: 1n,
        create: true,
      });
    const is = (kind: string, code: string) => (error: unknown) =>
      error instanceof OutsideError && error.kind === kind && error.code === code;
    const reader = await user('reader', `select on \`${database.name}\`.*`);
    assert.deepEqual((await check(reader)).warnings, ['The user may read, but not write: INSERT is missing.']);
    await assert.rejects(write(reader), is('auth', 'PERMISSION_MISSING'));
    const writer = await user('writer', `all privileges on \`${database.name}\`.*`);
    // Another test switches local_infile off for a moment.
    assert.deepEqual(
      (await check(writer)).warnings.filter((warning) => !warning.includes('local_infile')),
      [],
    );
    await database.query('set global read_only = 1');
    try {
      assert.deepEqual((await check(writer)).warnings, ['The server is read-only: it can be read, but not written.']);
      await assert.rejects(write(writer), is('config', 'READ_ONLY'));
    } finally {
      await database.query('set global read_only = 0');
    }
  });
  test('encrypted, and the certificate looked at', async () => {
    assert.ok(await check({ tls: 'require' }));
    assert.ok(await check({ tls: 'verify', ca: AUTHORITY }));
    assert.ok(await check({ tls: 'verify', ca: AUTHORITY, host: 'localhost' }));
    await refuses({ tls: 'verify' }, 'config', 'TLS_REFUSED', /certificate/);
    const prefer = await check({ tls: 'prefer' });
    assert.ok(!prefer.warnings.some((warning) => /encrypted/.test(warning)));
  });
  test('a certificate for another host', async () => {
    const host = '127.0.0.2';
    const port = await listen((near) => {
      const far = connect(base.port ?? 0, base.host);
      near.pipe(far).pipe(near);
      far.on('error', () => near.destroy());
    }, host);
    await refuses({ tls: 'verify', ca: AUTHORITY, host, port }, 'config', 'TLS_REFUSED', /127\.0\.0\.2/);
  });
  test('a server without encryption', async () => {
    // The real server behind a door that takes the offer of TLS out of its greeting.
    const port = await listen((near) => {
      const far = connect(base.port ?? 0, base.host);
      near.pipe(far).on('error', () => near.destroy());
      near.on('close', () => far.destroy());
      far.once('data', (greeting: Buffer) => {
        const flags = greeting.indexOf(0, 5) + 1 + 4 + 8 + 1;
        greeting.writeUInt16LE(greeting.readUInt16LE(flags) & ~0x0800, flags);
        near.write(greeting);
        far.pipe(near);
      });
    });
    await refuses({ port, tls: 'require' }, 'config', 'TLS_REFUSED', /does not offer encryption/);
    await refuses({ port, tls: 'verify', ca: AUTHORITY }, 'config', 'TLS_REFUSED', /does not offer encryption/);
    const { warnings } = await check({ port, tls: 'prefer' });
    assert.ok(warnings.some((warning) => /not encrypted/.test(warning)));
  });
  test('a port on which something else answers', async () => {
    const port = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await refuses({ port }, 'transient', 'CONNECTION_LOST', /MySQL or MariaDB server listens on this port/);
  });
  test('a port on which nobody says anything', async () =>
    refuses({ port: await listen(() => {}) }, 'transient', 'TIMEOUT', /did not answer in time/));
});
