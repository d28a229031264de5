import type { StreamReport } from './run.ts';

type WrittenStream = Pick<StreamReport, 'target' | 'inserted' | 'updated' | 'deleted'> & { readonly status: string };

// Nobody reads more names, and a run may have thousands of streams.
const MOST_NAMES = 10;

/** What a run has left at the target, in words: which streams it wrote and which it did not. True at any moment of a run. */
export function writtenText(streams: readonly WrittenStream[]): string {
  const isDone = ({ status }: WrittenStream): boolean => status === 'succeeded' || status === 'partial';
  const hasChanged = ({ inserted, updated, deleted }: WrittenStream): boolean => inserted + updated + deleted > 0;
  const groups: [string, readonly WrittenStream[]][] = [
    ['Written', streams.filter((stream) => isDone(stream) && hasChanged(stream))],
    ['Written in part', streams.filter((stream) => !isDone(stream) && hasChanged(stream))],
    ['Nothing to change', streams.filter((stream) => isDone(stream) && !hasChanged(stream))],
    ['Not written', streams.filter((stream) => !isDone(stream) && !hasChanged(stream))],
  ];
  if (!streams.some(hasChanged)) return 'Nothing was written.';
  return groups.flatMap(([what, some]) => (some.length > 0 ? [`${what}: ${names(some)}.`] : [])).join(' ');
}

function names(streams: readonly WrittenStream[]): string {
  const shown = streams.slice(0, MOST_NAMES).map(({ target }) => `"${target}"`);
  const rest = streams.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}
