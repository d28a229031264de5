import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { DriverMoved } from './driver-moved.ts';

// All that we hold on to inside `pg` and that its types do not promise. A new version may move any of it without a word: so each is
// looked at where it is taken, and the test beside this file asks the real driver.

export type Taker = (chunk: Buffer) => void;

/** What lies below a client: the connection that speaks the protocol. */
export interface PgWire {
  /** The socket, plain or encrypted. */
  readonly stream: Duplex;
  /** Sends a statement by itself, outside the queue of the client. */
  query(text: string): void;
  /** Ends a COPY that we are sending. */
  sendCopyFail(message: string): void;
}

/**
 * What a client takes as a query besides text. It is handed the connection when its turn has come, and then told of each message that
 * the server answers.
 */
export interface PgQuery {
  callback: (() => void) | undefined;
  submit(wire: PgWire): void;
  handleRowDescription(): void;
  handleDataRow(row: { fields: (string | null)[] }): void;
  handleCommandComplete(command: { text: string }): void;
  handleEmptyQuery(): void;
  handleCopyInResponse(): void;
  handleError(error: unknown): void;
  handleReadyForQuery(): void;
}

const moved = (what: string): DriverMoved => new DriverMoved('pg', what, 'src/lib/pg-internals.ts');

/** The socket of a client. */
export function streamOf(client: pg.ClientBase): Duplex {
  const stream = (client as unknown as { connection?: { stream?: Duplex } }).connection?.stream;
  if (typeof stream?.cork !== 'function') throw moved('`client.connection.stream`, the socket of a client');
  return stream;
}

/** Puts a query of our own into the queue of a client. */
export function submit(client: pg.ClientBase, query: PgQuery): void {
  client.query(query as unknown as pg.Submittable);
}

/** What the driver tells a query of its own. */
type Told = (error: Error | null, result?: pg.QueryResult) => void;

/**
 * Runs a statement under a name, by which the server keeps it parsed and planned. As `client.query({ name, text, values })` does, which first copies what it is given with
 * all descriptors of its members: beside small statements that is much of the driver's work.
 */
export function queryByName(client: pg.ClientBase, name: string, statement: pg.Query): Promise<pg.QueryResult> {
  const query = statement as pg.Query & { name?: string; callback?: Told };
  if (!('name' in query && 'callback' in query)) throw moved('`name` and `callback` of a `Query`');
  query.name = name;
  return new Promise<pg.QueryResult>((resolve, reject) => {
    query.callback = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult));
    client.query(query);
  }).catch((error: Error) => {
    // As the driver does: from the socket, where it was made, nothing leads to the one who asked.
    Error.captureStackTrace(error);
    throw error;
  });
}

/** What the driver hands to `submit`, looked at. */
export function wireOf(given: PgWire): PgWire {
  if (typeof given.stream?.cork !== 'function') throw moved('`connection.stream`, the socket that a query is handed');
  if (typeof given.query !== 'function') throw moved('`connection.query(text)`, which sends a statement');
  if (typeof given.sendCopyFail !== 'function') throw moved('`connection.sendCopyFail(message)`, which ends a COPY');
  return given;
}

/** Who takes what comes in over a socket: the driver's parser, which has to be the only one. */
export function parserOf(stream: { listeners(event: 'data'): unknown[] }): Taker {
  const takers = stream.listeners('data');
  if (takers.length !== 1)
    throw moved(`its parser: it was the one listener for \`data\` of the socket, and there are ${takers.length} listeners now`);
  return takers[0] as Taker;
}
