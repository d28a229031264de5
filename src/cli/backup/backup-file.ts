import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createZstdDecompress } from 'node:zlib';
import { SCHEMA_VERSION } from '../../db/migrate.ts';
import { type BackupHeader, type EndLine, FORMAT, FORMAT_VERSION, type TableCounts, type TableLine } from './backup-format.ts';
import { BACKUP_TABLES, type ColumnValue } from './backup-tables.ts';
import type { BackupTable } from './backup-table.ts';

// Rows are handed on together until there are this many of them, or their text has this length.
const CHUNK_ROWS = 1000;
const CHUNK_LENGTH = 1024 * 1024;
const READ_BUFFER = 256 * 1024;

const REFUSED = 'BACKUP_REFUSED';

/** A backup cannot be used, for a reason that its owner can read. A code, as the error may come from another thread. */
export function refused(message: string): Error {
  return Object.assign(new Error(message), { code: REFUSED });
}

export function isRefused(error: unknown): error is Error {
  return (error as NodeJS.ErrnoException).code === REFUSED;
}

export interface Chunk {
  /** Of an older version, as the file names it: its values are of whatever type they were. */
  table: BackupTable;
  rows: ColumnValue[][];
}

export interface BackupFile {
  header: BackupHeader;
  /** The rows in the order of the file. Only when this ends without an error was the file whole. */
  chunks: AsyncIterable<Chunk>;
  close(): Promise<void>;
}

/** Opens a backup for reading; refuses what is none. */
export async function openBackup(path: string): Promise<BackupFile> {
  const lines = linesOf(path);
  const first = await lines.next();
  const text = first.done ? '' : first.value;
  const header = parse(path, text) as BackupHeader | null;
  const close = async (): Promise<void> => {
    await lines.return(undefined);
  };
  if (header?.format !== FORMAT) {
    await close();
    throw noBackup(path);
  }
  if (header.version !== FORMAT_VERSION) {
    await close();
    throw refused(`${path} was written by a newer Syncline (${header.app}). Restore it with that one.`);
  }
  return { header, chunks: chunksOf(path, text, lines, header.schema < SCHEMA_VERSION), close };
}

async function* chunksOf(path: string, header: string, lines: AsyncIterable<string>, isOlder: boolean): AsyncGenerator<Chunk> {
  const hash = createHash('sha256').update(`${header}\n`);
  const counts: TableCounts = {};
  let table: BackupTable | undefined;
  let rows: ColumnValue[][] = [];
  let length = 0;
  let whole = false;
  for await (const text of lines) {
    if (whole) throw damaged(path);
    const value = parse(path, text);
    if (table && rows.length > 0 && (!Array.isArray(value) || rows.length >= CHUNK_ROWS || length >= CHUNK_LENGTH)) {
      yield { table, rows };
      rows = [];
      length = 0;
    }
    if (isEnd(value)) {
      whole = value.sha256 === hash.digest('hex') && sameCounts(value.tables, counts, isOlder ? Object.keys(value.tables) : TABLE_NAMES);
      if (!whole) throw damaged(path);
      continue;
    }
    hash.update(text).update('\n');
    if (table && Array.isArray(value) && value.length === Object.keys(table.columns).length) {
      rows.push(value as ColumnValue[]);
      length += text.length;
      counts[table.name] = (counts[table.name] ?? 0) + 1;
    } else {
      table = isOlder ? olderTable(value as TableLine) : tableOf(value as TableLine);
      if (!table) throw damaged(path);
      counts[table.name] = 0;
    }
  }
  if (!whole) throw damaged(path);
}

function isEnd(value: unknown): value is EndLine {
  return (value as EndLine | null)?.end === true;
}

const TABLE_NAMES = BACKUP_TABLES.map(({ name }) => name);

function sameCounts(told: TableCounts, counted: TableCounts, names: readonly string[]): boolean {
  return names.every((name) => counted[name] !== undefined && counted[name] === told[name]);
}

/** The table that a line announces, if it is one of ours with the columns that we know. */
function tableOf(value: Partial<TableLine> | null): BackupTable | undefined {
  const table = BACKUP_TABLES.find(({ name }) => name === value?.table);
  return table && Object.keys(table.columns).join() === value?.columns?.join() ? table : undefined;
}

/** A table that an older version has named. Whether it had such a one, its steps of the schema know. */
function olderTable(value: Partial<TableLine> | null): BackupTable | undefined {
  const { table = '', columns = [] } = value ?? {};
  const areNames = [table, ...columns].every((name) => /^[a-z][a-z_]*$/.test(name));
  return areNames ? { name: table, columns: Object.fromEntries(columns.map((name) => [name, 'text'])), key: [] } : undefined;
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path, { highWaterMark: READ_BUFFER });
  const text = createZstdDecompress({ chunkSize: READ_BUFFER }).setEncoding('utf8');
  file.on('error', (error) => text.destroy(error)).pipe(text);
  try {
    let rest = '';
    for await (const piece of text as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') throw damaged(path);
  } catch (error) {
    throw asRefusal(path, error as NodeJS.ErrnoException);
  } finally {
    file.destroy();
    text.destroy();
  }
}

function asRefusal(path: string, error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'ENOENT':
      return refused(`There is no file ${path}.`);
    case 'EISDIR':
      return refused(`${path} is a folder, not a backup.`);
    case 'EACCES':
      return refused(`The file ${path} may not be read by this user.`);
    case 'ZSTD_error_prefix_unknown':
      return noBackup(path);
    default:
      return error.code?.startsWith('Z') ? damaged(path) : error;
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(path);
  }
}

function noBackup(path: string): Error {
  return refused(`${path} is not a backup of Syncline.`);
}

export function damaged(path: string): Error {
  return refused(`The backup ${path} is damaged or incomplete. Nothing was restored.`);
}
