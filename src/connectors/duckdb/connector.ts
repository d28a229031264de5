import { aborted, OutsideError } from '../../outside/errors.ts';
import type { CheckReport, Context } from '../contract.ts';
import { countedTables } from '../counted-tables.ts';
import { isKept } from '../own-tables.ts';
import type { Connector, Session } from '../session.ts';
import { duckdbError } from './database/errors.ts';
import { creatable, type DuckdbDatabase, openDatabase } from './database/open.ts';
import { streamOf, tablesOf } from './database/schema.ts';
import { type DuckdbConfig, manifest } from './manifest.ts';
import { read } from './read/read.ts';
import { openByTurns } from './write/by-turns.ts';
import { openWriter } from './write/write.ts';

export const connector: Connector<DuckdbConfig> = {
  manifest,
  open: async (config, context) => sessionOf(config, context),
};

function sessionOf(config: DuckdbConfig, context: Context): Session {
  const closing = new AbortController();
  const signal = AbortSignal.any([context.signal, closing.signal]);
  const open = new Set<DuckdbDatabase>();
  const release = async (database: DuckdbDatabase): Promise<void> => {
    open.delete(database);
    await database.close();
  };
  const inWords = (error: unknown, stop: AbortSignal): OutsideError => (stop.aborted ? aborted() : duckdbError(error, config.path));
  const reading = async <T>(work: (database: DuckdbDatabase) => Promise<T>): Promise<T> => {
    if (signal.aborted) throw aborted();
    const database = await openDatabase(config, context, false);
    open.add(database);
    try {
      return await work(database);
    } catch (error) {
      throw inWords(error, signal);
    } finally {
      await release(database);
    }
  };
  const isMissing = (error: unknown): boolean => config.create && error instanceof OutsideError && error.code === 'FILE_MISSING';

  return {
    check: async () => {
      try {
        return await reading(check);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await creatable(config, context);
        return {
          message: `There is no file "${config.path}" yet.`,
          warnings: ['It is made when something is written to it. Until then there is nothing to read.'],
        };
      }
    },
    discover: async (names) => {
      try {
        return await reading(async ({ connection }) =>
          (await tablesOf(connection, names)).filter(({ name }) => !isKept(name)).map(streamOf),
        );
      } catch (error) {
        // A caller that asks for certain tables may be about to make them, and the file with them.
        if (names === undefined || !isMissing(error)) throw error;
        await creatable(config, context);
        return [];
      }
    },
    read: async function* (request) {
      const either = request.signal ? AbortSignal.any([signal, request.signal]) : signal;
      if (either.aborted) throw aborted();
      try {
        yield* read(reading, request, either);
      } catch (error) {
        throw inWords(error, either);
      }
    },
    write: async (request) => {
      const either = request.signal ? AbortSignal.any([signal, request.signal]) : signal;
      if (either.aborted) throw aborted();
      const database = await openByTurns(() => openDatabase(config, context, true));
      open.add(database);
      try {
        const writer = await openWriter(database, config.path, request, either);
        return { ...writer, close: () => release(database) };
      } catch (error) {
        await release(database);
        throw inWords(error, either);
      }
    },
    close: async () => {
      closing.abort();
      for (const database of open) await release(database);
    },
  };

  async function check({ connection }: DuckdbDatabase): Promise<CheckReport> {
    const [[version] = []] = await connection.rows('select version()');
    const tables = (await tablesOf(connection)).filter(({ name }) => !isKept(name)).length;
    return { message: `DuckDB ${String(version).replace(/^v/, '')}, "${config.path}" with ${countedTables(tables)}.`, warnings: [] };
  }
}
