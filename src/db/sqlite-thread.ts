import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbageWhenQuiet } from '../lib/collect-garbage.ts';
import type { Command, Connection } from './database.ts';
import { packError } from './errors.ts';
import { migrate } from './migrate.ts';
import { openSqlite, SqliteConnection } from './sqlite-connection.ts';
import { demandFiles } from './sqlite-files.ts';
import { Transaction } from './transaction.ts';

// A thread with a SQLite connection of its own, so that neither a commit's fsync nor a long scan holds up the API.
// It runs the commands it is sent one after the other, each in a transaction.

export interface ThreadSettings {
  path: string;
  mode: 'read' | 'write';
}

export interface ThreadRequest {
  id: number;
  module: string;
  name: string;
  input: unknown;
}

/** Has the file made anew. */
export interface SweepRequest {
  id: number;
  sweep: true;
}

export type ThreadAnswer = { id: number; output: unknown } | { id: number; error: ReturnType<typeof packError> };

const { path, mode } = workerData as ThreadSettings;
const port = parentPort;
if (!port) throw new Error('This file is the body of a worker thread.');

const database = openSqlite(path, mode);
const connection = new SqliteConnection(database);
const begin = mode === 'write' ? 'begin immediate' : 'begin';
// The first transaction makes the log. A connection that only reads acknowledges nothing.
let demandOwnFiles = (): void => undefined;
const commands = new Map<string, Command<unknown, unknown>>();

let queue = Promise.resolve();

if (mode === 'write') {
  queue = transact({ id: 0, module: '', name: '', input: undefined }, (tx) => migrate(tx, Date.now())).then(() => {
    demandOwnFiles = demandFiles(path);
  });
  collectGarbageWhenQuiet();
} else {
  port.postMessage({ id: 0, output: undefined } satisfies ThreadAnswer);
}

port.on('message', (request: ThreadRequest | SweepRequest | 'close') => {
  queue = queue.then(() => {
    if (request === 'close') return close();
    if ('sweep' in request) return sweep(request.id);
    return transact(request, async (tx) => (await find(request)).run(tx, request.input));
  });
});

/** What was deleted or changed stays in the pages of the file, and in the log, until they are used again. So both are made anew. */
function sweep(id: number): void {
  try {
    // A copy of all there is does not belong into memory.
    database.exec('pragma temp_store = file; vacuum; pragma temp_store = memory');
    const [outcome] = database.prepare('pragma wal_checkpoint(truncate)').all() as [{ busy: number }];
    if (outcome.busy !== 0) throw new Error('The log of the database could not be emptied, as a long read is under way.');
    demandOwnFiles();
    port?.postMessage({ id, output: undefined } satisfies ThreadAnswer);
  } catch (error) {
    port?.postMessage({ id, error: packError(error) } satisfies ThreadAnswer);
  }
}

async function transact({ id }: ThreadRequest, work: (tx: Connection) => Promise<unknown>): Promise<void> {
  let answer: ThreadAnswer;
  // At once, not as a promise: what comes next must know of a failure, which may have rolled back everything before it.
  const tx = new Transaction('sqlite', (query) => connection.rows(query));
  try {
    database.exec(begin);
    const output = await work(tx);
    tx.finish();
    database.exec('commit');
    demandOwnFiles();
    answer = { id, output };
  } catch (error) {
    tx.abandon();
    if (database.isTransaction) database.exec('rollback');
    answer = { id, error: packError(error) };
  }
  port?.postMessage(answer);
}

async function find({ module, name }: ThreadRequest): Promise<Command<unknown, unknown>> {
  const known = commands.get(module + name);
  if (known) return known;
  const found = ((await import(module)) as Record<string, Command<unknown, unknown>>)[name];
  if (!found) throw new Error(`${module} exports no command ${name}.`);
  commands.set(module + name, found);
  return found;
}

function close(): void {
  database.close();
  port?.close();
}
