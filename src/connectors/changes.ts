import type { OutsideError } from '../outside/errors.ts';
import type { Position, Reject } from './batch.ts';
import type { Row, Value } from './canonical.ts';
import type { Changes, Field, WriteRequest } from './contract.ts';
import type { UndoKeeping } from './undo.ts';

// The second contract of a connector, beside `read` and `write` (contract.ts). Many systems write down what changes in them, for their own
// use: that is their log. A source with a log is followed, and the target makes the same changes, moments later:
//
//   source: hold ─▸ (the streams are loaded by `read` and `write`) ─▸ follow ─▸ sets of changes ─▸ target: apply ─▸ acknowledge
//
// What makes it safe:
// - One log tells of many streams, in the order of commits. A transaction of the source is one step at the target.
// - A position lies between two transactions. The target commits it with the changes before it. So whatever dies, one goes on behind the
//   position that the target has: no change is lost, and none is made twice.
// - What the source keeps for us it keeps under the name of an owner, from `hold` to `release`, and it forgets what was acknowledged.
// - When changes are lost all the same, that is never silent: it is an error of the kind `gap`, or a change `lost` of one stream.
//
// How a stream joins: the log is held first, then the stream is loaded, then `end` is asked. What lies between the two places may be in what was
// loaded, or not: these changes are applied as `mayBeThere`. Behind that end all is as the log says, so it is handed to `follow` as a milestone.

// ── What a log tells ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A value of a row as a read gives it; or undefined, when the log leaves it out because it has not changed (large values of PostgreSQL). The target then keeps what it has. */
export type LoggedValue = Value | undefined;
/** In the order of the fields that were told last. */
export type LoggedRow = readonly LoggedValue[];

/** One step in the log. `stream` is the place of the stream in the request. */
export type Change =
  | { readonly op: 'insert'; readonly stream: number; readonly row: LoggedRow }
  /** `key` has the values of the key before, when they were others. */
  | { readonly op: 'update'; readonly stream: number; readonly row: LoggedRow; readonly key?: readonly Value[] }
  | { readonly op: 'delete'; readonly stream: number; readonly key: readonly Value[] }
  /** All rows of the stream are gone. */
  | { readonly op: 'truncate'; readonly stream: number }
  /** From here on the rows of the stream have these fields, in this order. It comes before the first row of a stream, and when its table has changed. */
  | { readonly op: 'fields'; readonly stream: number; readonly fields: readonly Field[]; readonly key: readonly string[] }
  /** A row was inserted or changed to what cannot be read (a date of zero, where that is not to be null). It goes to the quarantine; what the target has of it stays. */
  | { readonly op: 'reject'; readonly stream: number; readonly key: readonly Value[]; readonly reject: Reject }
  /**
   * Here something happened to the stream that the log does not tell row by row (another table took its name, a partition was dropped). It has to be loaded anew; the
   * others go on, and it joins behind this place. It is no error, as that would come again whenever this place is passed.
   */
  | { readonly op: 'lost'; readonly stream: number; readonly error: OutsideError }
  | ChangeLines;

/**
 * Many changes of one kind that follow each other, as bytes (lines.ts), where it was asked for (`asLines`): whole rows in the order of the fields. No key is in it
 * twice, and none has changed.
 */
export interface ChangeLines {
  readonly op: 'lines';
  readonly stream: number;
  readonly kind: 'insert' | 'update';
  readonly lines: Buffer;
  readonly count: number;
  /** Lets the memory of the lines be used again: nobody looks at them any more. */
  readonly giveBack: () => void;
}

/** Some changes, in the order of the log: several small transactions, or a piece of a large one. */
export interface ChangeSet {
  readonly changes: readonly Change[];
  /** About how much memory it takes. */
  readonly bytes: number;
  /**
   * Behind the last transaction in it: from here one can go on. Missing when that transaction is not whole yet, and comes in further sets. There are
   * sets with a position and without changes, so that the source may forget what concerns nobody.
   */
  readonly position?: Position;
  /** When the last transaction in it was committed, by the clock of the source, in milliseconds. */
  readonly committedAt?: number;
}

