import type { Filter, ReadRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import type { MysqlTable } from '../catalogue/discover.ts';
import { rawLiteral } from './keyset.ts';
import { literal, quote } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import type { Doubt, MysqlPosition } from './positions.ts';

/** How a request is read. */
export interface MysqlReadPlan {
  readonly table: MysqlTable;
  /** What is selected, in the order of the request. */
  readonly columns: readonly TypedColumn[];
  readonly cursor: TypedColumn | undefined;
  readonly key: readonly TypedColumn[];
  /** In pages behind one another by these columns; empty: in one statement, counting. */
  readonly paged: readonly TypedColumn[];
  /** Whether a page is found by an index; otherwise each costs a scan, and there should be few. */
  readonly indexed: boolean;
  readonly filter: string;
}

export function planOf(table: MysqlTable, request: ReadRequest): MysqlReadPlan {
  const find = (name: string): TypedColumn => columnOf(table, name);
  const columns = request.fields.map(find);
  if (columns.length === 0) throw new OutsideError('config', 'FIELD_MISSING', 'No fields were asked for.', { field: 'fields' });
  const key = request.key.map(find);
  const cursor = request.cursor === undefined ? undefined : find(request.cursor);
  for (const column of [...key, ...(cursor ? [cursor] : [])]) {
    if (!request.fields.includes(column.name))
      throw new OutsideError(
        'config',
        'FIELD_MISSING',
        `"${column.name}" is part of the key or the cursor and has to be among the fields.`,
        {
          field: 'fields',
        },
      );
  }
  const isUnique = table.uniqueKeys.some((unique) => unique.every((name) => request.key.includes(name)));
  // Paging by a key needs every row to have its own. A view is as good as its user says, but computing it for every page is
  // only worth it when it is read by a cursor.
  const isPaged = key.length > 0 && (table.kind === 'view' ? cursor !== undefined : isUnique);
  const paged = isPaged ? [...new Set([...(cursor ? [cursor] : []), ...key])] : [];
  const [first] = paged;
  return {
    table,
    columns,
    cursor,
    key,
    paged,
    indexed: first !== undefined && table.indexed.has(first.name) && first.order === quote(first.name),
    filter: (request.filters ?? []).map((filter) => conditionOf(find(filter.field), filter)).join(' and '),
  };
}

export function columnOf(table: MysqlTable, name: string): TypedColumn {
  const column = table.columns.find((each) => each.name === name);
  if (!column)
    throw new OutsideError('config', 'FIELD_MISSING', `There is no column "${name}" in "${table.name}".`, {
      field: 'fields',
      hint: 'Look at the streams of the source again: the table may have changed.',
    });
  return column;
}

/** A filter as a condition. */
export function conditionOf(column: TypedColumn, { field, op, value }: Filter): string {
  const name = column.order;
  const one = (text: string): string => literal(column.field.type, text, `"${field}"`);
  if (op === 'is_null') return `${name} is null`;
  if (op === 'not_null') return `${name} is not null`;
  if (op === 'in') {
    const values = typeof value === 'string' ? [value] : (value ?? []);
    return values.length === 0 ? 'false' : `${name} in (${values.map(one).join(', ')})`;
  }
  if (typeof value !== 'string')
    throw new OutsideError('config', 'VALUE_INVALID', `The filter on "${field}" needs one value.`, { field: 'filters' });
  return `${name} ${op === '!=' ? '<>' : op} ${one(value)}`;
}

/** Where an incremental read begins that follows a complete one and must not give a row a second time. */
export function restartOnce(cursor: TypedColumn, place: MysqlPosition & { at: 'end' }): string {
  return place.cursor === null ? `${cursor.order} is not null` : `${cursor.order} > ${rawLiteral(cursor, place.cursor)}`;
}

/** Where one begins that may: a little before the end, for what others committed late. */
export function restart(cursor: TypedColumn, place: MysqlPosition & { at: 'end' }, config: MysqlConfig): string | undefined {
  const from = place.low === undefined ? place.cursor : place.low;
  if (from === null) return undefined;
  const value = rawLiteral(cursor, from);
  const name = cursor.order;
  const seconds = (config.overlap ?? 60) + (place.age ?? 0);
  switch (cursor.field.type) {
    case 'int64':
      return `${name} >= ${BigInt(from) - BigInt(config.overlap_values ?? 1000)}`;
    case 'decimal':
    case 'float64':
      return `${name} >= ${value} - ${config.overlap_values ?? 1000}.0`;
    case 'timestamptz':
    case 'timestamp': {
      const moment = place.since === undefined ? value : `least(${value}, ${rawLiteral(cursor, place.since)})`;
      return `${name} >= cast(${moment} as datetime(6)) - interval ${seconds} second`;
    }
    case 'date':
      return `${name} >= cast(${value} as date) - interval ${Math.ceil(seconds / 86_400)} day`;
    default:
      return `${name} >= ${value}`;
  }
}

/** What a read that begins at this place has to keep in mind for the next. */
export function doubtOf(place: MysqlPosition | undefined, fresh: Doubt): Doubt {
  // It was cut off: what came late before that moment was not seen.
  if (place?.at === 'cursor')
    return {
      ...(place.since !== undefined && { since: place.since }),
      low: place.low === undefined ? place.cursor : place.low,
      age: Math.max(place.age ?? 0, fresh.age ?? 0),
    };
  return fresh;
}
