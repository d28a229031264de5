import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { CheckReport, Context } from '../contract.ts';
import type { Connector, Session } from '../session.ts';
import { countedTables } from '../counted-tables.ts';
import { aborted, OutsideError } from '../../outside/errors.ts';
import { discover } from './database/discover.ts';
import { sqliteError } from './database/errors.ts';
import { type SqliteConfig, manifest } from './manifest.ts';
import { creatable, openForReading, openForWriting, patiently } from './database/open.ts';
import { read } from './read/read.ts';
import { openApplier } from './apply/open.ts';
import { takeBack } from '../sql-target/undo/take-back.ts';
import { forgetRuns, undoDialect } from './undo/undo.ts';
import { complete, type StructureSite } from './structure/complete.ts';
import { connect } from './structure/connect.ts';
import { describe } from './structure/describe.ts';
import { transactor } from './write/transaction.ts';
import { openWriter } from './write/write.ts';

export const connector: Connector<SqliteConfig> = {
  manifest,
  open: async (config, context) => sessionOf(config, context),
};

function sessionOf(config: SqliteConfig, context: Context): Session {
  const closing = new AbortController();
  const signal = AbortSignal.any([context.signal, closing.signal]);
  const open = new Set<DatabaseSync>();

  /** Every piece of work has a connection of its own: they may overlap, and opening one costs next to nothing. */
  const opened = async (how: typeof openForReading): Promise<DatabaseSync> => {
    if (signal.aborted) throw aborted();
    const database = await how(config, context).catch((error: unknown) => {
      throw sqliteError(error, config.path);
    });
    open.add(database);
    return database;
  };
  const release = (database: DatabaseSync): void => {
    open.delete(database);
    if (database.isOpen) database.close();
  };
  const reading = async <T>(work: (database: DatabaseSync) => T | Promise<T>): Promise<T> => {
    const database = await opened(openForReading);
    try {
      return await work(database);
    } catch (error) {
      throw signal.aborted ? aborted() : sqliteError(error, config.path);
    } finally {
      release(database);
    }
  };

  /** Of what is there: a file that is gone is not made anew. */
  const changing = async <T>(work: (database: DatabaseSync) => Promise<T>): Promise<T> => {
    const database = await opened((of, within) => openForWriting({ ...of, create: false }, within));
    try {
      return await work(database);
    } catch (error) {
      throw signal.aborted ? aborted() : sqliteError(error, config.path);
    } finally {
      release(database);
    }
  };

  const siteOf = (database: DatabaseSync, other: AbortSignal | undefined): StructureSite => ({
    database,
    transact: transactor(database, config, other ? AbortSignal.any([signal, other]) : signal),
    path: config.path,
  });

  return {
    check: () => check(config, context, (work) => reading((database) => patiently(config, signal, () => work(database)))),
    discover: async (names) => {
      try {
        return await reading((database) => discover(database, config, signal, names));
      } catch (error) {
        // A caller that asks for certain tables may be about to make them, and the file with them.
        const isToBeMade = names !== undefined && config.create && error instanceof OutsideError && error.code === 'FILE_MISSING';
        if (!isToBeMade) throw error;
        await creatable(config, context);
        return [];
      }
    },
    read: async function* (request) {
      const either = request.signal ? AbortSignal.any([signal, request.signal]) : signal;
      if (either.aborted) throw aborted();
      const database = await opened(openForReading);
      try {
        yield* read(database, request, either, config);
      } catch (error) {
        throw closing.signal.aborted ? aborted() : sqliteError(error, config.path);
      } finally {
        release(database);
      }
    },
    write: async (request) => {
      const either = request.signal ? AbortSignal.any([signal, request.signal]) : signal;
      const database = await opened(openForWriting);
      try {
        const writer = await openWriter(database, config, request, either);
        return { ...writer, close: async () => release(database) };
      } catch (error) {
        release(database);
        throw sqliteError(error, config.path);
      }
    },
    apply: async (request) => {
      const either = request.signal ? AbortSignal.any([signal, request.signal]) : signal;
      const database = await opened(openForWriting);
      try {
        return await openApplier(database, config, request, either);
      } catch (error) {
        release(database);
        throw sqliteError(error, config.path);
      }
    },
    structure: {
      describe: (streams) => reading((database) => patiently(config, signal, () => describe(database, streams))),
      complete: (stream, either) => changing((database) => complete(siteOf(database, either), stream)),
      connect: (streams, either) => changing((database) => connect(siteOf(database, either), streams)),
    },
    undo: {
      undo: (request) =>
        changing((database) => takeBack(undoDialect(database, config.path, transactor(database, config, signal)), request)),
      forget: (request) =>
        changing((database) => transactor(database, config, signal)(() => forgetRuns(database, request))).catch((error: unknown) => {
          // With the file went what it kept.
          if (!(error instanceof OutsideError) || error.code !== 'FILE_MISSING') throw error;
        }),
    },
    close: async () => {
      closing.abort();
      for (const database of open) release(database);
    },
  };
}

async function check(
  config: SqliteConfig,
  context: Context,
  reading: <T>(work: (database: DatabaseSync) => T) => Promise<T>,
): Promise<CheckReport> {
  const missing = await context.roots.existing(config.path).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (missing !== undefined) {
    if (!(missing instanceof OutsideError) || missing.code !== 'FILE_MISSING' || !config.create) throw missing;
    await creatable(config, context);
    return {
      message: `There is no file "${config.path}" yet.`,
      warnings: ['It is made when something is written to it. Until then there is nothing to read.'],
    };
  }
  const { version, tables } = await reading((database) => ({
    version: String(database.prepare('select sqlite_version() as version').get()?.['version']),
    tables: Number(database.prepare(`select count(*) as count from sqlite_schema where type in ('table', 'view')`).get()?.['count']),
  }));
  const warnings = await writeWarnings(config, context);
  return { message: `SQLite ${version}, "${config.path}" with ${countedTables(tables)}.`, warnings };
}

/** Whether the file could be written to, without writing. */
async function writeWarnings(config: SqliteConfig, context: Context): Promise<string[]> {
  try {
    const file = await context.roots.existing(config.path);
    if (statSync(file).size === 0) return ['The file is empty: it is an SQLite database without tables.'];
    const database = await openForWriting(config, context);
    try {
      database.exec('begin immediate; rollback');
      return [];
    } finally {
      database.close();
    }
  } catch (error) {
    const { code, message } = sqliteError(error, config.path);
    return code === 'LOCKED' ? ['Another program is writing to it just now.'] : [`Only reading works: ${message}`];
  }
}
