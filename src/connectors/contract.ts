import type { Batch, Position, Reject } from './batch.ts';
import type { CanonicalType, Row } from './canonical.ts';
import type { Category } from './categories.ts';
import type { FieldError } from '../lib/errors.ts';
import type { TSchema } from '../lib/schema.ts';
import type { Reach } from '../outside/reach.ts';
import type { Roots } from '../outside/roots.ts';
import type { HookPort } from './hook-port.ts';
import type { Naming } from './naming.ts';
import type { ShopPort } from './shop-port.ts';
import type { ShopRows } from './shop-streams.ts';
import type { StreamKind } from './stream-kinds.ts';
import type { StructuredStream } from './structure.ts';
import type { UndoKeeping } from './undo.ts';

/** How a stream may be written. */
export type WriteMode = 'append' | 'upsert' | 'mirror';

/** What a connector can do, as data: the API shows it, the engine asks it, the conformance suite holds it to it. */
export interface Abilities {
  /** Streams can be read. */
  readonly read: boolean;
  /** How streams can be written; empty when they cannot. */
  readonly write: readonly WriteMode[];
  /** Reads only what is new or changed since a position. */
  readonly incremental: boolean;
  /** A read that was cut off goes on from the position of its last batch. The engine counts on it: the registry takes no connector without it. */
  readonly resumable: boolean;
  /** Rows, checkpoint and fencing token are written in one transaction of the target: every row exactly once. */
  readonly transactional: boolean;
  /** Keeps positions and notes itself; without this, the caller has to remember the position of the last batch. */
  readonly checkpoints: boolean;
  /** Makes the target stream when it is missing, and adds fields to it. */
  readonly createsStreams: boolean;
  /** Removes rows by key, and in a mirror those that are gone from the source. */
  readonly deletes: boolean;
  /** Filters are applied by the system itself. */
  readonly filters: boolean;
  /** Mirrors a stream that has no key, too. */
  readonly keylessMirror?: true;
  /** Makes a mirror of what differs alone, in one transaction (`Writer.finishWith`). */
  readonly differences?: true;
  /** Digests rows itself, so that equal ones need not be read (`Session.digests`). */
  readonly digests?: true;
  /** Cuts a read into ranges that can be read at the same time. */
  readonly ranges?: true;
  /** Several writers can fill one stream at the same time, each with a checkpoint of its own. */
  readonly parts?: true;
  /** Tells when something has changed, so that a synchronization can follow at once. */
  readonly tellsChanges?: true;
  /** Its log can be followed (`Session.log`). */
  readonly log?: true;
  /** Takes changes of several streams, each transaction as one step (`Session.apply`). */
  readonly applies?: true;
  /** An incremental read tells of rows that were deleted, too. Elsewhere a row that is gone is simply not found by a cursor. */
  readonly tellsDeletions?: true;
  /** Makes a field of whole numbers one of decimals when these come. */
  readonly widens?: true;
  /** Syncline keeps tables of its own in it, beside the streams. They are neither read nor written as streams. */
  readonly keepsTables?: true;
  /** Keeps what runs replace, in the transaction that replaces it, and takes runs back (`Session.undo`). */
  readonly undo?: true;
  /**
   * Tells what streams have beside fields and rows, and gives it to those that it makes (`Session.structure`): here is the name of its own language. Between two that speak
   * the same, a stream is made with all that it has; between others with what can be told in plain words.
   */
  readonly structure?: string;
  /** What is promised where `transactional` is false, or what a user should know; plain words. */
  readonly notes?: string;
}

