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
  /** Rows that do not name it have a value all the same. */
  readonly isFilled?: boolean;
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
const INTEGERS = new Set(['smallint', 'mediumint', 'int', 'year']);

/** What the meaning of a column depends on. */
interface About extends Pick<MysqlColumn, 'dataType' | 'columnType' | 'isJson'> {
  /** What our own comment says of it. */
  readonly tag: string | undefined;
  /** The numbers in brackets behind the type. */
  readonly digits: string;
  readonly decimals: string;
  readonly choices: Choices;
}

const TEXT: TypeMeaning = { type: 'text', reading: 'text' };
const JSON_TEXT: TypeMeaning = { type: 'json', reading: 'text' };
const MOMENT: TypeMeaning = { type: 'timestamptz', reading: 'timestamptz', writing: 'timestamptz' };
const UNSIGNED_64: TypeMeaning = { type: 'decimal', precision: 20, scale: 0 };

/** What we make of each type of MySQL and MariaDB; any other is a text. */
const MEANINGS: ReadonlyMap<string, (about: About) => TypeMeaning> = new Map([
  ...each(TEXTS, textMeaning),
  ...each(BINARIES, (): TypeMeaning => ({ type: 'binary', reading: 'binary', writing: 'hex' })),
  ...each(SPATIAL, (): TypeMeaning => ({ type: 'binary', reading: 'binary', writing: 'geometry' })),
  ...each(INTEGERS, (): TypeMeaning => ({ type: 'int64' })),
  ...Object.entries<(about: About) => TypeMeaning>({
    tinyint: ({ columnType, choices }) => {
      const isBoolean = columnType.startsWith('tinyint(1)') && !columnType.includes('unsigned') && choices.tinyint1 !== 'integer';
      return isBoolean ? { type: 'boolean', reading: 'boolean', writing: 'boolean' } : { type: 'int64' };
    },
    bigint: ({ columnType }) => (columnType.includes('unsigned') ? UNSIGNED_64 : { type: 'int64' }),
    decimal: ({ tag, digits, decimals }) =>
      tag === 'decimal'
        ? { type: 'decimal', reading: 'short-decimal' }
        : { type: 'decimal', precision: Number(digits), scale: Number(decimals || 0) },
    float: () => ({ type: 'float64' }),
    double: () => ({ type: 'float64' }),
    bit: ({ digits }) => {
      if (digits === '1') return { type: 'boolean', reading: 'boolean', writing: 'number' };
      return { ...(digits === '64' ? UNSIGNED_64 : { type: 'int64' }), writing: 'number' };
    },
    enum: () => ({ ...TEXT, writing: 'enum' }),
    set: () => ({ ...TEXT, writing: 'enum' }),
    json: () => JSON_TEXT,
    uuid: () => ({ type: 'uuid' }),
    date: () => ({ type: 'date', reading: 'date' }),
    time: ({ choices }) => (choices.times === 'text' ? TEXT : { type: 'time', reading: 'time' }),
    datetime: ({ tag }) => (tag === 'timestamptz' ? MOMENT : { type: 'timestamp', reading: 'timestamp' }),
    timestamp: () => MOMENT,
  }),
]);

function each<Value>(types: ReadonlySet<string>, value: Value): [string, Value][] {
  return [...types].map((type) => [type, value]);
}

function textMeaning({ dataType, columnType, isJson, tag }: About): TypeMeaning {
  if (isJson || (tag === 'json' && dataType === 'longtext')) return JSON_TEXT;
  return tag === 'uuid' && columnType === 'char(36)' ? { type: 'uuid', reading: 'text' } : TEXT;
}

function meaningOf({ dataType, columnType, isJson, comment }: MysqlColumn, choices: Choices): TypeMeaning {
  const tag = TAG.exec(comment)?.[1];
  const [, digits = '', decimals = ''] = /\((\d+)(?:,(\d+))?\)/.exec(columnType) ?? [];
  return MEANINGS.get(dataType)?.({ dataType, columnType, isJson, tag, digits, decimals, choices }) ?? TEXT;
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
