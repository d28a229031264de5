import type { Reject } from '../connectors/batch.ts';
import type { Field, PartName, Range } from '../connectors/contract.ts';
import type { Session } from '../connectors/session.ts';
import type { ErrorKind } from '../outside/errors.ts';
import type { SyncDefinition } from './definition.ts';
import type { ShownValue } from '../connectors/shown-values.ts';

/**
 * - `run`: as the definition says.
 * - `full`: reads everything anew, whatever the position.
 * - `preview`: shows what would change, and writes nothing.
 * - `rejects`: tries again what was rejected.
 * - `verify`: compares both ends, and writes nothing.
 * - `repair`: does the same, and writes the rows that differ.
 * - `repair_preview`: shows what a repair would change, and writes nothing.
 */
export type RunMode = 'run' | 'full' | 'preview' | 'rejects' | ProofMode;

/** The modes in which both ends are compared. */
type ProofMode = 'verify' | 'repair' | 'repair_preview';

/** One end of a synchronization, with its secrets: never logged, never stored. */
export interface End {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: unknown;
}

/** Everything that a run needs to know. Plain data: it travels into a thread. */
export interface RunOrder {
  readonly id: string;
  readonly syncId: string;
  readonly mode: RunMode;
  /** Higher than that of every run of this synchronization before: the fencing token. */
  readonly token: bigint;
  /** Whether a person has seen what would change and agreed. */
  readonly approved: boolean;
  readonly source: End;
  readonly target: End;
  readonly definition: SyncDefinition;
  /** The streams to do, with what is remembered of each. Those that this run has done already are not among them. */
  readonly streams: readonly StreamState[];
  /** How many streams may be under way at the same time. */
  readonly sideBySide: number;
  /** From so many rows on, a stream may be copied in parts; 0 for never. */
  readonly splitRows: number;
  /** Only this part of the one stream: another worker has the run itself. */
  readonly part?: TakenPart;
  /** Milliseconds after which a live run is closed, and another one goes on. */
  readonly rollAfter: number;
  /** The trace that it belongs to, where there is one. */
  readonly traceparent?: string | undefined;
}

/** One of the parts in which a large stream is copied, for the worker that has taken it. */
export interface TakenPart extends PartName {
  readonly range: Range;
  /** Higher than that of every worker that had this part before. */
  readonly token: number;
}

/** What is left to do of the parts of a stream. */
export interface PartsLeft {
  /** One that is now the caller's. */
  readonly taken: TakenPart | null;
  /** How many are not through yet, whichever worker has them. */
  readonly open: number;
  /** Why one of them cannot be done. */
  readonly error: RunError | null;
}

/** What is remembered of a stream between runs. */
export interface StreamState {
  /** Its place in the definition. */
  readonly index: number;
  /** Goes up with every reset and every full run: a position of another generation does not count. */
  readonly generation: number;
  /** The fields of the source at the last run; null before the first. */
  readonly fields: readonly Field[] | null;
  /** For targets that keep no positions. */
  readonly position: string | null;
  /** What was noted with it. */
  readonly note: string | null;
  /** How many rows the last complete read found; null before the first. */
  readonly rows: number | null;
  /** How many rejects wait to be tried again. */
  readonly openRejects: number;
}

export type StreamStatus = 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';

export interface Counts {
  read: number;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
  bytes: number;
}

export interface RunError {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  /** Seconds after which the system wants to be asked again. */
  readonly retry_after?: number;
  /** At which end it happened, where it was one of them. */
  readonly end?: 'source' | 'target';
  /** The place in the definition that is to blame, such as `streams[0].fields[3].from`. */
  readonly field?: string;
}