/** What is known of a connector without loading it: its form, its docs and its abilities. */
export interface Manifest {
  /** The name in `type` of a source. */
  readonly type: string;
  readonly title: string;
  /** One or two sentences: what it reaches. */
  readonly description: string;
  /** What kind of system it is; `other` unless it says. */
  readonly category?: Category;
  /** What people look for who mean it, and what its title and description do not say: products, formats, other names. */
  readonly keywords?: readonly string[];
  /** Of `config`. Every member has a title and a description; a secret has `writeOnly: true`. */
  readonly config: TSchema;
  readonly abilities: Abilities;
  readonly naming: Naming;
  /** Of Syncline's own shop alone: whose rows each stream has. To move or to see them, a key needs the scopes of the shop. */
  readonly shopRows?: Readonly<Record<string, ShopRows>>;
  /** Of hooks alone: the member of `config` that names the hook whose calls are the rows. */
  readonly hookMember?: string;
  /** Where each of its sources has the same: what that is, so that one can be planned for before it is there. */
  readonly streams?: readonly Stream[];
  /** Reads in native code that nothing interrupts. What is asked of it, and runs that read from it, have a process, which can be killed. */
  readonly endsOnlyByKill?: true;
  /** A configuration of it tells by itself which streams there are, and the forms of what is free in it: it has `Connector.outline`. */
  readonly outlines?: true;
  /** Faults that a schema cannot tell; paths are relative to `config`. */
  readonly validate?: (config: never) => FieldError[];
}

/** What the service lends a connector. */
export interface Context {
  /** The only way to a network address. */
  readonly reach: Reach;
  /** The only way to a file. */
  readonly roots: Roots;
  /** Ends everything under way. */
  readonly signal: AbortSignal;
  /** Tells something to the people who look at the run, such as why it waits. */
  readonly tell?: (level: 'info' | 'warn', message: string) => void;
  /** The trace that the work belongs to: requests to other systems tell it. */
  readonly traceparent?: string | undefined;
  /** The secrets of the configuration, where the system itself changes one. */
  readonly secrets?: SecretPort;
  /** Syncline's own shop; only the connector that is the shop (`shopRows`) uses it. */
  readonly shop?: ShopPort;
  /** Calls of other systems; only the connector of hooks (`hookMember`) uses it. */
  readonly hooks?: HookPort;
}

/** Secrets are named by their place in the configuration, such as `auth.refresh_token`. */
export interface SecretPort {
  /** As it is now: another run may have been given another since. */
  current(place: string): Promise<string>;
  /** Keeps what the system gave us instead of `old`, unless a third is there by now. */
  replace(place: string, old: string, by: string): Promise<void>;
}

export interface CheckReport {
  /** What was reached, such as `PostgreSQL 15.4, database shop`. */
  readonly message: string;
  /** What works but not fully, such as `only reading is allowed`. */
  readonly warnings: readonly string[];
}

/** What a configuration tells by itself, without a word of the system that it leads to. */
export interface Outline {
  /** The forms of its members that may hold anything by the connector's own schema, by their names. */
  readonly forms: Readonly<Record<string, TSchema>>;
  /** The streams that can be read. */
  readonly streams: readonly string[];
  /** The system itself has to be asked for the names of more. */
  readonly isPartial: boolean;
  readonly unreadable: readonly UnreadableStream[];
}

/** A stream that is described, and cannot be read by us. */
export interface UnreadableStream {
  readonly name: string;
  /** What it lacks, each by its name, such as a class. */
  readonly needs: readonly string[];
  /** The same in words, behind "cannot be read:". */
  readonly reason: string;
}

export interface Field {
  readonly name: string;
  readonly type: CanonicalType;
  readonly nullable: boolean;
  /** The system's own type, such as `varchar(20)`: a target of the same system creates it again. */
  readonly native?: string;
  /** It has a default: when it is new, rows that were there before have a value in it, and no log tells so. */
  readonly filled?: true;
  /** Of a decimal, where the system says. */
  readonly precision?: number;
  readonly scale?: number;
}

