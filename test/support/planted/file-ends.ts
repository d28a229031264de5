import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Batch } from '../../../src/connectors/batch.ts';
import type { Row, Value } from '../../../src/connectors/canonical.ts';
import { openFiles } from '../files-session.ts';
import { ALL_COLUMNS } from './columns.ts';
import type { PlantedEnd } from './ends.ts';

/** A file, which is written anew when it was changed. What a source has is declared; of a target, only what can be seen is known. */
export function fileEnd(folder: string, name: string, format: 'csv' | 'parquet', role: 'source' | 'target'): PlantedEnd {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.${format}`);
  const write = (all: readonly Row[]): Promise<void> =>
    format === 'csv' ? Promise.resolve(writeFileSync(path, csvText(all))) : writeParquet(folder, name, all);
  const types = ALL_COLUMNS.map(({ name: field, type }) => ({ field, type }));
  return {
    system: format,
    end: {
      id: 'f',
      name: 'f',
      type: 'files',
      config: { path: `${folder}/`, format, ...(format === 'csv' && role === 'source' && { types }) },
    },
    stream: name,
    create: (_key, all) => write(all),
    drop: async () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    },
    set: async () => {},
    remove: async () => {},
    add: async () => {},
    settle: write,
  };
}

/** As other programs write it: texts in quotes, and nothing where there is no value. */
function csvText(rows: readonly Row[]): string {
  const lines = rows.map((row) => row.map((value, at) => cell(value, at)).join(','));
  return `${ALL_COLUMNS.map(({ name }) => name).join(',')}\r\n${lines.map((line) => `${line}\r\n`).join('')}`;
}

function cell(value: Value, column: number): string {
  if (value === null) return '';
  switch (ALL_COLUMNS[column]?.type) {
    case 'text':
    case 'json':
      return `"${value.replaceAll('"', '""')}"`;
    case 'boolean':
      return value === 't' ? 'true' : 'false';
    case 'timestamptz':
      return value.replace(' ', 'T').replace('+00', 'Z');
    default:
      return value;
  }
}

/** No other program at hand writes Parquet: this is our own writer, into a folder of its own, and without what it remembers. */
async function writeParquet(folder: string, name: string, rows: readonly Row[]): Promise<void> {
  rmSync(join(folder, `${name}.parquet`), { force: true });
  rmSync(join(folder, '.syncline'), { recursive: true, force: true });
  const session = await openFiles({ path: `${folder}/`, format: 'parquet' });
  const fields = ALL_COLUMNS.map(({ name: field, type }) => ({ name: field, type, nullable: true }));
  const writer = await session.write({ stream: name, fields, key: [], mode: 'append', owner: 'planted', token: 1n, create: true });
  await writer.write(Batch.ofRows(rows, { position: 'all' }));
  await writer.finish();
  await writer.close();
  await session.close();
  rmSync(join(folder, '.syncline'), { recursive: true, force: true });
}
