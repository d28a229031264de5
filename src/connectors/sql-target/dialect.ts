import type { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { Changes, WriteRequest, WriteResult } from '../contract.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Eventual, Transact } from './transact.ts';

/** What really differs between SQL systems, for one stream that is being written. The core calls it, and does everything else. */
export interface SqlDialect {
  readonly request: WriteRequest;
  readonly checkpoint: Checkpoint;
  readonly transaction: Transact;
  readonly table: Table;
  readonly stage: MirrorStage;
}

/** How batches get in. */
export interface Put {
  /** Before the transaction, such as emptying a temporary table where no transaction can. */
  readonly prepare?: () => Promise<void>;
  /** Within the transaction. */
  readonly put: (batch: Batch) => Eventual<WriteResult>;
}

/** The table that is written. */
interface Table {
  /** The columns that are written, with their types. What was loaded or collected with others is not gone on with. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  isEmpty(): Eventual<boolean>;
  count(): Eventual<number>;
  /** Adds rows, or puts them in by key when there is one. `isOurs`: all rows in the table are of this load, so that hardly a key comes again. */
  putter(isOurs: boolean): Eventual<Put>;
  /** Removes rows by key; or marks them, or lets them be. */
  remover(how: NonNullable<WriteRequest['deletes']>): Put;
}

/** The table that collects the rows of a mirror until all are there, and outlives the writer. */
export interface MirrorStage {
  /** What is kept with the position of rows that are in it: its name and its shape. A later version must still spell it so. */
  readonly state: string;
  isThere(): Eventual<boolean>;
  /** An empty one, in the place of one that may be there. */
  make(): Eventual<void>;
  drop(): Eventual<void>;
  /** Puts rows in; of several with the same key, the last one counts. */
  collector(): Put;
  /** Takes rows out by key. */
  remover(): Put;
  /** Remembers keys of rows that could not be used: what the table has of them is not gone. Within the transaction of their batch. */
  spare(keys: readonly Row[]): Eventual<void>;
  /** What has to be there before all rows of the table are moved, where no transaction can make it. */
  readonly prepareMove?: () => Promise<void>;
  /** Moves all rows of the table here, in the place of those that are there. Answers how many. Within a transaction. */
  move(): Eventual<number>;
  /** Brings its rows into the table, so that nobody changes anything between what is asked and what is done; undefined when it was refused. */
  merge(steps: MergeSteps): Promise<WriteResult | undefined>;
}

export interface MergeSteps {
  /** Whether these changes are approved. */
  readonly ask: (changes: Changes) => Promise<boolean>;
  /** Keeps the outcome, within the transaction that brings it about. */
  readonly keep: (outcome: WriteResult) => Promise<void>;
}
