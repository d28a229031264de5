import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { unavailable } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { queryByName, streamOf } from '../lib/pg-internals.ts';
import type { Command, Connection, Database, JobStore } from './database.ts';
import { asUnavailable, isLostRace, isStalePlan } from './errors.ts';
import { migrate } from './migrate.ts';
import { PostgresListener } from './postgres-listener.ts';
import { compile, raw, type Sql, sql } from './sql.ts';
import { Transaction } from './transaction.ts';

const MAX_TRIES = 6;

// Counters fit a double; money and JSON stay the text that they are.
const BIGINT = 20;
const JSON_TEXT = 114;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === BIGINT) return Number;
    if (oid === JSON_TEXT) return (text: string) => text;
    return pg.types.getTypeParser(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

export async function openPostgresDatabase(url: string, options: { poolSize: number; log: Logger }): Promise<Database> {
  const settings: pg.PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'syncline',
    options: '-c synchronous_commit=on',
    // Statements that do not wait for each other's rows share a round trip.
    pipeline: true,
    types,
  };
  await bringUpToDate(settings);
  const pool = new pg.Pool({
    ...settings,
    max: options.poolSize,
    statement_timeout: 20_000,
    query_timeout: 25_000,
    // What a node that hangs has locked must not keep others from their work, nor from its runs. A lease has room for several of these: its
    // transactions may have waited for each other.
    idle_in_transaction_session_timeout: 4_000,
  });
  // Without a listener an idle connection that the server closes would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'an idle database connection was lost'));

  let jobs: JobStore | undefined;

  const transact = <Output>(begin: string, work: (tx: Connection) => Promise<Output>): Promise<Output> =>
    untilWon(() => transactOnce(pool, begin, work, jobs)).catch((error: unknown) => {
      throw asUnavailable(error);
    });

  const listener = new PostgresListener(url, (text, values) => pool.query(text, values), options.log);
  const read: Connection = {
    engine: 'postgres',
    all: async <Row>(query: Sql) => {
      for (;;) {
        try {
          return await allOver<Row>(pool, query);
        } catch (error) {
          // The pool has let go of the connection.
          if (!isStalePlan(error)) throw asUnavailable(error);
        }
      }
    },
  };
  return {
    threaded: false,
    // Every statement is a round trip to another process, so it pays to wait for larger batches: half of what is under way.
    grouping: { concurrency: 2, eager: 8, eagerShare: 0.5 },
    read,
    write: <Input, Output>(command: Command<Input, Output>, input: Input) => transact('begin', (tx) => command.run(tx, input)),
    query: <Input, Output>(command: Command<Input, Output>, input: Input) =>
      transact('begin isolation level repeatable read read only', (tx) => command.run(tx, input)),
    shared: {
      execute: (text, values) => pool.query(text, values),
      keepJobsIn: (store) => {
        jobs = store;
      },
      listen: (...channel) => listener.listen(...channel),
      tell: async (channel, message) => {
        await read.all(sql`select pg_notify(${channel}, ${message})`);
      },
      isHeard: () => listener.isHeard,
    },
    ping: async () => {
      await read.all(sql`select 1`);
    },
    close: async () => {
      await listener.close();
      await pool.end();
    },
  };
}

/** On a connection of its own, as a step may take longer than any statement of ours does; and others may wait for one who takes it. */
async function bringUpToDate(settings: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...settings, max: 1 });
  pool.on('error', () => {});
  try {
    // Nodes at work lock the same tables, in an order of their own.
    await untilWon(() => transactOnce(pool, 'begin', (tx) => migrate(tx, Date.now())));
  } finally {
    await pool.end();
  }
}

/** Runs a transaction, again from the start when it lost a race. */
async function untilWon<Output>(transaction: () => Promise<Output>): Promise<Output> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      // Every connection may have such a plan. Each is let go of when it shows, so this comes to an end.
      if (isStalePlan(error)) attempt--;
      else if (attempt >= MAX_TRIES || !isLostRace(error)) throw error;
      await sleep(Math.random() * 5 * 2 ** attempt);
    }
  }
}

async function allOver<Row>(pool: pg.Pool, query: Sql): Promise<Row[]> {
  const { text, parameters } = compile(query, 'postgres');
  const { rows } = await pool.query({ name: nameOf(text), text, values: parameters });
  return rows as Row[];
}

async function allBy(client: pg.PoolClient, query: Sql): Promise<unknown[]> {
  const { text, parameters } = compile(query, 'postgres');
  const { rows } = await queryByName(client, nameOf(text), new pg.Query(text, parameters));
  return rows;
}

const names = new Map<string, string>();

/** A name for a statement's text, under which each connection keeps it parsed and planned. Our own code has few texts. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}

async function transactOnce<Output>(
  pool: pg.Pool,
  begin: string,
  work: (tx: Connection) => Promise<Output>,
  jobs?: JobStore,
): Promise<Output> {
  const client = await pool.connect();
  const gather = gatherer(client);
  const run = (query: Sql): Promise<unknown[]> => {
    gather();
    return allBy(client, query);
  };
  let committed: Promise<pg.QueryResult> | undefined;
  const commit = (): void => {
    gather();
    committed = client.query('commit');
    // What is wrong with it is told below, and by the statement that failed before it.
    committed.catch(() => {});
  };
  const tx = new Transaction('postgres', run, { origin: pool, jobs, commit });
  let broken: Error | undefined;
  // The caller that waits for a statement is told when the connection breaks; but without a listener it would also end the process.
  const onLost = (error: Error): void => {
    broken = error;
  };
  client.on('error', onLost);
  try {
    const [, output] = await Promise.all([tx.all(raw(begin)), work(tx)]);
    tx.finish();
    const { command } = await (committed ?? client.query('commit'));
    // What a server makes of a commit after a failure.
    if (command !== 'COMMIT') throw new Error(`The transaction was to be committed, and the server says ${command}.`);
    return output;
  } catch (error) {
    tx.abandon();
    // Others take a failure for a transaction that has left nothing, and try its parts again: that would double what is written.
    const isWritten = await committed?.then(({ command }) => command === 'COMMIT').catch(() => false);
    if (isWritten) throw unavailable('What was asked for is written, but could not be answered.', { cause: error });
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    if (isStalePlan(error)) broken = error as Error;
    throw error;
  } finally {
    // A connection that cannot even roll back is not given to the next one.
    if (!broken) client.off('error', onLost);
    client.release(broken);
  }
}

/** Statements that are given in one turn leave together: a write to the socket costs more than many a statement. */
function gatherer(client: pg.PoolClient): () => void {
  // The driver itself holds back the parts of one statement in the same way.
  const stream = streamOf(client);
  let gathering = false;
  return () => {
    if (gathering) return;
    gathering = true;
    stream.cork();
    process.nextTick(() => {
      gathering = false;
      stream.uncork();
    });
  };
}
