import type { Changes, WriteResult } from '../contract.ts';

/** The counts of a write that changed nothing. */
export const NOTHING: Readonly<Changes> = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };

export function nothing(): WriteResult {
  return { ...NOTHING, rejects: [] };
}

/** A mirror that was not approved, and has left the table as it was. */
export function refused(): WriteResult & { refused: true } {
  return { ...nothing(), refused: true };
}
