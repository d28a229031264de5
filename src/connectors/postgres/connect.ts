import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import type { Context } from '../contract.ts';
import { aborted, ConnectorError } from '../errors.ts';
import { CopyIn, type CopyInResult, CopyOut } from './copy.ts';
import type { Config, SslMode } from './manifest.ts';
import { toConnectError, toConnectorError } from './sql-errors.ts';

type Purpose = 'read' | 'write';

/** A `COPY … FROM STDIN` that has been begun. */
export interface Copying {
  readonly copy: CopyIn;
  readonly done: Promise<CopyInResult>;
}

/** One connection. What fails is told as a ConnectorError. */
export interface Link {
  /** Every value comes as text, as the server writes it. */
  query<Row extends Record<string, string | null>>(text: string, values?: readonly (string | null)[]): Promise<Row[]>;
  /** Statements without parameters or answers, in one round trip. */
  run(text: string): Promise<void>;
  /** Starts `COPY … TO STDOUT`; so many batches may wait until they are asked for. */
  copyOut(text: string, batchBytes: number, ahead?: number): { next: CopyOut['next'] };
  /** `COPY … FROM STDIN` and what follows it. */
  copyIn(text: string, lines: Buffer, verify?: () => void): Promise<CopyInResult>;
  /** The same, begun: it may stand `behind` another, and is not sent when that one fails. */
  beginCopy(text: string, lines: Buffer, verify?: () => void, behind?: Copying): Copying;
  /** Cuts it at once; what is under way fails. */
  destroy(): void;
}

/** The connections of a session: as many as are in use, and one that waits for its next use. */
export interface Links {
  /** A connection for this work alone; when the signal comes it is cut, and the work fails as aborted. */
  use<Result>(purpose: Purpose, signal: AbortSignal | undefined, work: (link: Link) => Promise<Result>): Promise<Result>;
  /** A connection that the caller gives back, or destroys. */
  take(purpose: Purpose, signal?: AbortSignal): Promise<Link>;
  /** For the next one; only when nothing is under way on it. */
  giveBack(purpose: Purpose, link: Link): void;
  /** Throws when the work was stopped, by this signal or as a whole. */
  demandGoing(signal: AbortSignal | undefined): void;
  close(): void;
}

// The spelling of values is that of the canonical types, whatever the server, the database or the role has set.
const SETTINGS = [
  "set client_encoding = 'UTF8'",
  "set datestyle = 'ISO, YMD'",
  "set timezone = 'UTC'",
  "set intervalstyle = 'iso_8601'",
  "set bytea_output = 'hex'",
  'set extra_float_digits = 1',
  'set standard_conforming_strings = on',
  "set xmloption = 'content'",
  // Rows without a key come in the same order when they are read again.
  'set synchronize_seqscans = off',
  'set max_parallel_workers_per_gather = 0',
  "set idle_in_transaction_session_timeout = '5min'",
];

const PURPOSES: Readonly<Record<Purpose, string>> = {
  read: 'set default_transaction_read_only = on',
  // A writer that falls asleep in a transaction holds up others. It waits for our own database at most, and not for so long.
  write: "set default_transaction_read_only = default; set synchronous_commit = on; set idle_in_transaction_session_timeout = '15s'",
};

