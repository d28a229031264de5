// These tell of every change by themselves, so there is no need to read and compare everything.
const TELLS_CHANGES: ReadonlySet<string> = new Set(['hub']);

/** Whether the source says when something has changed, so that a synchronization can follow at once. */
export function tellsChanges(type: string): boolean {
  return TELLS_CHANGES.has(type);
}