/** How far a stream is: what `GET /runs/{id}` shows of it. */
export interface StreamReport extends Counts {
  readonly name: string;
  readonly target: string;
  status: StreamStatus;
  rows_per_second: number;
  estimated_total: number | null;
  /** The position of the last batch that is in the target. */
  checkpoint: string | null;
  error: RunError | null;
  /** Of a live synchronization: whether the stream is being loaded, follows the log, or has stopped until a person acts. */
  live?: 'loading' | 'live' | 'stopped';
  /** What of the fields of the source is no longer as it was at the last run, in sentences. */
  schema_changes?: readonly string[];
  /** What could not be made of the structure of the target, in sentences. */
  warnings?: readonly string[];
  /** What a mirror would change, when a person has to agree; what a preview found. */
  changes?: StreamChanges;
  /** What was found when both ends were compared. */
  proof?: StreamProof;
}

/** Whether the target has what the source has, through the mapping. `changing`: rows that differ changed again whenever they were looked at. */
export type ProofResult = 'equal' | 'differs' | 'changing';

/** What was found when both ends of a stream were compared. */
export interface StreamProof {
  readonly result: ProofResult;
  /** How many rows the source has that belong at the target. */
  readonly rows: number;
  /** SHA-256 of these rows, in hexadecimal. */
  readonly digest: string;
  /** What it is made of: the rows as we have read them, or the digests of their ranges, which the source has made itself. Absent: the rows. */
  readonly digest_of?: 'rows' | 'ranges';
  /** Rows of the source that the target lacks, rows of the target that the source lacks, and rows that both have and not the same. */
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** Rows that were on their way whenever they were looked at. */
  readonly changing: number;
  /** Rows at the target that the source does not have, and that the definition leaves there. */
  readonly kept: number;
  /** Rows that are in quarantine, and so are not missing. */
  readonly quarantined: number;
  /** There are more that differ than were told apart: the numbers are the least that there are. */
  readonly more?: true;
  /** `ledger`: the target cannot be read back; what it has accepted was compared. */
  readonly by: 'target' | 'ledger';
  /** Of a live stream: the place in the log of the source that it holds for. */
  readonly position: string | null;
  readonly duration_ms: number;
  /** Some of the rows that differ. */
  readonly samples: readonly ProofSample[];
}

export interface ProofSample {
  readonly difference: 'missing' | 'extra' | 'different';
  /** By the names at the target; null where rows have none. */
  readonly key: Readonly<Record<string, ShownValue>> | null;
  /** The fields that are shown: those that differ, or all when one end lacks the row. */
  readonly fields: readonly string[];
  /** What the source has, through the mapping; null when it has no such row. */
  readonly source: Readonly<Record<string, ShownValue>> | null;
  /** What the target has. */
  readonly target: Readonly<Record<string, ShownValue>> | null;
}

/** How far the live run of a synchronization is with a stream. */
export interface LiveFront {
  /** Whether the stream follows the log at this moment. */
  readonly isFollowing: boolean;
  /** Everything up to here is in the target; null when it has not been told. */
  readonly position: string | null;
}

/** How far a live synchronization is behind its source. */
export interface Lag {
  /** Between the commit of the last change that is in the target and the moment it got there; since when it waits, when there is more. */
  readonly seconds: number;
  /** Of the log that the source keeps for it, where the source tells. */
  readonly bytes: number | null;
  /** What the log grows by in a second, where the source tells: by it one sees how long `max_retained` lasts. */
  readonly bytes_per_second: number | null;
  /** When this was so. */
  readonly at: string;
}

export interface StreamChanges {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Some of them: of a preview only. */
  readonly samples?: readonly ChangeSample[];
}

export interface ChangeSample {
  readonly change: 'insert' | 'update' | 'delete';
  readonly key: Readonly<Record<string, ShownValue>> | null;
  /** The row at the target, by field; null for one that is not there. */
  readonly before: Readonly<Record<string, ShownValue>> | null;
  /** The row as it would be; null for one that would go. */
  readonly after: Readonly<Record<string, ShownValue>> | null;
}

/** A row that is rejected, as it is stored. */
export interface KeptReject extends Reject {
  /** The same for the same row of the same stream, so that seeing it again is no second reject. */
  readonly identity: string;
  /** The values of the key at the source, as they are shown, as a JSON array; null when it has none. */
  readonly key: string | null;
  /** Whether it was found when reading: then `row` is not a row of the source that could be written again. */
  readonly unreadable: boolean;
}

