import { setTimeout as sleep } from 'node:timers/promises';
import { list } from '../../../db/bulk.ts';
import type { Database } from '../../../db/database.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, notFound, unavailable } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/log.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { UndoneStream, UndoResult } from '../../../connectors/undo.ts';
import type { LogStore } from '../../logs/store.ts';
import type { SharedProber } from '../../sources/shared-prober.ts';
import type { SourceService } from '../../sources/service.ts';
import { findRun } from '../rows/queries.ts';
import type { RunRow, UndoneRun } from '../rows/run-row.ts';
import type { RunOfSync } from '../rows/store.ts';
import { readSyncs } from '../rows/sync-state.ts';
import {
  beginUndo,
  demandQuiet,
  demandUndoable,
  dropUndo,
  endUndo,
  RENEW_INTERVAL,
  renewUndo,
  type RunToUndo,
  toUndo,
} from './commands.ts';
import { undoneWords } from './words.ts';

/** No more rows than this are listed of each stream that were left. */
const MOST_LISTED = 100;
/** A connection on which nothing passes for a minute is cut. What takes longer than this goes on after the answer. */
const LONGEST_ANSWER = 30_000;

export interface UndoService {
  preview(caller: Caller, id: string): Promise<{ run: RunRow; streams: readonly UndoneStream[] }>;
  /** All of it, or nothing. A run that was undone before is answered as it was then; one that takes long, before it is. */
  undo(caller: Caller, id: string): Promise<RunRow>;
}

export interface UndoOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  logs: Pick<LogStore, 'add'>;
  sources: Pick<SourceService, 'endOf'>;
  prober: Pick<SharedProber, 'ask'>;
  /** Milliseconds after which the answer does not wait any longer. */
  longestAnswer?: number | undefined;
}

