import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import type { Context } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { streamOf } from '../../../lib/pg-internals.ts';
import { frugalSocket } from './incoming.ts';
import type { PostgresConfig, SslMode } from '../manifest.ts';

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** Ends a connection without a word to the server. */
export function cut(client: pg.Client): void {
  streamOf(client).destroy();
}

/** Servers that speak no TLS, and until when we believe that: being told each time costs a connection. */
const withoutTls = new Map<string, number>();
const REMEMBERED_FOR = 60_000;
const MOST_REMEMBERED = 1000;

/** What a connection is for: statements, or also the log (`replication`), which takes statements without parameters only. */
export type Manner = 'statements' | 'replication';

/** A connection, encrypted where the configuration wants it and the server can. */
export async function connectedClient(
  config: PostgresConfig,
  context: Context,
  signal?: AbortSignal,
  manner: Manner = 'statements',
): Promise<pg.Client> {
  const mode = config.ssl ?? 'prefer';
  // The driver would take a path for a socket in the file system.
  if (config.host.includes('/'))
    throw new OutsideError('config', 'ADDRESS_REFUSED', `"${config.host}" is not a host.`, {
      field: 'host',
      hint: 'A host is a name or an address; sockets in the file system are not allowed.',
    });
  const server = `${config.host}:${config.port ?? 5432}`;
  const isPlain = mode === 'prefer' && (withoutTls.get(server) ?? 0) > performance.now();
  try {
    return await connectOnce(config, context, isPlain ? false : tlsOptions(mode, config), signal, manner);
  } catch (error) {
    if (isPlain) {
      withoutTls.delete(server);
      return connectedClient(config, context, signal, manner);
    }
    const refusesTls =
      error instanceof Error &&
      !('severity' in error) &&
      /SSL|TLS|EPROTO|ECONNRESET/.test(`${error.message} ${(error as { code?: string }).code}`);
    if (mode !== 'prefer' || !refusesTls) throw error;
    const client = await connectOnce(config, context, false, signal, manner);
    if (withoutTls.size >= MOST_REMEMBERED) withoutTls.clear();
    withoutTls.set(server, performance.now() + REMEMBERED_FOR);
    return client;
  }
}

async function connectOnce(
  config: PostgresConfig,
  context: Context,
  ssl: false | ConnectionOptions,
  signal: AbortSignal | undefined,
  manner: Manner,
): Promise<pg.Client> {
  const client = new pg.Client({
    // Sent to the server as it is; the driver's types do not tell of it.
    ...(manner === 'replication' && { replication: 'database' }),
    host: config.host,
    port: config.port ?? 5432,
    database: config.database,
    user: config.user,
    // A function, so that neither the environment nor a password file of the machine is asked.
    password: () => config.password ?? '',
    ssl,
    stream: () => (ssl ? context.reach.socket() : frugalSocket(context.reach)),
    connectionTimeoutMillis: (config.connect_timeout ?? 8) * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'syncline',
    types: asText,
  });
  const ignore = (): void => {};
  client.on('error', ignore);
  const stop = (): void => cut(client);
  const signals = [context.signal, ...(signal ? [signal] : [])];
  for (const one of signals) one.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    return client;
  } catch (error) {
    stop();
    throw error;
  } finally {
    for (const one of signals) one.removeEventListener('abort', stop);
    client.off('error', ignore);
  }
}

function tlsOptions(mode: SslMode, { ca, cert, key }: PostgresConfig): false | ConnectionOptions {
  if (mode === 'disable') return false;
  const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (mode === 'verify-full') return { ...files, rejectUnauthorized: true };
  if (mode === 'verify-ca') return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...files, rejectUnauthorized: false };
}
