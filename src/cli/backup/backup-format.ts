import { createHash } from 'node:crypto';
import { constants, createZstdCompress } from 'node:zlib';
import { BACKUP_TABLES, type ColumnValue } from './backup-tables.ts';
import type { BackupTable } from './backup-table.ts';

// A backup is NDJSON under zstd: a header; then for every table a line that names it and its columns, and a line for every
// row; then a line with the number of rows of each table and a hash of all lines before it. The same for both engines.

export const FORMAT = 'syncline-backup';
export const FORMAT_VERSION = 1;

export interface BackupHeader {
  format: typeof FORMAT;
  version: number;
  /** The schema of our tables that the rows are of. */
  schema: number;
  created_at: string;
  /** The version of the program that wrote it. */
  app: string;
}

export interface TableLine {
  table: string;
  columns: string[];
}

export interface EndLine {
  end: true;
  tables: TableCounts;
  sha256: string;
}

/** The number of rows of each table. */
export type TableCounts = Record<string, number>;

/** The text of a backup, piece by piece; `counts` fills as the tables go by. */
export async function* backupText(
  about: Pick<BackupHeader, 'schema' | 'created_at' | 'app'>,
  read: (table: BackupTable) => AsyncIterable<ColumnValue[][]>,
  counts: TableCounts,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const hashed = (text: string): string => {
    hash.update(text);
    return text;
  };
  yield hashed(line({ format: FORMAT, version: FORMAT_VERSION, ...about } satisfies BackupHeader));
  for (const table of BACKUP_TABLES) {
    yield hashed(line({ table: table.name, columns: Object.keys(table.columns) } satisfies TableLine));
    let count = 0;
    for await (const rows of read(table)) {
      count += rows.length;
      yield hashed(rows.map(line).join(''));
    }
    counts[table.name] = count;
  }
  yield line({ end: true, tables: counts, sha256: hash.digest('hex') } satisfies EndLine);
}

export function compressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
