import { type ConnectionOptions, createConnection } from 'mysql2';
import { CHECK_TIMEOUT, type Context } from '../../contract.ts';
import { encrypted } from '../../../outside/encrypt.ts';
import { aborted, codeOf, OutsideError, networkError } from '../../../outside/errors.ts';
import type { MysqlConfig } from '../manifest.ts';
import { serverError } from './server-errors.ts';
import { Wire } from './connection.ts';
import { encryptWith, takeOver } from './driver-internals.ts';
import { DriverMoved } from '../../../lib/driver-moved.ts';
import { sentence } from '../../../lib/sentence.ts';

// Nothing that would change what packets look like: no session tracking, no query attributes. Affected rows are those that
// changed, not those that were found.
const FLAGS = ['-FOUND_ROWS', '-SESSION_TRACK', '-CLIENT_QUERY_ATTRIBUTES', '-MULTI_RESULTS', '-ODBC', '-IGNORE_SPACE'];

/** What holds in every session of ours, whatever the server's defaults are. */
const READ_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';
const WRITE_MODE = `${READ_MODE},STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO`;

interface Options {
  mode: 'read' | 'write';
  signal?: AbortSignal | undefined;
}

/** A signed-in connection. It ends when one of the signals fires. */
export async function connect(config: MysqlConfig, context: Context, { mode, signal }: Options): Promise<Wire> {
  const tls = config.tls ?? 'prefer';
  const signals = AbortSignal.any([context.signal, ...(signal ? [signal] : [])]);
  const wire = await shakeHands(config, context, signals, tls !== 'disable')
    .catch((error: unknown) => {
      if (tls === 'prefer' && codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT') return shakeHands(config, context, signals, false);
      throw error;
    })
    .catch((error: unknown) => {
      if (error instanceof DriverMoved) throw error;
      throw signals.aborted ? aborted() : connectError(error, config);
    });
  const stop = (): void => wire.destroy(aborted());
  signals.addEventListener('abort', stop, { once: true });
  wire.onClose(() => signals.removeEventListener('abort', stop));
  if (signals.aborted) stop();
  try {
    await wire.run(
      `set names utf8mb4, session sql_mode = '${mode === 'read' ? READ_MODE : WRITE_MODE}', time_zone = '+00:00', autocommit = 1, sql_notes = 1, ` +
        'net_write_timeout = 600, net_read_timeout = 600, wait_timeout = 28800, sql_select_limit = default, ' +
        (wire.isMariaDb ? 'max_statement_time = 0' : 'max_execution_time = 0'),
    );
    if (mode === 'write') await keepWarnings(wire);
  } catch (error) {
    wire.end();
    throw error;
  }
  return wire;
}

/** Rows that are refused are known by their warnings. In MySQL not every user may have more of them kept: then it takes more rounds to hear of all. */
async function keepWarnings(wire: Wire): Promise<void> {
  await wire.run('set session max_error_count = 65535').catch((error: unknown) => {
    if (!(error instanceof OutsideError && error.kind === 'auth')) throw error;
  });
}

function shakeHands(config: MysqlConfig, context: Context, signal: AbortSignal, isEncrypted: boolean): Promise<Wire> {
  const port = config.port ?? 3306;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    const options: ConnectionOptions = {
      host: config.host,
      port,
      user: config.user,
      ...(config.password !== undefined && { password: config.password }),
      database: config.database,
      charset: 'UTF8MB4_GENERAL_CI',
      flags: FLAGS,
      connectTimeout: CHECK_TIMEOUT - 1000,
      connectAttributes: { program_name: 'syncline' },
      // Our own sockets look at the address before they connect.
      stream: () => context.reach.socket().connect({ port, host: config.host }).setNoDelay(true).setKeepAlive(true, 30_000),
      ...(isEncrypted && { ssl: { rejectUnauthorized: config.tls === 'verify' } }),
    };
    const connection = createConnection(options);
    // Before anything secret is sent.
    if (isEncrypted) {
      const { host, tls, ca } = config;
      encryptWith(connection, (plain) => encrypted(plain, { host, verifies: tls === 'verify', ca }));
    }
    const stop = (): void => {
      connection.destroy();
      reject(aborted());
    };
    signal.addEventListener('abort', stop, { once: true });
    // Stays for good: what happens later is told by the wire.
    connection.on('error', (error) => {
      signal.removeEventListener('abort', stop);
      connection.destroy();
      reject(error);
    });
    connection.once('connect', () => {
      signal.removeEventListener('abort', stop);
      try {
        const { stream, serverVersion } = takeOver(connection);
        resolve(new Wire(stream, serverVersion.replace(/^5\.5\.5-/, '')));
      } catch (error) {
        connection.destroy();
        reject(error);
      }
    });
  });
}

/** Why no connection came about, in words. */
function connectError(error: unknown, config: MysqlConfig): OutsideError {
  const network = networkError(error, config.host, config.port ?? 3306);
  if (network) return network;
  const { code, errno, message } = error as { code?: string; errno?: number; message?: string };
  if (typeof errno === 'number' && errno >= 1000 && errno < 10_000) return serverError(errno, message ?? '');
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT')
    return new OutsideError('config', 'TLS_REFUSED', 'The server does not offer encryption.', {
      field: 'tls',
      hint: 'Switch TLS on in the server, or set tls to prefer or disable.',
      cause: error,
    });
  if (code === 'HANDSHAKE_SSL_ERROR')
    return new OutsideError('config', 'TLS_REFUSED', sentence(`The encrypted connection failed: ${message ?? 'no reason given'}`), {
      field: config.tls === 'verify' ? 'ca' : 'tls',
      hint: 'With "verify", the certificate has to be valid for this host and signed by a known authority or by the one in `ca`.',
      cause: error,
    });
  if (code === 'PROTOCOL_CONNECTION_LOST' || /closed|ended/i.test(message ?? ''))
    return new OutsideError('transient', 'CONNECTION_LOST', 'The server closed the connection before signing in was done.', {
      field: 'port',
      hint: 'Check that a MySQL or MariaDB server listens on this port.',
      cause: error,
    });
  if (/plugin|auth/i.test(`${code} ${message}`))
    return new OutsideError('auth', 'AUTH_UNSUPPORTED', 'The server wants a way of signing in that is not supported.', {
      field: 'user',
      hint: 'Use a user with caching_sha2_password, sha256_password or mysql_native_password.',
      cause: error,
    });
  return new OutsideError('transient', 'CONNECT_FAILED', 'What answers there does not speak the MySQL protocol.', {
    field: 'port',
    hint: 'Check host and port.',
    cause: error,
  });
}
