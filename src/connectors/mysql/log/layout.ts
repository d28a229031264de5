import type { LogStream } from '../../changes.ts';
import type { Field } from '../../contract.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import type { ByteCursor } from './cursor.ts';
import type { LoggedColumn } from './table-map.ts';
import { type ValueOptions, type LoggedValueReader, valueReader, valueSkipper } from './values.ts';

/** How the rows of a stream are read, from one description of its table to the next that differs. */
export interface Layout {
  readonly stream: number;
  readonly columns: readonly LoggedColumn[];
  /** What is told, in this order. */
  readonly fields: readonly Field[];
  readonly keyNames: readonly string[];
  /** Where the key is among the fields. */
  readonly keyFields: readonly number[];
  /** Of every column, its place among the fields, or -1. */
  readonly places: Int32Array;
  /** Of every column, its place in the key, or -1. */
  readonly keyPlaces: Int32Array;
  readonly wantedColumns: readonly number[];
  readonly keyColumns: readonly number[];
  readonly readers: readonly (LoggedValueReader | undefined)[];
  readonly skippers: readonly ((cursor: ByteCursor) => void)[];
  /** About how many bytes a row takes apart from its values. */
  readonly overhead: number;
  /** The table has lost its key: nothing can be said of its rows. */
  readonly isBroken: boolean;
}

/** A column of the log, and what the catalogue knows of it. */
export interface NamedColumn {
  readonly logged: LoggedColumn;
  readonly column: TypedColumn;
  readonly options: ValueOptions;
}

export function layoutOf(
  stream: number,
  request: LogStream,
  columns: readonly (NamedColumn | undefined)[],
  all: readonly LoggedColumn[],
): Layout {
  const indexOf = new Map(columns.flatMap((named, i) => (named ? [[named.column.name, i] as const] : [])));
  const wanted = [
    ...request.fields.filter((name) => indexOf.has(name)),
    // With a list of what is not wanted, all others are new.
    ...(request.ignored ? [...indexOf.keys()].filter((name) => !request.fields.includes(name) && !request.ignored?.includes(name)) : []),
  ];
  const keyNames = request.key.filter((name) => wanted.includes(name));
  const at = (names: readonly string[]): Int32Array => {
    const places = new Int32Array(all.length).fill(-1);
    for (const [place, name] of names.entries()) places[indexOf.get(name) as number] = place;
    return places;
  };
  return {
    stream,
    columns: all,
    fields: wanted.map((name) => (columns[indexOf.get(name) as number] as NamedColumn).column.field),
    keyNames,
    keyFields: keyNames.map((name) => wanted.indexOf(name)),
    places: at(wanted),
    keyPlaces: at(keyNames),
    wantedColumns: wanted.map((name) => indexOf.get(name) as number),
    keyColumns: keyNames.map((name) => indexOf.get(name) as number),
    readers: columns.map((named) => named && valueReader(named.logged, named.column, named.options)),
    skippers: all.map(valueSkipper),
    overhead: 80 + 24 * wanted.length,
    isBroken: keyNames.length < request.key.length,
  };
}

/** Whether two tell the same fields. */
export function tellsTheSame(one: Layout, other: Layout): boolean {
  return JSON.stringify([one.fields, one.keyNames]) === JSON.stringify([other.fields, other.keyNames]);
}
