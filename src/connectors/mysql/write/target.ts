import type { Batch } from '../../batch.ts';
import type { Settle, Writer, WriteRequest, WriteResult } from '../../contract.ts';
import { type Checkpoint, transaction } from './checkpoint.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import type { Channel } from './fill.ts';
import type { MysqlTable } from '../catalogue/discover.ts';
import { quote } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';

/** What every way of writing works with. */
export interface Target {
  readonly wire: Wire;
  readonly request: WriteRequest;
  readonly table: MysqlTable;
  /** The columns of the request's fields, in their order. */
  readonly columns: readonly TypedColumn[];
  /** The key, as the table spells it. */
  readonly key: readonly string[];
  readonly checkpoint: Checkpoint;
  readonly channel: Channel;
}

/** The counts of a write that changed nothing. */
export const NOTHING = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };

/** How batches get in: in front of the transaction there may be something to do, such as emptying a temporary table. */
export interface Put {
  readonly prepare?: () => Promise<void>;
  readonly put: (batch: Batch) => Promise<WriteResult>;
}

/** Writes one batch, all or nothing: its position, its rows, and what is noted of them. */
export async function writeBatch({ wire, checkpoint }: Target, { prepare, put }: Put, batch: Batch, settle?: Settle): Promise<WriteResult> {
  await prepare?.();
  return transaction(wire, async () => {
    await checkpoint.advance(batch.position);
    const result = await put(batch);
    await checkpoint.annotate(await settle?.(result));
    return result;
  });
}

/** How a mirror is written. */
export type Way = Pick<Writer, 'write' | 'finish'>;

export async function isEmpty({ wire, table }: Target): Promise<boolean> {
  const [found] = await wire.rows(`select 1 from ${quote(table.name)} limit 1`);
  return found === undefined;
}

export async function countRows(wire: Wire, from: string): Promise<number> {
  const [[number] = []] = await wire.rows(`select count(*) from ${from}`);
  return Number(number ?? 0);
}
