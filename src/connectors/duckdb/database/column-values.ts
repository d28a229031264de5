import { type CanonicalType, comparable, isCanonical } from '../../canonical.ts';
import type { Field } from '../../contract.ts';

const MEANINGS: Readonly<Record<string, CanonicalType>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'int64',
  SMALLINT: 'int64',
  INTEGER: 'int64',
  BIGINT: 'int64',
  UTINYINT: 'int64',
  USMALLINT: 'int64',
  UINTEGER: 'int64',
  UBIGINT: 'decimal',
  HUGEINT: 'decimal',
  UHUGEINT: 'decimal',
  FLOAT: 'float64',
  DOUBLE: 'float64',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp',
  TIMESTAMP_S: 'timestamp',
  TIMESTAMP_MS: 'timestamp',
  TIMESTAMP_NS: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
  UUID: 'uuid',
  JSON: 'json',
  BLOB: 'binary',
};

/** What the values of a column are. Lists, structs and maps are JSON; what has no type of its own is text. */
export function meaningOf(declared: string): CanonicalType {
  if (declared.startsWith('DECIMAL(')) return 'decimal';
  if (declared.endsWith(']') || /^(STRUCT|MAP|UNION)\(/.test(declared)) return 'json';
  return MEANINGS[declared] ?? 'text';
}

/** Precision and scale, where the type says so. */
export function sizeOf(declared: string): { precision: number; scale: number } | undefined {
  const [, precision, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(declared) ?? [];
  if (precision !== undefined) return { precision: Number(precision), scale: Number(scale) };
  return /HUGEINT$|^UBIGINT$/.test(declared) ? { precision: 39, scale: 0 } : undefined;
}

const MADE: Readonly<Record<CanonicalType, string>> = {
  text: 'VARCHAR',
  int64: 'BIGINT',
  decimal: 'DECIMAL(38,10)',
  float64: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  uuid: 'UUID',
  json: 'JSON',
  binary: 'BLOB',
};

/** The type of a column that is made for a field. */
export function declaredFor({ type, precision, scale = 0 }: Field): string {
  if (type === 'decimal' && precision !== undefined && precision <= 38 && scale <= precision) return `DECIMAL(${precision},${scale})`;
  return MADE[type];
}

/** A column as canonical text, but for what `fromShown` still has to do. */
export function shownSql(column: string, declared: string): string {
  switch (meaningOf(declared)) {
    case 'boolean':
      return `case when ${column} then 't' when not ${column} then 'f' end`;
    case 'binary':
      return `'\\x' || lower(hex(${column}))`;
    case 'timestamp':
      // Nanoseconds are cut.
      return `cast(cast(${column} as timestamp) as varchar)`;
    case 'json':
      return declared === 'JSON' ? `cast(${column} as varchar)` : `cast(to_json(${column}) as varchar)`;
    default:
      return `cast(${column} as varchar)`;
  }
}

/** The canonical spelling of what `shownSql` gave. */
export function fromShown(type: CanonicalType): ((text: string) => string) | undefined {
  if (type === 'float64') return (text) => (text === 'nan' ? 'NaN' : text === 'inf' ? 'Infinity' : text === '-inf' ? '-Infinity' : text);
  if (type === 'date' || type === 'timestamp' || type === 'timestamptz')
    return (text) => (text.includes('(BC)') ? `${text.replace(' (BC)', '')} BC` : text);
  return undefined;
}

/** A text of a staged batch as a value of a column; null where it cannot be one. */
export function castSql(text: string, declared: string): string {
  if (declared === 'BLOB') return `unhex(substr(${text}, 3))`;
  return declared === 'VARCHAR' ? text : `try_cast(${text} as ${declared})`;
}

/** A canonical value in the spelling that DuckDB takes for the column; undefined when it would not come back as it is. Not for null. */
export function spelledFor(declared: string): (value: string) => string | undefined {
  const type = meaningOf(declared);
  const size = sizeOf(declared);
  switch (type) {
    case 'text':
      return (value) => value;
    case 'decimal':
      return (value) => (isCanonical('decimal', value) && fits(value, size ?? { precision: 38, scale: 0 }) ? value : undefined);
    case 'float64':
      return (value) => {
        if (!isCanonical('float64', value)) return undefined;
        // More digits than a double has would get lost, unless it is one that was written so.
        const isExact = declared === 'DOUBLE' || !Number.isFinite(Number(value)) || Math.fround(Number(value)) === Number(value);
        return isExact ? value : undefined;
      };
    case 'date':
      return (value) => (isCanonical('date', value) ? value.replace(/ BC$/, ' (BC)') : undefined);
    case 'timestamp':
    case 'timestamptz':
      return (value) => (isCanonical(type, value) ? value.replace(/^(\S+) (.*) BC$/, '$1 (BC) $2') : undefined);
    default:
      return (value) => (isCanonical(type, value) ? value : undefined);
  }
}

function fits(value: string, { precision, scale }: { precision: number; scale: number }): boolean {
  const [whole = '', fraction = ''] = (comparable('decimal', value) ?? '').replace(/^[+-]/, '').split('.');
  return /^\d+$/.test(whole) && fraction.length <= scale && whole.replace(/^0+/, '').length <= precision - scale;
}
