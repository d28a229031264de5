import type { Duplex } from 'node:stream';
import type { Connection } from 'mysql2';
import { DriverMoved } from '../../../lib/driver-moved.ts';

// All that we hold on to inside `mysql2` and that its types do not promise: the driver shakes hands and signs in, then we take the
// connection from it. A new version may move any of this without a word: so each is looked at where it is taken, and the test beside
// this file asks the real driver.

interface Internals {
  stream: Duplex;
  packetParser: { execute(data: Buffer): void };
  startTLS(onSecure: (error?: Error) => void): void;
  _handshakePacket?: { serverVersion?: string };
}

const moved = (what: string): DriverMoved => new DriverMoved('mysql2', what, 'src/connectors/mysql/wire/driver-internals.ts');

function streamIn({ stream }: Internals): Duplex {
  if (typeof stream?.removeAllListeners !== 'function') throw moved('`connection.stream`, the socket of a connection');
  return stream;
}

/**
 * Has TLS put on the connection by us when the server offers it. The driver checks a certificate against a name only, never against an
 * address.
 */
export function encryptWith(connection: Connection, encrypt: (plain: Duplex) => Duplex): void {
  const inside = connection as unknown as Internals;
  if (typeof inside.startTLS !== 'function') throw moved('`connection.startTLS(onSecure)`, which puts TLS on a connection');
  if (typeof inside.packetParser?.execute !== 'function') throw moved('`connection.packetParser.execute(data)`, which takes what comes in');
  inside.startTLS = (onSecure) => {
    const plain = streamIn(inside);
    plain.removeAllListeners('data');
    const secure = encrypt(plain);
    secure.once('secureConnect', () => onSecure());
    secure.once('error', onSecure);
    secure.on('data', (data: Buffer) => inside.packetParser.execute(data));
    inside.stream = secure;
  };
}

/** Takes a signed-in connection from the driver: its socket, to which nobody listens any more, and what the server said it is. */
export function takeOver(connection: Connection): { stream: Duplex; serverVersion: string } {
  const inside = connection as unknown as Internals;
  const stream = streamIn(inside);
  const serverVersion = inside._handshakePacket?.serverVersion;
  if (typeof serverVersion !== 'string') throw moved('`connection._handshakePacket.serverVersion`, the version of the server');
  if (stream.listenerCount('data') !== 1)
    throw moved(
      `its parser: it was the one listener for \`data\` of the socket, and there are ${stream.listenerCount('data')} listeners now`,
    );
  stream.removeAllListeners('data');
  return { stream, serverVersion };
}
