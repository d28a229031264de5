import type { Connection } from '../../../db/database.ts';
import type { ServerEvent } from '../../../http/event-stream.ts';
import { AppError } from '../../../lib/errors.ts';
import { findRun } from '../rows/queries.ts';
import { reportsOf, type RunRow, runJson, withReports } from '../rows/run-row.ts';
import { isActive, mergeReports } from '../rows/transitions.ts';
import type { RunSnapshot, RunWatcher } from './watch.ts';

/** A person sees no more than this; and between two of them, everything that happened is one. */
const SHORTEST_PAUSE = 250;
/** Runs of other nodes are only known by their rows. */
const LOOK_INTERVAL = 1_000;

/** A run as it goes on: the whole run at once and with every change, until it is over. `shown` is what the listener may see of it. */
export async function* runEvents(
  db: Connection,
  watcher: RunWatcher,
  run: RunRow,
  signal: AbortSignal,
  shown: (row: RunRow) => RunRow,
): AsyncGenerator<ServerEvent> {
  let row = run;
  let live: RunSnapshot | undefined;
  let news = Promise.withResolvers<void>();
  let stale = false;
  const stopWatching = watcher.watch(run.id, (snapshot) => {
    if (snapshot) live = snapshot;
    else stale = true;
    news.resolve();
  });
  try {
    let told: string | undefined;
    for (let lookedAt = performance.now(); !signal.aborted; ) {
      const json = runJson(shown(livened(row, live)));
      if (json !== told) yield { event: 'run', data: json };
      told = json;
      if (!isActive(row.status)) {
        yield { event: 'end', data: JSON.stringify({ id: row.id, status: row.status }) };
        return;
      }
      await pause(SHORTEST_PAUSE, signal);
      await pause(lookedAt + LOOK_INTERVAL - performance.now(), signal, news.promise);
      news = Promise.withResolvers();
      if (stale || performance.now() - lookedAt >= LOOK_INTERVAL) {
        stale = false;
        const found = await lookAgain(db, row);
        // The synchronization was deleted, and the run with it.
        if (!found) return;
        row = found;
        lookedAt = performance.now();
      }
    }
  } finally {
    stopWatching();
  }
}

/** The row says what state a run is in; how far it is, its node knows better. */
function livened(row: RunRow, live: RunSnapshot | undefined): RunRow {
  if (!live || row.status !== 'running') return row;
  const newer = withReports(row, mergeReports(reportsOf(row), live.streams));
  return live.lag ? { ...newer, lag: JSON.stringify(live.lag) } : newer;
}

/** A database that cannot be reached for a moment is no reason to hang up. */
async function lookAgain(db: Connection, row: RunRow): Promise<RunRow | undefined> {
  try {
    return await findRun(db, row.id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') return row;
    throw error;
  }
}

/** Waits a while, or until there is something new; never longer than the client listens. */
async function pause(milliseconds: number, signal: AbortSignal, news?: Promise<void>): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  const stop = (): void => over.resolve();
  signal.addEventListener('abort', stop);
  await Promise.race([over.promise, news ?? over.promise]);
  signal.removeEventListener('abort', stop);
  clearTimeout(timer);
}