function settingsFor(purpose: Purpose, config: Config): string {
  return [
    ...SETTINGS,
    `set statement_timeout = '${config.statement_timeout ?? 3600}s'`,
    `set lock_timeout = '${config.lock_timeout ?? 60}s'`,
    PURPOSES[purpose],
    // Newer servers notice that we are gone also while they sort or wait.
    `do $$ begin perform set_config('client_connection_check_interval', '5s', false); exception when others then null; end $$`,
  ].join('; ');
}

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** Opens connections for a configuration; every one goes through `reach`. */
export function linksOf(config: Config, context: Context): Links {
  const address = { host: config.host, port: config.port ?? 5432 };
  const seconds = config.statement_timeout ?? 3600;
  const patience = seconds > 0 ? Math.min(2 ** 31 - 1, seconds * 1100 + 2000) : undefined;
  const idle: Record<Purpose, Link[]> = { read: [], write: [] };
  const open = new Set<Link>();
  let closed = false;

  async function connect(purpose: Purpose, signal?: AbortSignal): Promise<Link> {
    if (context.signal.aborted) throw aborted();
    if (closed) throw new ConnectorError('transient', 'CLOSED', 'The session is closed.');
    const client = await connectedClient(config, context, signal).catch((error: unknown) => {
      throw toConnectError(error, address);
    });
    let broken = false;
    // Whoever waits for a statement is told; without a listener it would also end the process.
    client.on('error', () => {
      broken = true;
    });
    client.on('end', () => {
      broken = true;
      open.delete(link);
    });
    const destroy = (): void => {
      broken = true;
      open.delete(link);
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    };
    /** The server ends what takes too long itself; one that does not, or answers a byte at a time, is left. */
    const inTime = async <Result>(answer: Promise<Result>): Promise<Result> => {
      let isLate = false;
      const cut = (): void => {
        isLate = true;
        destroy();
      };
      const timer = patience === undefined ? undefined : setTimeout(cut, patience);
      try {
        return await answer;
      } catch (error) {
        throw isLate ? tooLate(address) : toConnectorError(error, address);
      } finally {
        clearTimeout(timer);
      }
    };
    const link: Link & { readonly broken: boolean } = {
      get broken() {
        return broken;
      },
      query: async <Row>(text: string, values?: readonly (string | null)[]) => {
        const result = await inTime(client.query(text, values as string[] | undefined));
        return (Array.isArray(result) ? (result as pg.QueryResult[]).flatMap(({ rows }) => rows) : result.rows) as Row[];
      },
      run: async (text) => {
        await inTime(client.query(text));
      },
      copyOut: (text, batchBytes, ahead = 1) => {
        const copy = new CopyOut(text, batchBytes, ahead);
        client.query(copy as unknown as pg.Submittable);
        return { next: () => inTime(copy.next()) };
      },
      copyIn: (...copy) => link.beginCopy(...copy).done,
      beginCopy: (text, lines, verify, behind) => {
        const copy = new CopyIn(text, lines, verify);
        const send = (): void => {
          client.query(copy as unknown as pg.Submittable);
        };
        if (behind) behind.copy.before(copy, send);
        else send();
        return { copy, done: inTime(copy.done) };
      },
      destroy,
    };
    open.add(link);
    try {
      await link.run(settingsFor(purpose, config));
    } catch (error) {
      link.destroy();
      throw error;
    }
    return link;
  }

  const waiting = (purpose: Purpose): Link | undefined => {
    for (let link = idle[purpose].pop(); link; link = idle[purpose].pop()) if (!(link as Link & { broken: boolean }).broken) return link;
    return undefined;
  };
  const take = async (purpose: Purpose, signal?: AbortSignal): Promise<Link> => {
    const own = waiting(purpose);
    if (own) return own;
    // One that has looked at the tables may as well write to them: another connection takes longer than all of its work.
    const other = purpose === 'write' ? waiting('read') : undefined;
    if (!other) return connect(purpose, signal);
    await other.run(PURPOSES.write);
    return other;
  };
  const giveBack = (purpose: Purpose, link: Link): void => {
    if (closed || (link as Link & { broken: boolean }).broken || idle[purpose].length > 0) link.destroy();
    else idle[purpose].push(link);
  };
  const close = (): void => {
    closed = true;
    for (const link of open) link.destroy();
  };
  context.signal.addEventListener('abort', close, { once: true });
  const demandGoing = (signal: AbortSignal | undefined): void => {
    if (signal?.aborted || context.signal.aborted) throw aborted();
  };
  return {
    take,
    giveBack,
    demandGoing,
    use: async (purpose, signal, work) => {
      demandGoing(signal);
      const link = await take(purpose, signal);
      const cut = (): void => link.destroy();
      signal?.addEventListener('abort', cut, { once: true });
      try {
        const result = await work(link);
        giveBack(purpose, link);
        return result;
      } catch (error) {
        link.destroy();
        demandGoing(signal);
        throw error;
      } finally {
        signal?.removeEventListener('abort', cut);
      }
    },
    close: () => {
      context.signal.removeEventListener('abort', close);
      close();
    },
  };
}

function tooLate({ host, port }: { host: string; port: number }): ConnectorError {
  return new ConnectorError('transient', 'TIMEOUT', `${host}:${port} did not answer within the statement timeout.`, {
    hint: 'Check the server and the network between, or allow for more time.',
  });
}

/** Servers that speak no TLS, and until when we believe that: being told each time costs a connection. */
const withoutTls = new Map<string, number>();
const REMEMBERED_FOR = 60_000;
const MOST_REMEMBERED = 1000;

async function connectedClient(config: Config, context: Context, signal?: AbortSignal): Promise<pg.Client> {
  const mode = config.ssl ?? 'prefer';
  // The driver would take a path for a socket in the file system.
  if (config.host.includes('/'))
    throw new ConnectorError('config', 'ADDRESS_REFUSED', `"${config.host}" is not a host.`, {
      field: 'host',
      hint: 'A host is a name or an address; sockets in the file system are not allowed.',
    });
  const server = `${config.host}:${config.port ?? 5432}`;
  const isPlain = mode === 'prefer' && (withoutTls.get(server) ?? 0) > Date.now();
  try {
    return await connectOnce(config, context, isPlain ? false : tlsOptions(mode, config), signal);
  } catch (error) {
    if (isPlain) {
      withoutTls.delete(server);
      return connectedClient(config, context, signal);
    }
    const refusesTls =
      error instanceof Error &&
      !('severity' in error) &&
      /SSL|TLS|EPROTO|ECONNRESET/.test(`${error.message} ${(error as { code?: string }).code}`);
    if (mode !== 'prefer' || !refusesTls) throw error;
    const client = await connectOnce(config, context, false, signal);
    if (withoutTls.size >= MOST_REMEMBERED) withoutTls.clear();
    withoutTls.set(server, Date.now() + REMEMBERED_FOR);
    return client;
  }
}

async function connectOnce(config: Config, context: Context, ssl: false | ConnectionOptions, signal?: AbortSignal): Promise<pg.Client> {
  const client = new pg.Client({
    host: config.host,
    port: config.port ?? 5432,
    database: config.database,
    user: config.user,
    // A function, so that neither the environment nor a password file of the machine is asked.
    password: () => config.password ?? '',
    ssl,
    stream: () => context.reach.socket(),
    connectionTimeoutMillis: (config.connect_timeout ?? 8) * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'syncline',
    types: asText,
  });
  const ignore = (): void => {};
  client.on('error', ignore);
  const cut = (): void => (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  const signals = [context.signal, ...(signal ? [signal] : [])];
  for (const one of signals) one.addEventListener('abort', cut, { once: true });
  try {
    await client.connect();
    return client;
  } catch (error) {
    cut();
    throw error;
  } finally {
    for (const one of signals) one.removeEventListener('abort', cut);
    client.off('error', ignore);
  }
}

function tlsOptions(mode: SslMode, { ca, cert, key }: Config): false | ConnectionOptions {
  if (mode === 'disable') return false;
  const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (mode === 'verify-full') return { ...files, rejectUnauthorized: true };
  if (mode === 'verify-ca') return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...files, rejectUnauthorized: false };
}