/** A reject as it comes back to be tried again. */
export type StoredReject = Omit<KeptReject, 'index'>;

/** Some of what a target that cannot be read back has accepted, as it was written down. Later segments have higher numbers. */
export interface LedgerSegment {
  readonly seq: number;
  readonly generation: number;
  /** Written by this run. */
  readonly isMine: boolean;
  readonly entries: string;
}

/**
 * What a run needs from the service around it. What is rejected, and a position that only we know, is on disk when it resolves; what
 * else is remembered, at the latest with the end of the run.
 */
export interface RunPorts {
  /** A way to one end. */
  open(end: 'source' | 'target'): Promise<Session>;
  /** How far a stream is; called often, told seldom. */
  progress(index: number, report: StreamReport): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', entry: { stream?: string; message: string; data?: Record<string, unknown> }): void;
  /** How far behind a live run is; told every few seconds. */
  lag(lag: Lag): void;
  /** Keeps rejected rows. */
  keepRejects(index: number, rejects: readonly KeptReject[]): Promise<void>;
  /** What is rejected of a stream and still open, in the order of identities, behind one of them; a page of it. */
  listRejects(index: number, after: string | undefined): Promise<StoredReject[]>;
  /** Takes these out of quarantine; with 'unseen', all of the stream that this run has not seen. */
  resolveRejects(index: number, which: readonly string[] | 'unseen'): Promise<void>;
  /** Remembers the position, null for the one that is known, for a target that keeps none, and the note that belongs to it. */
  keepPosition(index: number, position: string | null, note?: string): Promise<void>;
  /** What a target has accepted, behind a segment, in order; a page of it. */
  listDelivered(index: number, after: number): Promise<readonly LedgerSegment[]>;
  /** Writes down what a target has accepted, together with the note that belongs to it, and answers the number of the segment. */
  keepDelivered(index: number, entries: string, note: string | null): Promise<number>;
  /** Puts a segment in place of those from one up to another, whose number it takes. It may be empty. */
  joinDelivered(index: number, joined: Omit<LedgerSegment, 'isMine'> & { readonly from: number }): Promise<void>;
  /** Remembers the fields of the source. */
  keepFields(index: number, fields: readonly Field[]): Promise<void>;
  /** Tells what an earlier run has done by the target's own account: it may not have lived to hear of it. */
  recount(index: number, run: string, counts: Counts): Promise<void>;
  /** Remembers how many rows a complete read found. */
  keepRows(index: number, rows: number): Promise<void>;
  /** Whether the run, or the part of it that this worker has, is still its own. */
  isOurs(index: number): Promise<boolean>;
  /** How far the live run of this synchronization is with a stream. */
  liveFront(index: number): Promise<LiveFront>;
  /** Has the live run begin anew, so that it tells how far it is. */
  nudgeLive(): Promise<void>;
  /** Offers the parts of a stream to any node that can take some, in place of those that were offered before. */
  offerParts(index: number, split: string, parts: readonly { readonly range: Range; readonly isDone: boolean }[]): Promise<void>;
  /** Takes one of them that nobody works on. */
  takePart(index: number): Promise<PartsLeft>;
  /** Says that one is through. */
  endPart(index: number, part: TakenPart): Promise<void>;
}

/** How a run ended. `error` is the worst of its streams' errors, or what kept it from starting. */
export interface RunOutcome {
  readonly status: 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval' | 'handed_over';
  readonly streams: readonly { index: number; report: StreamReport }[];
  readonly error: RunError | null;
  /** A live run that was closed after its time: another one goes on at once. */
  readonly rolled?: true;
}

/** Why a run is told to stop: a person cancelled it, the service is stopping, or another worker has taken over. */
export type StopReason = 'cancelled' | 'handed_over' | 'fenced';
