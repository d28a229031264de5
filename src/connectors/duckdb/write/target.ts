import type { DuckdbLink } from '../database/open.ts';
import type { WriteRequest } from '../../contract.ts';
import type { Checkpoint } from '../../sql-target/checkpoint.ts';
import type { Transact } from '../../sql-target/transact.ts';
import type { DuckdbTable } from '../database/schema.ts';

/** What every way of writing works with. */
export interface DuckdbTarget {
  readonly connection: DuckdbLink;
  readonly request: WriteRequest;
  readonly table: DuckdbTable;
  /** The file as the user named it. */
  readonly path: string;
  readonly transact: Transact;
  readonly checkpoint: Checkpoint;
}
