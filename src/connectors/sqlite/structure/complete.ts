import type { DatabaseSync } from 'node:sqlite';
import { NameChoice } from '../../sql-target/structure/fit-name.ts';
import { indexWords, nameAt, planOf } from '../../sql-target/structure/plan.ts';
import type { Transact } from '../../sql-target/transact.ts';
import type { PlainIndex, StructuredStream } from '../../structure.ts';
import { sqliteError } from '../database/errors.ts';
import { changing, quote } from '../database/open.ts';
import type { SqliteStructure } from './described.ts';
import { lackingOf, mark, saidOf, unmark } from './marks.ts';
import { leftOutOf, ownOf } from './made-table.ts';
import { renamed } from './table-text.ts';
import { tokensOf } from './tokens.ts';

/** The file that is written, and how. */
export interface StructureSite {
  readonly database: DatabaseSync;
  readonly transact: Transact;
  /** As the user named it. */
  readonly path: string;
}

/** Makes the indexes of a table that was made for it, each in a transaction of its own. */
export async function complete(site: StructureSite, stream: StructuredStream): Promise<readonly string[]> {
  const { database, transact } = site;
  const isOurs = (): boolean => lackingOf(database, stream.stream, stream.owner) === 'structure';
  if (!isOurs()) return [];
  const warnings = [...saidOf(database, stream.stream), ...leftOutOf(stream)];
  for (const { what, name, make } of indexesFor(database, stream, warnings)) {
    await transact(async () => {
      if (!isOurs() || hasIndex(database, stream.stream, name)) return;
      try {
        // One statement, whatever the text says.
        changing(database, make).run();
      } catch (error) {
        warnings.push(`${what} could not be made: ${refusalOf(error, site.path)}.`);
      }
    });
  }
  await transact(async () => {
    if (!isOurs()) return;
    moveNumber(database, stream);
    if (stream.connects && planOf(stream).references.length > 0)
      mark(database, { stream: stream.stream, owner: stream.owner, lacking: 'references' });
    else unmark(database, stream.stream);
  });
  return warnings;
}

interface WantedIndex {
  readonly what: string;
  readonly name: string;
  readonly make: string;
}

function indexesFor(database: DatabaseSync, stream: StructuredStream, warnings: string[]): WantedIndex[] {
  const own = ownOf(stream);
  if (own) return own.indexes.flatMap((index) => ownIndex(stream, own, index, warnings));
  const names = new NameChoice({ most: 200, foldsCase: true });
  return planOf(stream).indexes.map((index) => plainIndex(database, stream, index, names));
}

/** By its own words, with the names of the target. */
function ownIndex(
  stream: StructuredStream,
  own: SqliteStructure,
  index: SqliteStructure['indexes'][number],
  warnings: string[],
): WantedIndex[] {
  const names = new Map(own.written.columns.map(({ name }) => [name.toLowerCase(), nameAt(stream, name)]));
  const what = `The index "${index.name}"`;
  const made = renamed(index.sql, names);
  const tokens = tokensOf(index.sql);
  const on = tokens[tokens.findIndex(({ word, depth }) => word === 'ON' && depth === 0) + 1];
  const isIndex = tokens[0]?.word === 'CREATE' && ['INDEX', 'UNIQUE'].includes(tokens[1]?.word ?? '');
  if ('missing' in made || !on || !isIndex) {
    // The plan has told it where all of its columns are plain.
    const isTold = stream.described?.plain.indexes.some(({ name }) => name === index.name);
    if (!isTold)
      warnings.push(
        `${what} is left out: ${'missing' in made ? `"${made.missing}" is not brought over as it is` : 'how it is made could not be told'}.`,
      );
    return [];
  }
  // Columns come behind the table, so that it is where it was.
  const make = stream.stream === own.name ? made.text : `${made.text.slice(0, on.start)}${quote(stream.stream)}${made.text.slice(on.end)}`;
  return [{ what, name: index.name, make }];
}

function plainIndex(database: DatabaseSync, { stream: table, peers }: StructuredStream, index: PlainIndex, names: NameChoice): WantedIndex {
  const { name, columns, isUnique } = index;
  const wanted = name ?? `${table}_${columns.map((column) => column.name).join('_')}_${isUnique ? 'key' : 'idx'}`;
  // All tables and indexes of a file share their names here, tables that are still to come too.
  const tables = new Set(peers.map(({ stream }) => stream.toLowerCase()));
  const isTaken = (chosen: string): boolean =>
    /^sqlite_/i.test(chosen) || tables.has(chosen.toLowerCase()) || (hasName(database, chosen) && !hasIndex(database, table, chosen));
  let chosen = names.choose([wanted]);
  while (isTaken(chosen)) chosen = names.choose([`${table}_${wanted}`]);
  const list = columns.map((column) => `${quote(column.name)}${column.isDescending ? ' desc' : ''}`).join(', ');
  return {
    what: indexWords(index),
    name: chosen,
    make: `create ${isUnique ? 'unique ' : ''}index main.${quote(chosen)} on ${quote(table)} (${list})`,
  };
}

function hasIndex(database: DatabaseSync, table: string, name: string): boolean {
  const found = `select 1 from main.sqlite_schema where type = 'index' and tbl_name = ? and name = ? collate nocase`;
  return database.prepare(found).get(table, name) !== undefined;
}

function hasName(database: DatabaseSync, name: string): boolean {
  return database.prepare('select 1 from main.sqlite_schema where name = ? collate nocase').get(name) !== undefined;
}

/** What SQLite says against a statement; throws what may be otherwise in a moment. */
function refusalOf(error: unknown, path: string): string {
  const failure = sqliteError(error, path);
  if (!['config', 'data'].includes(failure.kind)) throw failure;
  const doubled = /^The table refuses it: UNIQUE constraint failed: (?<columns>.*?)\.?$/.exec(failure.message)?.groups?.['columns'];
  if (doubled === undefined) return failure.message.replace(/\.$/, '');
  return `rows have the same values in ${doubled}. Mend them at the source, and let the table be made anew`;
}

/** Moves the number of the next row to where that of the source is, and never back. Within a transaction. */
export function moveNumber(database: DatabaseSync, stream: StructuredStream): void {
  const next = planOf(stream).columns.find(({ isNumbered }) => isNumbered)?.next;
  const row = database.prepare(`select sql from main.sqlite_schema where type = 'table' and name = ?`).get(stream.stream);
  if (next == null || !/\bautoincrement\b/i.test(String(row?.['sql'] ?? ''))) return;
  const last = BigInt(next) - 1n;
  const { changes } = changing(database, 'update main.sqlite_sequence set seq = max(seq, ?) where name = ?').run(last, stream.stream);
  if (Number(changes) === 0 && last > 0n)
    changing(database, 'insert into main.sqlite_sequence (name, seq) values (?, ?)').run(stream.stream, last);
}
