import type { DatabaseSync } from 'node:sqlite';
import { LANGUAGE } from '../manifest.ts';
import { quote } from '../database/open.ts';
import { MARKED_NOW, promisedType } from '../database/declared.ts';
import type {
  IndexedColumn,
  PlainColumn,
  PlainIndex,
  PlainReference,
  PlainStructure,
  ReferenceAction,
  StreamStructure,
} from '../../structure.ts';
import { referenceWords } from '../../sql-target/structure/plan.ts';
import type { SqliteStructure } from './described.ts';
import { deferralsOf, parseTable, type WrittenTable } from './table-text.ts';

/** What these tables have, all as of one moment. */
export function describe(database: DatabaseSync, streams: readonly string[]): ReadonlyMap<string, StreamStructure> {
  const found = new Map<string, StreamStructure>();
  database.exec('begin');
  try {
    for (const stream of streams) {
      const structure = describeTable(database, stream);
      if (structure) found.set(stream, structure);
    }
  } finally {
    database.exec('rollback');
  }
  return found;
}

function describeTable(database: DatabaseSync, stream: string): StreamStructure | undefined {
  const table = database.prepare(`select name, sql from main.sqlite_schema where type = 'table' and name = ?`).get(stream) as
    | { name: string; sql: string }
    | undefined;
  const written = table && parseTable(table.sql);
  if (!written) return undefined;
  const { name, sql } = table;
  const indexes = database
    .prepare(`select name, sql from main.sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by rowid`)
    .all(name)
    .map((row) => ({ name: String(row['name']), sql: String(row['sql']) }));
  const own: SqliteStructure = { name, sql, written, indexes };
  return { language: LANGUAGE, own, plain: plainOf(database, own) };
}

interface FoundColumn {
  name: string;
  type: string;
  notnull: number;
  pk: number;
  hidden: number;
  dflt_value: string | null;
}

function plainOf(database: DatabaseSync, { name, sql, written }: SqliteStructure): PlainStructure {
  const found = database
    .prepare('select name, type, "notnull", pk, hidden, dflt_value from pragma_table_xinfo(?) where hidden <> 1 order by cid')
    .all(name) as unknown as FoundColumn[];
  const key = found.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const isAlias = key.length === 1 && key[0]?.type.toUpperCase() === 'INTEGER' && !/\bwithout\s+rowid\b/i.test(written.options);
  const numbered = isAlias ? key[0]?.name : undefined;
  const { indexes, odd } = indexesOf(database, name);
  return {
    comment: null,
    columns: found.map((column) => plainColumn(database, name, column, column.name === numbered, /\bautoincrement\b/i.test(sql))),
    key: key.map((column) => column.name),
    indexes,
    references: referencesOf(database, name),
    others: [...othersOf(found, written), ...odd],
  };
}

function plainColumn(database: DatabaseSync, table: string, column: FoundColumn, isNumbered: boolean, keepsSequence: boolean): PlainColumn {
  return {
    name: column.name,
    notNull: column.notnull === 1 || isNumbered,
    default: defaultOf(column) ?? null,
    isNumbered,
    next: isNumbered ? nextNumber(database, table, column.name, keepsSequence) : null,
    maxLength: null,
    comment: null,
  };
}

/** The number behind the largest that there is, or was where SQLite remembers it. */
function nextNumber(database: DatabaseSync, table: string, column: string, keepsSequence: boolean): string {
  const select = database.prepare(
    `select max(coalesce((select max(${quote(column)}) from main.${quote(table)}), 0), ${keepsSequence ? 'coalesce((select seq from main.sqlite_sequence where name = ?), 0)' : '0'}) as last`,
  );
  select.setReadBigInts(true);
  const row = keepsSequence ? select.get(table) : select.get();
  return String((row?.['last'] as bigint) + 1n);
}

const NUMERIC: ReadonlySet<string> = new Set(['int64', 'decimal', 'float64']);
const TEXT = /^'((?:[^']|'')*)'$/;

function defaultOf({ dflt_value: text, type }: FoundColumn): PlainColumn['default'] | undefined {
  const bare = text?.trim().replace(/^\((.*)\)$/s, '$1') ?? 'NULL';
  if (/^null$/i.test(bare)) return undefined;
  const isBoolean = promisedType(type) === 'boolean';
  if (/^(?:true|false)$/i.test(bare) || (isBoolean && /^[01]$/.test(bare)))
    return { kind: 'boolean', text: /^(?:true|1)$/i.test(bare) ? 't' : 'f' };
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(bare))
    return {
      kind: 'number',
      text: bare
        .replace(/^\+/, '')
        .replace(/^(-?)\./, '$10.')
        .replace(/\.$/, ''),
    };
  if (/^current_timestamp$/i.test(bare) || bare === MARKED_NOW) return { kind: 'now' };
  const literal = TEXT.exec(bare)?.[1];
  if (literal === undefined) return undefined;
  // A decimal is kept as text, and so is its default.
  const isNumber = NUMERIC.has(promisedType(type) ?? '') && /^-?\d+(?:\.\d+)?$/.test(literal);
  return { kind: isNumber ? 'number' : 'text', text: literal.replaceAll("''", "'") };
}

