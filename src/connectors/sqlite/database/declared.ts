import type { CanonicalType } from '../../canonical.ts';

/** How SQLite treats what is put into a column, by the words of its declared type. */
export type Affinity = 'integer' | 'text' | 'blob' | 'real' | 'numeric';

export function affinityOf(declared: string): Affinity {
  const type = declared.toUpperCase();
  if (type.includes('INT')) return 'integer';
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text';
  if (type === '' || type.includes('BLOB') || type === 'ANY') return 'blob';
  return /REAL|FLOA|DOUB/.test(type) ? 'real' : 'numeric';
}

const MEANINGS: readonly (readonly [RegExp, CanonicalType])[] = [
  [/^BOOL/, 'boolean'],
  [/^DATE( TEXT)?$/, 'date'],
  [/^TIME( TEXT)?$/, 'time'],
  [/^(TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE|DATETIMEOFFSET)/, 'timestamptz'],
  [/^(DATETIME|TIMESTAMP|SMALLDATETIME)/, 'timestamp'],
  [/^(UUID|GUID|UNIQUEIDENTIFIER)/, 'uuid'],
  [/^JSON( TEXT)?$/, 'json'],
  [/^(DECIMAL|NUMERIC|NUMBER|MONEY)/, 'decimal'],
];

/** What a declared type promises. SQLite does not keep such promises, so the values are looked at as well; undefined: they alone tell. */
export function promisedType(declared: string): CanonicalType | undefined {
  const type = declared.toUpperCase().trim();
  const meaning = MEANINGS.find(([words]) => words.test(type));
  if (meaning) return meaning[1];
  switch (affinityOf(type)) {
    case 'integer':
      return 'int64';
    case 'text':
      return 'text';
    case 'real':
      return 'float64';
    case 'blob':
      return type.includes('BLOB') ? 'binary' : undefined;
    default:
      return undefined;
  }
}

/** The type of a column made for a canonical type: nothing that is put in comes out different. */
export const DECLARED: Readonly<Record<CanonicalType, string>> = {
  text: 'TEXT',
  int64: 'INTEGER',
  // Without the word TEXT, SQLite would make doubles of them.
  decimal: 'DECIMAL TEXT',
  json: 'JSON TEXT',
  float64: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  uuid: 'UUID',
  binary: 'BLOB',
};

/** The moment, as a column of the type timestamptz keeps it. */
export const MARKED_NOW = `strftime('%Y-%m-%d %H:%M:%f+00:00', 'now')`;
