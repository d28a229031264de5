import type { Position } from '../../connectors/batch.ts';
import { NO_COUNTS } from '../progress.ts';
import type { Counts, RunError } from '../run.ts';

/**
 * What the target keeps beside the position of a live synchronization, in the transaction of the changes: how far each stream is, and what
 * was done. So all of it is true after any crash.
 */
export interface LiveNote {
  /** The run that wrote last. */
  readonly run: string;
  /** By the name at the target. */
  readonly streams: Readonly<Record<string, StreamNote>>;
  /** The run whose approval was used: what comes behind asks anew. */
  readonly approved?: string;
}

export interface StreamNote {
  readonly generation: number;
  /** `loading`: to be loaded, or being so; `live`: follows the log; `stopped`: waits for a person. */
  readonly state: 'loading' | 'live' | 'stopped';
  /** Changes up to here are in the target; of one that is loading, it will need those behind. Missing: it is where the others are. */
  readonly at?: Position | undefined;
  /** The load may have seen changes up to here. */
  readonly joinAt?: Position | undefined;
  /** What that run has done. */
  readonly counts: Counts;
  /** How many rows the target has, as counted since it was loaded. */
  readonly rows: number;
  /** The fields of the source that the target has all values of, with their types. */
  readonly fields: readonly string[];
  /** The run that has loaded it last. */
  readonly loadedBy?: string | undefined;
  readonly error?: RunError | undefined;
}

/** Undefined for what is not a note of ours. */
export function readLiveNote(text: string | undefined): LiveNote | undefined {
  if (text === undefined) return undefined;
  try {
    const note = JSON.parse(text) as Partial<LiveNote> | null;
    return typeof note?.run === 'string' && typeof note.streams === 'object' ? (note as LiveNote) : undefined;
  } catch {
    return undefined;
  }
}

export function newStreamNote(generation: number): StreamNote {
  return { generation, state: 'loading', counts: NO_COUNTS, rows: 0, fields: [] };
}

/** The note of a stream for a run that takes it up: loads are those of a run, and what has stopped is tried again, unless a person has to look. */
export function anew(note: StreamNote): StreamNote {
  if (note.state === 'live' || note.error?.kind === 'gap') return { ...note, counts: NO_COUNTS };
  return newStreamNote(note.generation);
}

/** Spells notes. Most streams are as they were at the last commit, and a synchronization may have thousands: their text is kept. */
export class NoteWriter {
  readonly #texts = new WeakMap<StreamNote, string>();

  write({ run, streams, approved }: LiveNote): string {
    const parts = Object.entries(streams).map(([name, note]) => `${JSON.stringify(name)}:${this.#textOf(note)}`);
    const more = approved === undefined ? '' : `,"approved":${JSON.stringify(approved)}`;
    return `{"run":${JSON.stringify(run)},"streams":{${parts.join(',')}}${more}}`;
  }

  #textOf(note: StreamNote): string {
    let text = this.#texts.get(note);
    if (text === undefined) this.#texts.set(note, (text = JSON.stringify(note)));
    return text;
  }
}
