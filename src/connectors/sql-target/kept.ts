import type { Position } from '../batch.ts';
import type { StraightLoad } from './straight-load.ts';

/** The table beside the data that keeps, for each owner, how far it has come and the token of the worker that may go on. */
export const CHECKPOINT_TABLE = '_syncline_checkpoints';

/** How far an owner has come, as the target keeps it. */
export interface Kept {
  readonly position: Position | undefined;
  readonly note: string | undefined;
  /** What the position counts: rows of the table, or of a stage of a certain shape. Without a position it only tells what may be left. */
  readonly state: string | undefined;
}

/** The work begins anew. The note of work that was finished stays; that of work which is thrown away does not. */
export function afresh({ position, note, state }: Kept): Kept {
  return { position: undefined, note: position === undefined ? note : undefined, state };
}

/** Nobody wants to go on from there. */
export function forgotten({ state }: Kept): Kept {
  return { position: undefined, note: undefined, state };
}

/** From where rows go into the table itself. What is kept may be of another kind of work, such as a mirror's. */
export function intoTable(found: Kept, stream: string): Kept {
  const state = JSON.stringify({ into: stream });
  if (found.state === state) return found;
  // An older version kept no state with its positions, which all counted rows of the table.
  return { ...(found.state === undefined ? found : afresh(found)), state };
}

interface MirrorFacts {
  readonly load: StraightLoad;
  /** The state of rows in a stage of the shape that is needed now. */
  readonly staged: string;
  /** The table has no rows. */
  readonly isEmpty: boolean;
  /** There is a stage. */
  readonly hasStage: boolean;
}

/**
 * From where a mirror goes on, and by which way. Into a table that is empty the rows go straight, there is nothing to compare them
 * with. Otherwise, also when such a load was broken off and is not gone on with, they are collected in a stage.
 */
export function mirrorFrom(found: Kept, { load, staged, isEmpty, hasStage }: MirrorFacts): { way: 'load' | 'stage'; kept: Kept } {
  if (found.position !== undefined && found.state === staged && hasStage) return { way: 'stage', kept: found };
  // Where all rows that were loaded are gone, the position tells of nothing.
  if (found.position !== undefined && load.loadedIn(found.state) !== undefined && !isEmpty) return { way: 'load', kept: found };
  const anew = afresh(found);
  return isEmpty ? { way: 'load', kept: { ...anew, state: load.stateWith(0) } } : { way: 'stage', kept: { ...anew, state: staged } };
}

/** What is kept with a position of a log. */
const LIVE = JSON.stringify({ live: true });

/** From where changes of a log are applied. What is kept may be of another kind of work. */
export function intoLive(found: Kept): Kept {
  return found.state === LIVE ? found : { position: undefined, note: undefined, state: LIVE };
}