export function createUndoService({ db, clock, log, logs, sources, prober, longestAnswer = LONGEST_ANSWER }: UndoOptions): UndoService {
  const ask = async (caller: Caller, { run, sync, targets }: RunToUndo, preview: boolean): Promise<UndoResult> => {
    try {
      const { type, config } = await sources.endOf(sync.target_id);
      const question = { run: run.id, sync: sync.id, streams: targets, token: String(sync.token), preview, mostListed: MOST_LISTED };
      return await prober.ask(caller, type, config, { ask: 'undo', ...question }, sync.target_id);
    } catch (error) {
      throw error instanceof OutsideError ? refusalOf(run.id, error) : error;
    }
  };
  const look = async (caller: Caller, id: string, act: 'look' | 'move'): Promise<RunOfSync> => {
    const run = await findRun(db.read, id);
    const [sync] = run ? await readSyncs(db.read, list([run.sync_id])) : [];
    if (!run || !sync) throw notFound('run', id);
    await demandUndoable(db.read, caller, act, { run, sync });
    return { run, sync };
  };
  /** Other nodes know meanwhile that it is still being done. */
  const whileRenewed = async <Result>({ run, sync }: RunToUndo, work: () => Promise<Result>): Promise<Result> => {
    const renew = (): void =>
      void db
        .write(renewUndo, { now: clock(), syncId: sync.id, id: run.id })
        .catch((error: unknown) => log.warn({ err: error, run: run.id }, 'could not say that a run is still being undone'));
    const timer = setInterval(renew, RENEW_INTERVAL);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  };
  /** Tells the logs why a run was not undone: the caller may have been answered before. */
  const telling = async <Result>({ run, sync }: RunOfSync, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const why = error instanceof AppError ? error.message : "The reason is in the service's own log.";
      const message = `The run was not undone, and nothing was changed. ${why}`;
      logs.add({ syncId: sync.id, runId: run.id, level: 'error', message });
      throw error;
    }
  };
  /** The answer, or what is answered when it does not come in time. */
  const inTime = async <Result, Late>(answer: Promise<Result>, instead: Late): Promise<Result | Late> => {
    const over = new AbortController();
    const late = sleep(longestAnswer, instead, { signal: over.signal, ref: false }).catch(() => instead);
    try {
      return await Promise.race([answer, late]);
    } finally {
      over.abort();
    }
  };
  const undoNow = (caller: Caller, found: RunOfSync): Promise<RunRow> =>
    telling(found, async () => {
      // What cannot be undone is refused before anything is paused. What was undone already is only to be written down.
      await ask(caller, toUndo(found), true);
      const what = await db.write(beginUndo, { now: clock(), actor: caller.actor(), scopes: caller.scopes, id: found.run.id });
      return what.run.undone === null ? takeBack(caller, what) : what.run;
    });
  const takeBack = async (caller: Caller, what: RunToUndo): Promise<RunRow> => {
    const { id } = what.run;
    const about = { syncId: what.sync.id, runId: id };
    try {
      const { streams } = await whileRenewed(what, () => ask(caller, what, false));
      const outcome = outcomeOf(streams);
      const run = await db.write(endUndo, { now: clock(), actor: caller.actor(), id, outcome });
      if (!run) throw notFound('run', id);
      logs.add({ ...about, level: 'info', message: `The run was undone: ${undoneWords(outcome)}` });
      return run;
    } catch (error) {
      await db.write(dropUndo, { syncId: what.sync.id, id }).catch(() => {});
      throw error;
    }
  };

  return {
    preview: async (caller, id) => {
      const found = await look(caller, id, 'look');
      if (found.run.undone !== null) throw alreadyUndone(found.run);
      const asked = ask(caller, toUndo(found), true);
      // Nobody may be left to hear why.
      asked.catch(() => {});
      const shown = await inTime(asked, undefined);
      if (shown === undefined) throw previewTooLong(id, longestAnswer);
      return { run: found.run, streams: shown.streams };
    },
    undo: async (caller, id) => {
      const found = await look(caller, id, 'move');
      if (found.run.undone !== null) return found.run;
      await demandQuiet(db.read, found.sync);
      const done = undoNow(caller, found);
      // Its end is written down, whether or not the caller still waits for it.
      done.catch((error: unknown) => {
        if (!(error instanceof AppError)) log.error({ err: error, run: id }, 'a run could not be undone');
      });
      return inTime(done, found.run);
    },
  };
}

function outcomeOf(streams: readonly UndoneStream[]): Omit<UndoneRun, 'at' | 'by'> {
  const sum = (name: 'restored' | 'removed' | 'left'): number => streams.reduce((total, stream) => total + stream[name], 0);
  const rows_left = streams.flatMap(({ target, rows_left: rows }) => rows.map((row) => ({ target, ...row })));
  return { restored: sum('restored'), removed: sum('removed'), left: sum('left'), rows_left };
}

function alreadyUndone({ id, undone }: RunRow): AppError {
  const { at } = JSON.parse(undone ?? '{}') as UndoneRun;
  return new AppError('CONFLICT', `The run ${id} was undone at ${at}.`, { reason: 'it was undone already' });
}

function previewTooLong(run: string, limit: number): AppError {
  return unavailable(
    `What undoing the run ${run} would change could not be shown within ${limit / 1000} seconds. Ask again when the target is less busy, or undo it: that goes on after the answer, in one transaction, and leaves and lists what others have changed.`,
  );
}

function refusalOf(run: string, error: OutsideError): AppError {
  if (error.code === 'BUSY') return unavailable(error.message);
  if (error.kind === 'transient') {
    const advice = error.hint === undefined ? '' : ` ${error.hint}`;
    return unavailable(`The run ${run} cannot be undone now: ${error.message}${advice}`, { until: 'the target answers' });
  }
  const words = `The run ${run} cannot be undone: ${error.message}`;
  return new AppError('CONFLICT', words, { reason: error.hint ?? error.message });
}
