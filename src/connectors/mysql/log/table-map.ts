import { TYPE } from './codes.ts';
import { ByteCursor, misread } from './cursor.ts';
import type { LogEvent } from './events.ts';

/** A column as the log describes it. */
export interface LoggedColumn {
  /** `enum` and `set` are told apart from texts, which they travel as. */
  readonly type: number;
  /** The most bytes of a text, the bytes of a length, the digits of a fraction, the precision: what the type needs. */
  readonly size: number;
  /** Of a decimal. */
  readonly scale: number;
  readonly nullable: boolean;
  // What the server tells only when it is set to (`binlog_row_metadata`).
  readonly name?: string;
  readonly isUnsigned?: boolean;
  /** The number of its collation. */
  readonly collation?: number;
  /** The names of an enum or a set, in its character set. */
  readonly members?: readonly Buffer[];
}

/** The names in a description, and where the rest of it begins: as long as that is the same, so are the columns. */
export interface TableMapHead {
  readonly id: number;
  readonly database: string;
  readonly table: string;
  readonly columns: Buffer;
}

export function tableMapHead(event: LogEvent): TableMapHead {
  const body = new ByteCursor(event.bytes, event.start, event.end);
  const id = body.uint48();
  body.take(2);
  const database = body.text(body.uint8());
  body.take(1);
  const table = body.text(body.uint8());
  body.take(1);
  return { id, database, table, columns: body.slice(body.rest) };
}

type Draft = { -readonly [Member in keyof LoggedColumn]: LoggedColumn[Member] };

/** The columns in the rest of a description. */
export function columnsIn(bytes: Buffer, isMariaDb: boolean): LoggedColumn[] {
  const body = new ByteCursor(bytes);
  const types = body.slice(body.packed());
  const sizes = new ByteCursor(body.slice(body.packed()));
  const columns: Draft[] = [...types].map((type) => ({ ...sized(type, sizes), nullable: false }));
  const nullable = body.slice((columns.length + 7) >> 3);
  for (const [i, column] of columns.entries()) column.nullable = hasBit(nullable, i);
  while (body.rest > 0) {
    const kind = body.uint8();
    describe(columns, kind, new ByteCursor(body.slice(body.packed())), isMariaDb);
  }
  return columns;
}

export function hasBit(bits: Uint8Array, i: number): boolean {
  return ((bits[i >> 3] as number) & (1 << (i & 7))) !== 0;
}

function sized(type: number, sizes: ByteCursor): Pick<Draft, 'type' | 'size' | 'scale'> {
  switch (type) {
    case TYPE.float:
    case TYPE.double:
    case TYPE.blob:
    case TYPE.tinyBlob:
    case TYPE.mediumBlob:
    case TYPE.longBlob:
    case TYPE.compressedBlob:
    case TYPE.geometry:
    case TYPE.json:
    case TYPE.vector:
    case TYPE.timestamp2:
    case TYPE.datetime2:
    case TYPE.time2:
      return { type, size: sizes.uint8(), scale: 0 };
    case TYPE.varchar:
    case TYPE.varString:
    case TYPE.compressedVarchar:
      return { type, size: sizes.uint16(), scale: 0 };
    case TYPE.bit: {
      const bits = sizes.uint8();
      return { type, size: bits + sizes.uint8() * 8, scale: 0 };
    }
    case TYPE.decimal: {
      const size = sizes.uint8();
      return { type, size, scale: sizes.uint8() };
    }
    case TYPE.string:
    case TYPE.enum:
    case TYPE.set: {
      const first = sizes.uint8();
      const low = sizes.uint8();
      if (first === TYPE.enum || first === TYPE.set) return { type: first, size: low, scale: 0 };
      // Two bits of the length stand, turned around, in the byte of the type.
      return { type: TYPE.string, size: (((first << 4) & 0x300) ^ 0x300) + low, scale: 0 };
    }
    case TYPE.tiny:
    case TYPE.short:
    case TYPE.int24:
    case TYPE.long:
    case TYPE.longlong:
    case TYPE.year:
    case TYPE.date:
    case TYPE.newdate:
    case TYPE.time:
    case TYPE.datetime:
    case TYPE.timestamp:
      return { type, size: 0, scale: 0 };
    default:
      throw misread(`a column of a type that is not known (${type})`);
  }
}

// MariaDB counts a geometry among the texts; MySQL does not.
const NUMBERS: ReadonlySet<number> = new Set([
  TYPE.tiny,
  TYPE.short,
  TYPE.int24,
  TYPE.long,
  TYPE.longlong,
  TYPE.decimal,
  TYPE.float,
  TYPE.double,
  TYPE.year,
]);
const TEXTS: ReadonlySet<number> = new Set([
  TYPE.string,
  TYPE.varString,
  TYPE.varchar,
  TYPE.blob,
  TYPE.tinyBlob,
  TYPE.mediumBlob,
  TYPE.longBlob,
  TYPE.compressedBlob,
  TYPE.compressedVarchar,
]);
const CHOICES: ReadonlySet<number> = new Set([TYPE.enum, TYPE.set]);

const [SIGNEDNESS, DEFAULT_CHARSET, COLUMN_CHARSET, COLUMN_NAME, SET_MEMBERS, ENUM_MEMBERS] = [1, 2, 3, 4, 5, 6];
const [CHOICE_DEFAULT_CHARSET, CHOICE_COLUMN_CHARSET] = [10, 11];

function describe(columns: Draft[], kind: number, body: ByteCursor, isMariaDb: boolean): void {
  const of = (types: ReadonlySet<number>, also?: number): Draft[] =>
    columns.filter(({ type }) => types.has(type) || (isMariaDb && type === also));
  switch (kind) {
    case SIGNEDNESS: {
      const bits = body.slice(body.rest);
      // A year has its bit, which says nothing of it.
      for (const [i, column] of of(NUMBERS).entries())
        if (column.type !== TYPE.year) column.isUnsigned = ((bits[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0;
      return;
    }
    case DEFAULT_CHARSET:
      return describeCollations(of(TEXTS, TYPE.geometry), body);
    case CHOICE_DEFAULT_CHARSET:
      return describeCollations(of(CHOICES), body);
    case COLUMN_CHARSET:
      for (const column of of(TEXTS, TYPE.geometry)) column.collation = body.packed();
      return;
    case CHOICE_COLUMN_CHARSET:
      for (const column of of(CHOICES)) column.collation = body.packed();
      return;
    case COLUMN_NAME:
      for (const column of columns) column.name = body.text(body.packed());
      return;
    case SET_MEMBERS:
      for (const column of of(new Set([TYPE.set]))) column.members = membersIn(body);
      return;
    case ENUM_MEMBERS:
      for (const column of of(new Set([TYPE.enum]))) column.members = membersIn(body);
  }
}

/** One for all, and those that have another. */
function describeCollations(columns: readonly Draft[], body: ByteCursor): void {
  const usual = body.packed();
  for (const column of columns) column.collation = usual;
  while (body.rest > 0) {
    const column = columns[body.packed()];
    const collation = body.packed();
    if (column) column.collation = collation;
  }
}

function membersIn(body: ByteCursor): Buffer[] {
  return Array.from({ length: body.packed() }, () => Buffer.from(body.slice(body.packed())));
}
