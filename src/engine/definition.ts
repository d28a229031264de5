import type { CanonicalType } from '../connectors/canonical.ts';
import type { Filter } from '../connectors/contract.ts';

/** How a stream is kept in sync. `cdc`: from the log of the source, live; all streams of a synchronization are, or none. */
export type Mode = 'mirror' | 'incremental' | 'append' | 'cdc';

/** What becomes of rows that are gone at the source. */
export type Deletes = 'delete' | 'mark' | 'keep';

/** A field of the target: a field of the source, or an expression over its fields; cast when `type` says so. */
export type FieldMapping =
  | { readonly from: string; readonly to: string; readonly type?: CanonicalType }
  | { readonly to: string; readonly expression: string; readonly type?: CanonicalType };

/** A condition as it is stored. Of a boolean field it says so: `t` and `f` alone may be text as well, and are not for people. */
export type FilterDefinition = Filter & { readonly type?: 'boolean' };

/** One stream of a synchronization, with every default filled in. */
export interface StreamDefinition {
  /** The stream at the source; also the name of the stream in runs and logs. */
  readonly source: string;
  /** The stream at the target; no two streams of a synchronization have the same. */
  readonly target: string;
  readonly mode: Mode;
  /** Fields of the source that tell rows apart; empty when there are none. */
  readonly key: readonly string[];
  /** The field of the source by which new and changed rows are found; null where the source needs none. */
  readonly cursor: string | null;
  /** Null: all fields, under their own names. */
  readonly fields: readonly FieldMapping[] | null;
  readonly filter: readonly FilterDefinition[];
  readonly deletes: Deletes;
}

export interface Guard {
  /** A run that would delete a larger part of the target's rows asks for approval. */
  readonly max_delete_percent: number;
  /** Whether a mirror may find nothing where there was something before. */
  readonly allow_empty: boolean;
}

/** How long the target keeps what runs replace, so that they can be taken back. */
export interface UndoRule {
  /** `7d`. */
  readonly keep: string;
  /** Nothing is kept of a run that changes more rows of a stream. */
  readonly max_rows: number;
}

/** What a synchronization does: complete, every default filled in. When it does so, the engine does not know. */
export interface SyncDefinition {
  readonly direction: 'source_to_target';
  readonly streams: readonly StreamDefinition[];
  readonly on_reject: 'quarantine' | 'fail';
  readonly guard: Guard;
  readonly schema_changes: 'apply' | 'ignore' | 'stop';
  /** Of a live synchronization: what becomes of streams whose changes are lost. `load`: they are loaded anew; `stop`: a person decides. */
  readonly on_gap: 'load' | 'stop';
  /** Of a live synchronization: bytes of its log that the source keeps for it at most. */
  readonly max_retained: number;
  /**
   * What tables get that are made at the target: `data`: columns and a key; `full`: all that those of the source have. Left out of definitions that were saved before there
   * was such a choice.
   */
  readonly structure?: 'data' | 'full';
  /** Left out of definitions that were saved before there was such a thing. */
  readonly undo?: UndoRule | null;
}
