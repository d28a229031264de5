import type { Row } from '../canonical.ts';
import type { LoggedRow, TargetChange } from '../changes.ts';
import type { Changes, Field } from '../contract.ts';

// The words in which tests of appliers are written. The rows of most of them have an id and a text.

export const int = (name: string): Field => ({ name, type: 'int64', nullable: false });
export const text = (name: string): Field => ({ name, type: 'text', nullable: true });
export const PLAIN_FIELDS: readonly Field[] = [int('id'), text('v')];

export const insert = (row: LoggedRow, stream = 0): TargetChange => ({ op: 'insert', stream, row });
export const update = (row: LoggedRow, key?: Row, stream = 0): TargetChange => ({ op: 'update', stream, row, ...(key && { key }) });
export const remove = (id: string, stream = 0): TargetChange => ({ op: 'delete', stream, key: [id] });
/** The row may be as the change makes it already. */
export const maybe = (change: TargetChange): TargetChange => ({ ...change, mayBeThere: true });
export const counts = (inserted: number, updated: number, deleted: number, unchanged = 0): Changes => ({
  inserted,
  updated,
  unchanged,
  deleted,
});
