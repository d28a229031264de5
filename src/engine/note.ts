import type { Range } from '../connectors/contract.ts';
import type { Counts } from './run.ts';

/**
 * One reading of a stream, from where the one before ended up to its end. Whatever dies on the way, and whichever run goes on, it
 * stays the same round until it has come to its end.
 */
export interface Round {
  /** The run that began it. */
  readonly id: string;
  /** How many rows of the source are behind the position. */
  readonly rows: number;
}

/** What the target keeps for us beside the position, in the same transaction: so the counts of a run are true after any crash. */
export interface Note {
  /** The run that wrote last. */
  readonly run: string;
  readonly generation: number;
  /** Whether that run is through with this stream. */
  readonly finished: boolean;
  /** What that run has done so far. */
  readonly counts: Counts;
  /** For a target that keeps nothing itself: the round that the position belongs to. */
  readonly round?: Round;
  /** Of a stream that is copied in parts: the range of each. What was done of them is noted with them. */
  readonly split?: readonly Range[];
  /** The last of the rejects that that run has tried again; they are tried in the order of their identities. */
  readonly retried?: string;
}

export function writeNote(note: Note): string {
  return JSON.stringify(note);
}

/** Undefined for what is not a note of ours. */
export function readNote(text: string | undefined): Note | undefined {
  if (text === undefined) return undefined;
  try {
    const note = JSON.parse(text) as Partial<Note> | null;
    return typeof note?.run === 'string' && typeof note.generation === 'number' && note.counts ? (note as Note) : undefined;
  } catch {
    return undefined;
  }
}
