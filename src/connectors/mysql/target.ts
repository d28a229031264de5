import type { WriteRequest } from '../contract.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { TypedColumn } from './columns.ts';
import type { Channel } from './fill.ts';
import type { Table } from './discover.ts';
import type { Wire } from './wire.ts';

/** What every way of writing works with. */
export interface Target {
  readonly wire: Wire;
  readonly request: WriteRequest;
  readonly table: Table;
  /** The columns of the request's fields, in their order. */
  readonly columns: readonly TypedColumn[];
  /** The key, as the table spells it. */
  readonly key: readonly string[];
  readonly checkpoint: Checkpoint;
  readonly channel: Channel;
}

/** The counts of a write that changed nothing. */
export const NOTHING = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