// ── How it is followed ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A stream whose changes are wanted. */
export interface LogStream {
  readonly stream: string;
  /** Those that are wanted, in the order in which rows have them. Others are not told. */
  readonly fields: readonly string[];
  /**
   * Those that are known and not wanted. With this list, a field that is in neither is a new one: it is told behind those that are wanted. The reader cannot
   * know by itself what is new, as the table may have changed while nobody followed.
   */
  readonly ignored?: readonly string[];
  /** The fields that tell rows apart; never empty. */
  readonly key: readonly string[];
  /** Many rows may be told as lines: nobody has to look into them. */
  readonly asLines?: boolean;
}

export interface LogRequest {
  /** Names what the source keeps for this synchronization. */
  readonly owner: string;
  readonly streams: readonly LogStream[];
  readonly signal?: AbortSignal;
}

/** The log of a system. An error of the kind `gap` says that changes are lost: the streams that it names (all, when it names none) have to be loaded anew. */
export interface ChangeLog {
  /** What is missing for the log to be followed, each in a sentence that says what to do; empty when it can be. */
  check(): Promise<readonly string[]>;
  /**
   * Sees to it that everything from now on is kept for this owner, and answers from where. What was held before is given up. A stream that is not
   * there, a field that it lacks, and a stream that cannot be followed are errors of the kind `config`.
   */
  hold(request: LogRequest): Promise<Position>;
  /**
   * Adds streams to what is held, or takes some away; of a new one, everything from now on is told. It also mends what a gap of some streams has named: these are as new.
   * A field may be gone by now: the follower may be far behind, and the log tells what has become of it.
   */
  change(request: LogRequest): Promise<void>;
  /** Where the log ends at this moment: a change that is visible now lies before it. A follower of this session tells a position there as soon as it has come so far. */
  end(): Promise<Position>;
  /**
   * Tells what lies behind a position, and goes on with what is committed meanwhile, until the signal fires. Where the system can tell them apart, an
   * owner has one follower at a time: a new one puts an end to the one before. Where it cannot, the token at the target sees to it.
   *
   * Milestones, in any order, are places where what is told is cut. What lies before one and what lies behind it are never in one set: before the first
   * change behind it there is a set with a position that is not before it. That set comes as soon as the milestone is reached, also when no change follows.
   *
   * `TAKEN_BACK` (kind `transient`) says that sets without a position have come too early: others lie before them. It is followed again from the last position.
   */
  follow(request: LogRequest, after: Position, milestones?: readonly Position[]): Following;
  /** What the source keeps for this owner. */
  kept(owner: string): Promise<KeptLog>;
  /** Lets the source forget everything that is kept for this owner. Also when there is nothing. */
  release(owner: string): Promise<void>;
  /**
   * Where it is that the source keeps something for owners: the same by every way that leads there at this moment, and another anywhere else. It is not
   * told where nothing is kept.
   */
  identity?(): Promise<string>;
  /** Whether one position lies before another. */
  isBefore(one: Position, other: Position): boolean;
}

/** One follower. The next set is made when it is asked for, so that memory does not grow when the target is slow. */
export interface Following extends AsyncIterable<ChangeSet> {
  /** It reads on by itself while nobody asks, up to a set, and puts together what comes. Otherwise it is asked ahead of what is written. */
  readonly readsAhead?: true;
  /** Says that the target has everything up to this position: the source may forget it. */
  acknowledge(position: Position): void;
  /**
   * The rows of these keys as they are now, for what a log has left out: with these fields, in this order, whatever was told last. Rows that are gone are
   * missing; a field that is gone is null.
   */
  lookUp(stream: number, keys: readonly (readonly Value[])[], fields: readonly string[]): Promise<readonly (readonly Value[])[]>;
}

export interface KeptLog {
  /** Of the log that is kept for us; null where the system does not tell. */
  readonly bytes: number | null;
  /** What the log grows by within a second, as seen since it was last asked; null where the system does not tell, or was not asked before. */
  readonly bytesPerSecond: number | null;
}

