import type { Connection } from '../db/database.ts';
import { byEngine, type EngineSql, raw } from '../db/sql.ts';
import type { EventsTable } from '../db/tables.ts';

// Most events hold a copy of their object, as it was after the change. Where the row of the object tells that as well, and always will, the copy is
// left out: it would be near half of all that a new order writes. In its place stands how long it would be, as a number.

/** The `data` of an event whose copy is left out. */
export function leftOut(bytes: number): string {
  return String(bytes);
}

export function isLeftOut(data: string): boolean {
  return data.charAt(0) !== '{';
}

/** The bytes of what events tell, those that are left out included: what they are to a reader. SQLite knows them without reading what is there. */
export const TOLD_BYTES: EngineSql = byEngine((engine) =>
  raw(
    engine === 'postgres'
      ? `case when json_typeof(data) = 'number' then data::text::bigint else octet_length(data::text) end`
      : 'case when octet_length(data) > 9 then octet_length(data) else cast(data as integer) end',
  ),
);

/** Puts in what was left out. */
export type WholeEvents = <Row extends Pick<EventsTable, 'object_id' | 'data'>>(db: Connection, events: readonly Row[]) => Promise<Row[]>;
