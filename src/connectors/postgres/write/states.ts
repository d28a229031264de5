import type { Position } from '../../batch.ts';
import type { Changes, WriteMode, WriteResult } from '../../contract.ts';

/** What a writer has to know to go on, besides the position. It is kept as JSON, so that nothing in it may ever change its meaning. */
export interface WriterState {
  /** `load`: the table is ours and new, rows go in as they come, and its key is made at the end. */
  readonly phase?: 'load';
  /** A mirror into a table that was empty: how many rows it has put there so far. */
  readonly loaded?: number;
  /** Any other mirror: how many rows are in its stage. */
  readonly staged?: number;
  /** Beside the stage are keys of rows that it could not use. */
  readonly spared?: true;
  /** It is filled in parts, which have checkpoints of their own. */
  readonly split?: Split;
  /** Rows that were counted as new and turned out to be newer versions of others, which was not told yet. */
  readonly doubled?: number;
  /** The position is one of a log, whose changes were applied up to there. */
  readonly live?: true;
}

export interface Split {
  readonly name: string;
  readonly count: number;
}

export interface PostgresCheckpoint {
  readonly position: Position | null;
  /** What the caller wants to find again with the position. */
  readonly note: string | null;
  readonly state: WriterState;
}

export const NEW: PostgresCheckpoint = { position: null, note: null, state: {} };

/**
 * How rows get in.
 * - `plain`: straight into the table. Append; and a first load, whose key is made at its end.
 * - `direct`: straight into a table that was empty, until a key turns out to be there already.
 * - `merge`: through a temporary table.
 * - `stage`: into the stage of a mirror.
 */
export type RowWay = 'plain' | 'direct' | 'merge' | 'stage';

/** The way of a writer that begins in this state. `isEmpty`: there is no row in the table, or it is as good as certain that none comes again. */
export function wayOf(
  { staged, phase }: WriterState,
  { mode, hasKey, isEmpty }: { mode: WriteMode; hasKey: boolean; isEmpty: boolean },
): RowWay {
  if (staged !== undefined) return 'stage';
  if (phase === 'load' || mode === 'append' || !hasKey) return 'plain';
  return isEmpty ? 'direct' : 'merge';
}

/** The way once another state is committed: a load that was taken back goes on in its stage, and a table that got its key is asked by it. */
export function wayAfter(way: RowWay, before: WriterState, after: WriterState): RowWay {
  if (after.staged !== undefined) return 'stage';
  return before.phase === 'load' && after.phase === undefined ? 'merge' : way;
}

/** Without its position, its note and what a mirror has collected. That a table still lacks its key concerns the table. */
export function forgotten({ state: { phase } }: PostgresCheckpoint): PostgresCheckpoint {
  return { ...NEW, state: phase ? { phase } : {} };
}

/** A mirror has collected or loaded something that is not finished. */
export function isUnderWay({ loaded, staged }: WriterState): boolean {
  return loaded !== undefined || staged !== undefined;
}

/** Once a batch is in. */
export function afterBatch(state: WriterState, batch: { operation: 'write' | 'delete'; count: number }, outcome: WriteResult): WriterState {
  const { doubled: _, ...after } = state;
  const { loaded, staged } = after;
  const collected = batch.operation === 'write' ? batch.count - outcome.rejects.length : 0;
  return {
    ...after,
    ...(loaded !== undefined && { loaded: loaded + outcome.inserted }),
    ...(staged !== undefined && { staged: staged + collected }),
  };
}

/** The changes together with those that were not told yet. */
export function told({ doubled = 0 }: WriterState, { inserted, updated, unchanged, deleted }: Changes): Changes {
  return { inserted: inserted - doubled, updated: updated + doubled, unchanged, deleted };
}

/** Once the table got its key, and so many rows went because others had the same. The next outcome tells of them if it is to. */
export function afterKey(before: WriterState, doubled: number, isTold: boolean): WriterState {
  const { phase: _, ...state } = before;
  return {
    ...state,
    ...(state.loaded !== undefined && { loaded: state.loaded - doubled }),
    ...(isTold && doubled > 0 && { doubled }),
  };
}

/** How each part begins. */
export function ofPart({ phase, loaded, staged, spared }: WriterState): WriterState {
  return {
    ...(phase && { phase }),
    ...(loaded !== undefined && { loaded: 0 }),
    ...(staged !== undefined && { staged: 0 }),
    ...(spared && { spared }),
  };
}

/** The whole, once it has taken its parts over. */
export function joined(before: WriterState, parts: readonly WriterState[]): WriterState {
  const { split: _, ...whole } = before;
  const sum = (name: 'loaded' | 'staged'): number => parts.reduce((total, part) => total + (part[name] ?? 0), whole[name] ?? 0);
  return {
    ...whole,
    ...(whole.loaded !== undefined && { loaded: sum('loaded') }),
    ...(whole.staged !== undefined && { staged: sum('staged') }),
  };
}