/** A table, view, file or resource. */
export interface Stream {
  /** How it is called in a synchronization, such as `public.customers`. */
  readonly name: string;
  readonly kind: StreamKind;
  readonly fields: readonly Field[];
  /** The fields that tell rows apart; empty when there are none. */
  readonly key: readonly string[];
  /** Fields that can serve as cursor, the best first. */
  readonly cursors: readonly string[];
  readonly writable: boolean;
  /** Why it can be neither read nor written, in words behind "cannot be read:". */
  readonly unusable?: string;
  /** An incremental read of it tells of rows that were deleted, whatever its connector does elsewhere. */
  readonly tellsDeletions?: true;
  /** Why the log of its system does not tell of it, in words behind "cannot be followed:". */
  readonly notFollowed?: string;
  /** It belongs to Syncline itself. It is told only when it is asked for by name; it is neither read nor written. */
  readonly isOurs?: true;
  /** Of one that can be written, where it takes less than its connector could write. */
  readonly takes?: Intake;
  /** There is room for no other beside it, such as where a path names one file. */
  readonly isOnly?: true;
  /** A guess of the system, or null. */
  readonly estimatedRows: number | null;
  /** How much room its rows take in the system, as the system guesses; left out where it does not tell. */
  readonly estimatedBytes?: number;
  /** What a user should know of it, such as where its records were found or why it could not be looked at. */
  readonly note?: string;
}

/** What a stream takes. What is left out is as its connector does it. */
export interface Intake {
  readonly modes?: readonly WriteMode[];
  /** These fields, and no others. */
  readonly fields?: readonly string[];
  /** Fields without which nothing can be written. */
  readonly needs?: readonly string[];
  /** Whether something can be removed. */
  readonly deletes?: boolean;
}

export interface Filter {
  readonly field: string;
  readonly op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
  /** Canonical text; a list for `in`; nothing for `is_null` and `not_null`. */
  readonly value?: string | readonly string[];
}

/** A stretch of a read, from behind one position up to another. Where one is missing, it is open. */
export interface Range {
  readonly after?: Position;
  readonly upTo?: Position;
}

export interface ReadRequest {
  readonly stream: string;
  /** Which fields, in the order of the batches' rows. Those of `key` and `cursor` are among them. */
  readonly fields: readonly string[];
  /** The fields that tell rows apart, for order and resuming; empty when there are none. */
  readonly key: readonly string[];
  /** Reads what is new or changed by this field; without it, everything. */
  readonly cursor?: string;
  /** The position of a batch of an earlier read of the same request: goes on behind it. */
  readonly after?: Position;
  /** Only what is in this range of the same request; `after` lies within it. */
  readonly range?: Range;
  readonly filters?: readonly Filter[];
  /** The rows are only added at the other end: one that is read a second time, to be on the safe side, would be there twice. */
  readonly once?: boolean;
  /** About how large a batch is. A row is never split; a row beyond `MAX_ROW_BYTES` is an error of kind `data`. */
  readonly batchBytes?: number;
  /** No more rows in a batch than this. */
  readonly batchRows?: number;
  /** No more rows than this in all, for samples. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface WriteRequest {
  readonly stream: string;
  /** The fields of the batches, in order. */
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly mode: WriteMode;
  /** Whose work it is: the checkpoint's name in the target. */
  readonly owner: string;
  /** Higher than that of every earlier worker of this owner. A lower one than the target knows is `fenced`. */
  readonly token: bigint;
  /**
   * Other owners that must not write meanwhile: the token becomes theirs, too, and who takes one of them over with a higher one has fenced this writer.
   * Nothing else of them is changed.
   */
  readonly fences?: readonly string[];
  /** Makes the stream and adds fields when needed; without it, a missing stream or field is an error of kind `config`. */
  readonly create: boolean;
  /** A stream that is made now is made as that of the source is, and gets what is left of its structure when it is loaded (`Session.structure`). */
  readonly structured?: StructuredStream;
  /** What a mirror does with rows that the source does not have. `mark` sets `_deleted_at`. */
  readonly deletes?: 'delete' | 'mark' | 'keep';
  /**
   * Asked once, with the note that the target keeps with the position: whether to go on there. With false the position, the
   * note and an unfinished mirror are forgotten, and the work begins anew. Without it, one goes on. Of a stream that is split it also
   * hears how far the parts are, which are forgotten with it.
   */
  readonly resume?: (note: string | undefined, parts?: readonly PartProgress[]) => boolean;
  /** What is replaced is kept, so that the run can be taken back. Only where rows are found by a key. */
  readonly undo?: UndoKeeping;
  /** Writes a part of the stream, which this owner has split. `token` is then that of the part. */
  readonly part?: PartName;
  readonly signal?: AbortSignal;
}

