import type { ShownValue } from './shown-values.ts';

/** What a writer keeps beside the rows, so that they can be taken back: in the transaction that changes them. */
export interface UndoKeeping {
  /** The run that writes. */
  readonly run: string;
  /** The synchronization that it is of. */
  readonly sync: string;
  /** When a run has changed more rows of a stream than about this many, nothing is kept of it. */
  readonly most: number;
}

/** A run that is to be taken back. */
export interface UndoRequest {
  readonly run: string;
  readonly sync: string;
  /** The streams that it may have written to, in the order of the definition. */
  readonly streams: readonly string[];
  /** Whose checkpoints the synchronization has here: who works for them with a lower token writes nothing any more. */
  readonly owners: readonly string[];
  readonly token: bigint;
  /** Only shows what would be done. */
  readonly preview: boolean;
  /** No more rows than this are listed of a stream. */
  readonly mostListed: number;
}

type ShownRow = Readonly<Record<string, ShownValue>>;

/** A row that is left as it is, and why. */
export interface LeftRow {
  readonly key: ShownRow;
  /** `changed`: it is not what the run has written; `removed`: it is gone; `added`: the run has removed it, and it is there again. */
  readonly reason: 'changed' | 'removed' | 'added';
}

/** One of the rows that are restored or removed: as it is, and as it was before the run. */
export interface RestoredRow {
  readonly change: 'insert' | 'update' | 'delete';
  readonly key: ShownRow;
  readonly before: ShownRow | null;
  readonly after: ShownRow | null;
}

/** What was taken back of a stream. */
export interface UndoneStream {
  readonly target: string;
  /** Rows that have their old values again, or are there again. */
  readonly restored: number;
  /** Rows that the run had inserted. */
  readonly removed: number;
  /** Rows that others have changed since. */
  readonly left: number;
  readonly rows_left: readonly LeftRow[];
  /** Some of those that are restored or removed; of a preview only. */
  readonly samples?: readonly RestoredRow[];
}

export interface UndoResult {
  readonly streams: readonly UndoneStream[];
  /** It had been taken back before: this is what was done then. */
  readonly isAgain: boolean;
}

/** What a target may forget. */
export interface ForgetRequest {
  readonly sync: string;
  /** Runs that began so many milliseconds ago or more; without it, all of them. */
  readonly olderThan?: number;
  /** The run that is under way. */
  readonly except?: string;
}

/** Takes back what runs have written, in a target that keeps what they replace. */
export interface RunUndo {
  /**
   * Takes a run back, all of it in one transaction or nothing. What cannot be taken back is refused with an error of the kind `config`:
   * `UNDO_NOTHING_KEPT`, `UNDO_NEWER_FIRST`, `UNDO_TABLE_FILLED`, `UNDO_TOO_MUCH`, `UNDO_TABLE_CHANGED`, `UNDO_REFUSED`.
   */
  undo(request: UndoRequest): Promise<UndoResult>;
  /** Lets it forget what it keeps of runs. */
  forget(request: ForgetRequest): Promise<void>;
}
