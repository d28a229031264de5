import type { Database } from '../../../db/database.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, notFound, unavailable } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/log.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { UndoneStream, UndoResult } from '../../../connectors/undo.ts';
import { findRun } from '../rows/queries.ts';
import type { RunRow, UndoneRun } from '../rows/run-row.ts';
import { readSyncs } from '../rows/sync-state.ts';
import type { SharedProber } from '../../sources/shared-prober.ts';
import type { SourceService } from '../../sources/service.ts';
import { list } from '../../../db/bulk.ts';
import { beginUndo, demandUndoable, dropUndo, endUndo, RENEW_INTERVAL, renewUndo, type RunToUndo, toUndo } from './commands.ts';

/** No more rows than this are listed of each stream that were left. */
const MOST_LISTED = 100;

/** What undoing a run has done, or would do. */
interface UndoAnswer {
  run: RunRow;
  streams: readonly UndoneStream[];
}

export interface UndoService {
  preview(caller: Caller, id: string): Promise<UndoAnswer>;
  /** All of it, or nothing. A run that was undone before is answered as it was then. */
  undo(caller: Caller, id: string): Promise<UndoAnswer>;
}

export interface UndoOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  sources: Pick<SourceService, 'endOf'>;
  prober: Pick<SharedProber, 'ask'>;
}

export function createUndoService({ db, clock, log, sources, prober }: UndoOptions): UndoService {
  const ask = async (caller: Caller, { run, sync, targets }: RunToUndo, preview: boolean): Promise<UndoResult> => {
    try {
      const { type, config } = await sources.endOf(sync.target_id);
      const question = { run: run.id, sync: sync.id, streams: targets, token: String(sync.token), preview, mostListed: MOST_LISTED };
      return await prober.ask(caller, type, config, { ask: 'undo', ...question }, sync.target_id);
    } catch (error) {
      throw error instanceof OutsideError ? refusalOf(run.id, error) : error;
    }
  };
  const look = async (caller: Caller, id: string): Promise<RunToUndo> => {
    const run = await findRun(db.read, id);
    const [sync] = run ? await readSyncs(db.read, list([run.sync_id])) : [];
    if (!run || !sync) throw notFound('run', id);
    await demandUndoable(db.read, caller, 'look', { run, sync });
    return toUndo({ run, sync });
  };
  /** Nobody takes the synchronization meanwhile for one that was left alone. */
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

  return {
    preview: async (caller, id) => {
      const what = await look(caller, id);
      if (what.run.undone !== null) throw alreadyUndone(what.run);
      return { run: what.run, streams: (await ask(caller, what, true)).streams };
    },
    undo: async (caller, id) => {
      const first = await look(caller, id);
      if (first.run.undone !== null) return { run: first.run, streams: [] };
      // What cannot be undone is refused before anything is paused. What was undone already is only to be written down.
      await ask(caller, first, true);
      const what = await db.write(beginUndo, { now: clock(), actor: caller.actor(), scopes: caller.scopes, id });
      if (what.run.undone !== null) return { run: what.run, streams: [] };
      try {
        const { streams } = await whileRenewed(what, () => ask(caller, what, false));
        const run = await db.write(endUndo, { now: clock(), actor: caller.actor(), id, outcome: outcomeOf(streams) });
        if (!run) throw notFound('run', id);
        return { run, streams };
      } catch (error) {
        await db.write(dropUndo, { syncId: what.sync.id, id }).catch(() => {});
        throw error;
      }
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

function refusalOf(run: string, error: OutsideError): AppError {
  if (error.code === 'BUSY') return unavailable(error.message);
  const words = `The run ${run} cannot be undone: ${error.message}`;
  return new AppError('CONFLICT', words, { reason: error.hint ?? error.message });
}