/**
 * Called with the outcome of a batch before it is committed: what has to be kept elsewhere (rejects) is kept now, and the note
 * that it answers is committed with the position. It may be called again for the same batch: the last time counts.
 */
export type Settle = (result: WriteResult) => string | Promise<string>;

/** One stream being written. Batches are given one after the other, unless it takes one ahead. */
export interface Writer {
  /** The position of the last batch that is in the target, as the target tells; undefined at the beginning. */
  readonly checkpoint: Position | undefined;
  /** What was noted with it; also of a mirror that was finished, which has no position any more. */
  readonly note: string | undefined;
  /** The next batch may be given while one is still being written. They get in in the order in which they were given. */
  readonly takesAhead?: true;
  /**
   * The most rows that it wants at a time. It has no transactions: what is there of a batch when it fails stays there, so what is
   * written is to count soon.
   */
  readonly batchRows?: number;
  /** How the stream is filled by several writers; missing where it cannot be. */
  readonly parts?: Parts;
  /**
   * Writes a batch with its position. When it resolves, both are committed; when it throws, neither is or both are. A server
   * that crashes before `finish` may lose the last batches, but never a batch without its position.
   * Rows that the target refuses come back as rejects, the others are written. Once it has resolved, nobody may look at the
   * batch any more: its memory may be used for another.
   */
  write(batch: Batch, settle?: Settle): Promise<WriteResult>;
  /**
   * Says that the read is complete. A mirror now shows what would change; when `approve` answers false, the target stays
   * as it was and `refused` is true. Rows that were put there as they came are taken back then, which is settled as fewer inserted. The
   * checkpoint is kept for append and upsert, and forgotten for a mirror; the note stays.
   */
  finish(approve?: Approve, settle?: Settle): Promise<WriteResult & { refused?: boolean }>;
  /**
   * In place of `write` and `finish`, of a mirror that was given nothing yet: changes these rows and no others, all in one transaction. `approve` is asked
   * as by `finish`, of these rows alone. Undefined when it cannot be done like that: then nothing has changed, and the mirror goes its usual way.
   */
  finishWith?(differences: Differences, approve: Approve, settle: Settle): Promise<(WriteResult & { refused?: boolean }) | undefined>;
  /** Lets go; what was not finished can be taken up again by another writer of the same owner. */
  close(): Promise<void>;
}

/** Whether these changes are to be made. */
export type Approve = (changes: Changes) => boolean | Promise<boolean>;

/** All that a target lacks to be what the source is. */
export interface Differences {
  /** Rows that are to be there as they are here. */
  readonly put: readonly Row[];
  /** The keys of rows that are to go, or to be marked. */
  readonly gone: readonly Row[];
}

/** One of the parts of a stream that was split under a name. */
export interface PartName {
  readonly split: string;
  readonly index: number;
}

/** How far a part is, as the target tells: its position and its note. */
export interface PartProgress {
  readonly position: Position | undefined;
  readonly note: string | undefined;
}

/**
 * A stream that is filled in parts. A part is opened like a stream, by any worker, and finished when its range was read. It cannot be written
 * any more when the stream is split under another name, joined, or begun anew: then a writer that still works on it is `fenced`.
 */
export interface Parts {
  /** Splits the stream into so many parts, before anything was written. One that is split already gets another name; its parts stay as far as they are. */
  split(name: string, count: number, note: string): Promise<void>;
  /** How far the parts are, in their order. */
  progress(): Promise<readonly PartProgress[]>;
  /** Takes all parts over as if this writer had written them, with this position and note. */
  join(position: Position, note: string): Promise<void>;
}

export interface Changes {
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
}

export interface WriteResult extends Changes {
  rejects: readonly Reject[];
}

/** The size of a batch unless the request says otherwise. */
export const BATCH_BYTES = 1024 * 1024;
/** One row may be this large; a source that sends more is hostile or broken. */
export const MAX_ROW_BYTES = 64 * 1024 * 1024;
/** A check, a discovery or a sample that takes longer is given up. */
export const CHECK_TIMEOUT = 10_000;
