import type { WriteRequest } from '../../contract.ts';
import type { Checkpoint } from '../../sql-target/checkpoint.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import type { Channel } from './fill.ts';
import type { MysqlTable } from '../catalogue/discover.ts';
import { quote } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';

/** What every way of writing works with. */
export interface MysqlTarget {
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

export async function isEmpty({ wire, table }: MysqlTarget): Promise<boolean> {
  const [found] = await wire.rows(`select 1 from ${quote(table.name)} limit 1`);
  return found === undefined;
}

export async function countRows(wire: Wire, from: string): Promise<number> {
  const [[number] = []] = await wire.rows(`select count(*) from ${from}`);
  return Number(number ?? 0);
}