// ── How the target takes it ──────────────────────────────────────────────────────────────────────────────────────────────

/** A stream that changes are applied to. */
export type AppliedTo = Omit<WriteRequest, 'owner' | 'token' | 'mode' | 'part' | 'resume' | 'signal' | 'undo'>;

/** What a target takes changes for: several streams with one checkpoint. */
export interface ApplyRequest {
  readonly streams: readonly AppliedTo[];
  /** Whose work it is: the checkpoint's name in the target. */
  readonly owner: string;
  /** Higher than that of every earlier worker of this owner. A lower one than the target knows is `fenced`. */
  readonly token: bigint;
  /** Asked once, with the note that the target keeps: whether to go on there. With false, position and note are forgotten. Without it, one goes on. */
  readonly resume?: (note: string | undefined) => boolean;
  /**
   * The rows of these keys as the source has them now, mapped to the fields of the stream; those that are gone are missing. Asked for updates
   * of rows that the target lacks and whose log leaves something out: the target alone knows which these are. Without it they are rejects.
   */
  readonly lookUp?: (stream: number, keys: readonly (readonly Value[])[]) => Promise<readonly Row[]>;
  /** What is replaced is kept, so that the run can be taken back. */
  readonly undo?: UndoKeeping;
  readonly signal?: AbortSignal;
}

/** A change of rows. */
export type LoggedChange = Exclude<Change, { op: 'fields' | 'reject' | 'lost' | 'lines' }>;

/** A change as it is written: mapped to the fields of the target. */
export type TargetChange = LoggedChange & {
  /**
   * What was read when the stream was loaded may have it already, or be newer: what is as it should be is left alone. Without it every change is
   * made, also one that changes nothing, so that triggers see what the source has seen.
   */
  readonly mayBeThere?: true;
};

/** Changes that are given to a target at once. */
export interface AppliedSet {
  readonly changes: readonly TargetChange[];
  /** Missing when the last transaction in it is not whole yet. */
  readonly position?: Position;
}

export interface ApplyResult {
  /** By stream, in the order of the request. */
  readonly counts: readonly Changes[];
  /** Rows that the target refuses; `index` is the place in the set. The others are written. */
  readonly rejects: readonly (Reject & { readonly stream: number })[];
}

/** Applies changes of several streams, one set after the other. A transaction of the source becomes visible as a whole, or not at all. */
export interface Applier {
  /** The last position that is in the target. */
  readonly checkpoint: Position | undefined;
  /** What was noted with it. */
  readonly note: string | undefined;
  /**
   * Makes changes in their order. A row that is inserted and is there already is updated; one that is updated and is not there is inserted; one that is deleted
   * and is not there is `unchanged`.
   *
   * With a position, everything since the last one is committed with it, with the note that `settle` answers (without `settle` the note stays), and on
   * condition of the token. Without a position it waits at the target, unseen, and `settle` is not called. The answer, and what `settle` is told, is that of the one set.
   *
   * When it throws, everything since the last position is taken back: from there it can be given again.
   */
  apply(set: AppliedSet, settle?: (result: ApplyResult) => string | Promise<string>): Promise<ApplyResult>;
  /**
   * Makes many changes that were told as lines, as `apply` does without a position. Undefined when they are not what most are (a row is not there, or is refused):
   * nothing of them was made then, and they have to be given one by one. A target without it takes no lines.
   */
  readonly applyLines?: (changes: Omit<ChangeLines, 'op' | 'giveBack'>) => Promise<Changes | undefined>;
  /**
   * Changes the fields of a stream, in the transaction of the next set. A target that cannot do so within a transaction does it now, and
   * throws `TABLE_CHANGED` (kind `transient`) when one has begun: that is then given again.
   */
  extend(stream: number, fields: readonly Field[]): Promise<void>;
  /** Lets go; what has no position yet is taken back. */
  close(): Promise<void>;
}