function indexesOf(database: DatabaseSync, table: string): { indexes: PlainIndex[]; odd: string[] } {
  const list = database
    .prepare('select name, "unique" as isUnique, origin, partial from pragma_index_list(?) order by seq desc')
    .all(table) as unknown as {
    name: string;
    isUnique: number;
    origin: string;
    partial: number;
  }[];
  const indexes: PlainIndex[] = [];
  const odd: string[] = [];
  for (const { name, isUnique, origin, partial } of list) {
    if (origin === 'pk') continue;
    const columns = database
      .prepare('select name, "desc" as isDescending from pragma_index_xinfo(?) where key = 1 order by seqno')
      .all(name) as unknown as {
      name: string | null;
      isDescending: number;
    }[];
    const plain = columns.flatMap((column): IndexedColumn[] =>
      column.name === null ? [] : [{ name: column.name, isDescending: column.isDescending === 1 }],
    );
    if (partial === 1 || plain.length < columns.length) odd.push(`The index "${name}"`);
    else indexes.push({ name: origin === 'c' ? name : null, columns: plain, isUnique: isUnique === 1 });
  }
  return { indexes, odd };
}

interface FoundReference {
  id: number;
  table: string;
  from: string;
  to: string | null;
  on_update: string;
  on_delete: string;
}

function referencesOf(database: DatabaseSync, table: string): PlainReference[] {
  const rows = database
    .prepare('select id, "table", "from", "to", on_update, on_delete from pragma_foreign_key_list(?) order by id desc, seq')
    .all(table) as unknown as FoundReference[];
  const ids = [...new Set(rows.map(({ id }) => id))];
  return ids.flatMap((id) => {
    const parts = rows.filter((row) => row.id === id);
    const [first] = parts;
    if (!first) return [];
    // Names are written as one likes; the table is known by its own.
    const real = database
      .prepare(`select name from main.sqlite_schema where type = 'table' and name = ? collate nocase`)
      .get(first.table)?.['name'];
    const to = typeof real === 'string' ? real : first.table;
    const named = parts.flatMap((part) => part.to ?? []);
    const toColumns = named.length === parts.length ? named : keyOf(database, to);
    return [
      {
        name: null,
        columns: parts.map(({ from }) => from),
        to,
        toColumns,
        onDelete: first.on_delete.toLowerCase() as ReferenceAction,
        onUpdate: first.on_update.toLowerCase() as ReferenceAction,
      },
    ];
  });
}

function keyOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare('select name from pragma_table_xinfo(?) where pk > 0 order by pk')
    .all(table)
    .map((row) => String(row['name']));
}

function othersOf(found: readonly FoundColumn[], written: WrittenTable): string[] {
  const { columns, constraints, options } = written;
  const checks = [...columns.flatMap((column) => column.constraints), ...constraints].filter(({ kind }) => kind === 'CHECK');
  const collated = columns.filter((column) => column.constraints.some(({ kind }) => kind === 'COLLATE'));
  return [
    ...found
      .filter(
        (column) => column.dflt_value !== null && !/^\(?null\)?$/i.test(column.dflt_value) && column.hidden === 0 && !defaultOf(column),
      )
      .map(({ name }) => `The default of the column "${name}"`),
    ...found.filter(({ hidden }) => hidden > 1).map(({ name }) => `The expression that computes the column "${name}"`),
    ...collated.map(({ name }) => `The collation of the column "${name}"`),
    ...checks.map((check) => constraintWords(check)),
    ...deferralsOf(written).map((deferral) => `That ${referenceWords({ name: null, ...deferral }).replace('The', 'the')} can be deferred`),
    ...(/\bstrict\b/i.test(options) ? ['That the table is STRICT'] : []),
  ];
}

export function constraintWords({ kind, name, text }: { kind: string; name: string | null; text: string }): string {
  const what = kind === 'CHECK' ? 'check' : 'constraint';
  return name === null ? `The ${what} ${text}` : `The ${what} "${name}"`;
}
