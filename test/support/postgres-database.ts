import assert from 'node:assert/strict';
import pg from 'pg';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import type { Context } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import { OutsideError } from '../../src/outside/errors.ts';
import { connector } from '../../src/connectors/postgres/connector.ts';
import type { PostgresConfig } from '../../src/connectors/postgres/manifest.ts';
import { until } from './until.ts';

/** A database of its own on the server of the tests, for the connector `postgres`. */
export interface TestDatabase {
  config: PostgresConfig;
  url: string;
  /** A connection beside the connector's; closed with the database. */
  client(): Promise<pg.Client>;
  /** Runs statements on one such connection. */
  run(text: string): Promise<void>;
  /** The rows of a query, every value as text. */
  rows(text: string): Promise<(string | null)[][]>;
  /** A session of the connector; closed with the database. */
  session(changes?: Partial<PostgresConfig>, context?: Partial<Context>): Promise<Session>;
  close(): Promise<void>;
}

let count = 0;

export async function newDatabase(serverUrl = process.env['TEST_POSTGRES_URL'] ?? ''): Promise<TestDatabase> {
  if (serverUrl === '') throw new Error('These tests need PostgreSQL: run them with `npm test`, or set TEST_POSTGRES_URL.');
  const { hostname, port, username, password } = new URL(serverUrl);
  const name = `connector_${process.pid}_${Date.now().toString(36)}_${count++}`;
  const config: PostgresConfig = {
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    ...(password && { password: decodeURIComponent(password) }),
    database: name,
    ssl: 'prefer',
    schemas: [],
  };
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await administer(`create database ${name}`);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const clients: pg.Client[] = [];
  const sessions: Session[] = [];
  const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;
  const client = async (): Promise<pg.Client> => {
    const made = new pg.Client({ connectionString: url, types });
    // Tests end connections from outside.
    made.on('error', () => {});
    await made.connect();
    clients.push(made);
    return made;
  };
  let main: pg.Client | undefined;
  return {
    config,
    url,
    client,
    run: async (text) => {
      main ??= await client();
      await main.query(text);
    },
    rows: async (text) => {
      main ??= await client();
      return (await main.query({ text, rowMode: 'array' })).rows as (string | null)[][];
    },
    session: async (changes = {}, context = {}) => {
      const session = await connector.open(
        { ...config, ...changes },
        { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal, ...context },
      );
      sessions.push(session);
      return session;
    },
    close: async () => {
      for (const session of sessions) await session.close();
      for (const one of clients) await one.end();
      // The server may hold a slot for a moment after the one that followed it is gone.
      await until('the slots of the database are free', () =>
        administer(`drop database if exists ${name} with (force)`).then(
          () => true,
          (error: unknown) => {
            if ((error as { code?: string }).code !== '55006') throw error;
            return false;
          },
        ),
      );
    },
  };
}

/** The OutsideError with which something fails, as it has to. */
export async function failureOf(work: Promise<unknown> | (() => Promise<unknown>)): Promise<OutsideError> {
  const error: unknown = await (typeof work === 'function' ? work() : work).then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OutsideError, String(error));
  return error;
}
