import type { CanonicalType } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { quote } from './literals.ts';
import type { MysqlConfig } from '../manifest.ts';

/** How the bytes of a column become a canonical value. */
export type ColumnReading = 'plain' | 'text' | 'binary' | 'boolean' | 'date' | 'timestamp' | 'timestamptz' | 'time' | 'short-decimal';

/** How a canonical value is given to the server. */
export type ColumnWriting = 'plain' | 'boolean' | 'timestamptz' | 'hex' | 'number' | 'geometry' | 'enum';

/** A column as the server describes it. */
export interface MysqlColumn {
  readonly name: string;
  /** `varchar`, as in information_schema. */
  readonly dataType: string;
  /** `varchar(20)`, in full. */
  readonly columnType: string;
  readonly nullable: boolean;
  readonly characterSet: string | null;
  readonly collation: string | null;
  readonly comment: string;
  readonly extra: string;
  /** MariaDB's json is a text with this check. */
  readonly isJson: boolean;
}

/** A column and what we make of it. */
export interface TypedColumn extends MysqlColumn {
  readonly field: Field;
  readonly reading: ColumnReading;
  readonly writing: ColumnWriting;
  /** What is selected. */
  readonly expression: string;
  /** What rows are ordered by and compared with: the same for both, whatever the type. */
  readonly order: string;
}

type Choices = Pick<MysqlConfig, 'tinyint1' | 'times'>;

interface TypeMeaning {
  type: CanonicalType;
  reading?: ColumnReading;
  writing?: ColumnWriting;
  precision?: number;
  scale?: number;
}

/** Our own tables say in the comment of a column what its type alone cannot. */
const TAG = /\[syncline:(timestamptz|uuid|decimal|boolean|json|text)\]/;

export function tagOf(type: string): string {
  return `[syncline:${type}]`;
}

export function typed(column: MysqlColumn, choices: Choices): TypedColumn {
  const name = quote(column.name);
  const { type, reading = 'plain', writing = 'plain', precision, scale } = meaningOf(column, choices);
  return {
    ...column,
    field: {
      name: column.name,
      type,
      nullable: column.nullable,
      native: column.isJson && column.dataType === 'longtext' ? 'json' : column.columnType,
      ...(precision !== undefined && { precision, scale: scale ?? 0 }),
    },
    reading,
    writing,
    expression: expressionOf(column, name),
    // An enum is sorted by its place and compared by its text; as text it is both.
    order: /^(enum|set)$/.test(column.dataType) ? `cast(${name} as char character set utf8mb4) collate utf8mb4_bin` : name,
  };
}

function expressionOf({ dataType }: MysqlColumn, name: string): string {
  if (dataType === 'bit') return `${name} + 0`;
  // The server writes a float with six digits; as a double it is exact.
  if (dataType === 'float') return `${name} + 0e0`;
  return SPATIAL.has(dataType) ? `st_aswkb(${name})` : name;
}

const SPATIAL = new Set([
  'geometry',
  'point',
  'linestring',
  'polygon',
  'multipoint',
  'multilinestring',
  'multipolygon',
  'geomcollection',
  'geometrycollection',
]);
const TEXTS = new Set(['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'inet4', 'inet6']);
const BINARIES = new Set(['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob', 'vector']);
const INTEGERS = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'year']);

function meaningOf(column: MysqlColumn, choices: Choices): TypeMeaning {
  const { dataType, columnType } = column;
  const tag = TAG.exec(column.comment)?.[1];
  const text: TypeMeaning = { type: 'text', reading: 'text' };
  if (TEXTS.has(dataType)) {
    if (column.isJson || (tag === 'json' && dataType === 'longtext')) return { type: 'json', reading: 'text' };
    return tag === 'uuid' && columnType === 'char(36)' ? { type: 'uuid', reading: 'text' } : text;
  }
  if (BINARIES.has(dataType)) return { type: 'binary', reading: 'binary', writing: 'hex' };
  if (SPATIAL.has(dataType)) return { type: 'binary', reading: 'binary', writing: 'geometry' };
  if (columnType.startsWith('tinyint(1)') && !columnType.includes('unsigned') && choices.tinyint1 !== 'integer')
    return { type: 'boolean', reading: 'boolean', writing: 'boolean' };
  if (INTEGERS.has(dataType)) return { type: 'int64' };
  const [, digits = '', decimals = ''] = /\((\d+)(?:,(\d+))?\)/.exec(columnType) ?? [];
  switch (dataType) {
    case 'bigint':
      return columnType.includes('unsigned') ? { type: 'decimal', precision: 20, scale: 0 } : { type: 'int64' };
    case 'decimal':
      if (tag === 'decimal') return { type: 'decimal', reading: 'short-decimal' };
      return { type: 'decimal', precision: Number(digits), scale: Number(decimals || 0) };
    case 'float':
    case 'double':
      return { type: 'float64' };
    case 'bit':
      if (digits === '1') return { type: 'boolean', reading: 'boolean', writing: 'number' };
      return digits === '64' ? { type: 'decimal', precision: 20, scale: 0, writing: 'number' } : { type: 'int64', writing: 'number' };
    case 'enum':
    case 'set':
      return { ...text, writing: 'enum' };
    case 'json':
      return { type: 'json', reading: 'text' };
    case 'uuid':
      return { type: 'uuid' };
    case 'date':
      return { type: 'date', reading: 'date' };
    case 'time':
      return choices.times === 'text' ? text : { type: 'time', reading: 'time' };
    case 'datetime':
      return tag === 'timestamptz'
        ? { type: 'timestamptz', reading: 'timestamptz', writing: 'timestamptz' }
        : { type: 'timestamp', reading: 'timestamp' };
    case 'timestamp':
      return { type: 'timestamptz', reading: 'timestamptz', writing: 'timestamptz' };
    default:
      return text;
  }
}

/** How the values of a field are given to a column, which may be of another type. */
export function writingOf(field: Field, column: TypedColumn): ColumnWriting {
  const { dataType } = column;
  if (TEXTS.has(dataType)) return 'plain';
  if (dataType === 'enum' || dataType === 'set') return 'enum';
  if (dataType === 'bit') return 'number';
  if (field.type === 'boolean') return 'boolean';
  if (field.type === 'binary') return SPATIAL.has(dataType) ? 'geometry' : BINARIES.has(dataType) ? 'hex' : 'plain';
  return field.type === 'timestamptz' && /^(date|datetime|timestamp)$/.test(dataType) ? 'timestamptz' : 'plain';
}

/** The names that an enum or a set has. */
export function membersOf({ columnType }: MysqlColumn): ReadonlySet<string> {
  return new Set([...columnType.matchAll(/'((?:[^']|'')*)'/g)].map(([, name = '']) => name.replaceAll("''", "'")));
}
