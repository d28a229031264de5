// Fails when a new version of `mysql2` moves what we hold on to, and says what it was.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Duplex } from 'node:stream';
import { type Connection, createConnection } from 'mysql2';
import { type MysqlDatabase, mysqlDatabase } from '../../../../test/support/mysql-database.ts';
import { encrypted } from '../../../outside/encrypt.ts';
import { encryptWith, takeOver } from './driver-internals.ts';

describe('what we hold on to inside mysql2', () => {
  let database: MysqlDatabase;
  before(async () => {
    database = await mysqlDatabase();
  });
  after(() => database.close());

  const connection = (isEncrypted: boolean): { driver: Connection; socket: Socket } => {
    const { host, port, user, password, name } = database;
    const socket = new Socket().connect({ host, port });
    const ssl = isEncrypted && { ssl: { rejectUnauthorized: false } };
    const driver = createConnection({ host, port, user, password, database: name, stream: () => socket, ...ssl });
    // What becomes of a connection that was taken from it is no concern of the driver's, but it tells.
    driver.on('error', () => {});
    return { socket, driver };
  };

  test('a signed-in connection can be taken: its socket, with nobody who listens, and the version of the server', async () => {
    const { driver, socket } = connection(false);
    await once(driver, 'connect');
    const { stream, serverVersion } = takeOver(driver);
    assert.equal(stream, socket);
    assert.match(serverVersion, /^\d+\.\d+/);
    assert.equal(stream.listenerCount('data'), 0);
    // COM_PING, and the server says OK: what we say now is ours alone.
    stream.write(Buffer.from([1, 0, 0, 0, 0x0e]));
    const [answer] = (await once(stream, 'data')) as [Buffer];
    assert.equal(answer[4], 0);
    stream.destroy();
  });

  test('TLS is put on by us, before anything secret is sent, and what comes in goes to its parser', async () => {
    const { driver, socket } = connection(true);
    let given: Duplex | undefined;
    encryptWith(driver, (plain) => {
      given = plain;
      return encrypted(plain, { host: database.host, verifies: false });
    });
    await once(driver, 'connect');
    assert.equal(given, socket, 'mysql2 has moved `connection.startTLS(onSecure)`: it put TLS on by itself');
    const { stream } = takeOver(driver);
    assert.notEqual(stream, socket);
    assert.ok('encrypted' in stream);
    stream.destroy();
  });
});

test('what was moved is told in words', () => {
  const words = (what: RegExp) => ({
    name: 'DriverMoved',
    message: new RegExp(`^mysql2 has moved ${what.source}.*src/connectors/mysql/wire/driver-internals\\.ts right\\.$`),
  });
  const same = (plain: Duplex): Duplex => plain;
  const [stream, startTLS, _handshakePacket] = [new Socket(), (): void => {}, { serverVersion: '8.4.0' }];
  assert.throws(() => encryptWith({ packetParser: { execute: startTLS } } as never, same), words(/`connection\.startTLS\(onSecure\)`/));
  assert.throws(() => encryptWith({ startTLS } as never, same), words(/`connection\.packetParser\.execute\(data\)`/));
  assert.throws(() => takeOver({ _handshakePacket } as never), words(/`connection\.stream`/));
  assert.throws(() => takeOver({ stream } as never), words(/`connection\._handshakePacket\.serverVersion`/));
  assert.throws(() => takeOver({ stream, _handshakePacket } as never), words(/its parser:.*there are 0 listeners/));
});
