import type { RunStatus } from './transitions.ts';

// How many runs there are of each status is kept in `counters`, changed in the transaction of the change it counts: so the exact
// total of a list of all runs costs nothing.

/** Stands for runs of any status. */
const ANY_STATUS = '*';

export function runCounter(status: RunStatus | undefined): string {
  return `runs:${status ?? ANY_STATUS}`;
}

/**
 * What the counters change by. Undefined before: a new run; undefined after: one that is removed. In the order of names, as
 * every transaction locks the counters in that order and so none waits in a circle.
 */
export function runCounts(changes: readonly { before: RunStatus | undefined; after: RunStatus | undefined }[]): Record<string, number> {
  const counts = new Map<string, number>();
  const add = (status: RunStatus | undefined, by: number): unknown =>
    counts.set(runCounter(status), (counts.get(runCounter(status)) ?? 0) + by);
  for (const { before, after } of changes) {
    if (before !== undefined) add(before, -1);
    if (after !== undefined) add(after, 1);
    add(undefined, (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1));
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
