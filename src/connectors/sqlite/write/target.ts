import type { DatabaseSync } from 'node:sqlite';
import type { WriteRequest } from '../../contract.ts';
import type { Checkpoint } from '../../sql-target/checkpoint.ts';
import type { Transact } from '../../sql-target/transact.ts';
import type { SqliteTable } from '../database/schema.ts';

/** What every way of writing works with. */
export interface SqliteTarget {
  readonly database: DatabaseSync;
  readonly request: WriteRequest;
  readonly table: SqliteTable;
  /** The file as the user named it. */
  readonly path: string;
  readonly transact: Transact;
  readonly checkpoint: Checkpoint;
}
