import type { UndoneStream } from '../../../connectors/undo.ts';

export type UndoCounts = Pick<UndoneStream, 'restored' | 'removed' | 'left'>;

const rows = (n: number): string => `${n} ${n === 1 ? 'row' : 'rows'}`;

/** What was done, or would be. */
export function undoneWords({ restored, removed, left }: UndoCounts, isPreview = false): string {
  const verb = isPreview ? 'would be' : left === 1 ? 'was' : 'were';
  const others = left === 0 ? '' : ` ${rows(left)} ${verb} left, as others have changed ${left === 1 ? 'it' : 'them'} since.`;
  return `${rows(restored)}${isPreview ? ' would be' : ''} restored and ${rows(removed)} removed.${others}`;
}

/** What undoing a run means for its synchronization. */
export function pausedWords(isPreview: boolean): string {
  return `Its synchronization ${isPreview ? 'would be' : 'is'} paused, as the next run would do the same again. Correct what was wrong, and resume it. The streams of the run are then read from the start.`;
}

/** The answer that does not wait for its end. */
export function underWayWords(id: string): string {
  return `It takes longer, and goes on. GET /api/v1/datasync/runs/${id} has \`undone\` when it is done; the logs of the run say so if it cannot be. Its synchronization is paused with it.`;
}
