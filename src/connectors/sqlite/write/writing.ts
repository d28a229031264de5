import type { DatabaseSync } from 'node:sqlite';
import type { Batch } from '../../batch.ts';
import type { Changes, Writer, WriteRequest, WriteResult } from '../../contract.ts';
import type { Checkpoint } from './checkpoints.ts';
import type { SqliteTable } from '../database/schema.ts';
import type { Transact } from './transactions.ts';

/** What every way of writing works with. */
export interface Writing {
  readonly database: DatabaseSync;
  readonly request: WriteRequest;
  readonly table: SqliteTable;
  /** The file as the user named it. */
  readonly path: string;
  readonly transact: Transact;
  readonly checkpoint: Checkpoint;
}

/** How batches get in, and what there is to do when all are there. */
export interface Way {
  /** Within a transaction. */
  put(batch: Batch): WriteResult;
  finish: Writer['finish'];
}

export function none(): Changes {
  return { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
}
