import { OutsideError } from '../../../outside/errors.ts';
import type { KeptRun } from './kept-run.ts';

/** Nothing can be taken back, and why. */
function refusal(code: string, message: string, hint: string): OutsideError {
  return new OutsideError('config', code, message, { hint });
}

export function nothingKept(run: string): OutsideError {
  return refusal(
    'UNDO_NOTHING_KEPT',
    `The target keeps nothing of the run ${run}.`,
    'It has changed nothing there, or was before "undo" was set, or is older than what is kept.',
  );
}

export function newerFirst(run: string, newer: readonly string[]): OutsideError {
  const shown = newer.slice(0, 5).join(', ');
  const more = newer.length > 5 ? ` and ${newer.length - 5} more` : '';
  return refusal(
    'UNDO_NEWER_FIRST',
    `After the run ${run}, ${newer.length === 1 ? 'a newer one has' : 'newer ones have'} changed the same tables: ${shown}${more}.`,
    'Runs are taken back newest first.',
  );
}

/** Throws when what is kept of a run is not all that it has done. */
export function demandWhole(runs: readonly KeptRun[]): void {
  for (const { run, stream, isFilled, isTooMuch } of runs) {
    if (isFilled)
      throw refusal(
        'UNDO_TABLE_FILLED',
        `The run ${run} filled "${stream}", which had no rows before: it cannot be taken back row by row.`,
        'To take back a first load, empty the table.',
      );
    if (isTooMuch)
      throw refusal(
        'UNDO_TOO_MUCH',
        `The run ${run} changed more rows of "${stream}" than are kept.`,
        'Give "undo" more "max_rows" for the next time.',
      );
  }
}

/** What was kept does not fit the table any more. */
export function tableChanged(stream: string, column?: string): OutsideError {
  const what = column === undefined ? `There is no table "${stream}" any more.` : `"${stream}" has no column "${column}" any more.`;
  return refusal('UNDO_TABLE_CHANGED', what, 'What was kept of it cannot be put back.');
}

/** The target takes the old rows no more, such as when another row has their place. */
export function undoRefused(stream: string, cause: OutsideError): OutsideError {
  return new OutsideError('config', 'UNDO_REFUSED', `"${stream}" does not take its old rows back: ${cause.message}`, {
    hint: 'Nothing was changed. Put in order what the message names, and ask again.',
    cause,
  });
}
