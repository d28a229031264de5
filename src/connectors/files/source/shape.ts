import { isJsonObject, parseExactly } from '../../../lib/exact-json.ts';
import type { CanonicalType } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { demandFields, MAX_FIELDS, nestsTooDeeply } from '../../field-limits.ts';
import { typeOfJson, widen } from '../../json-values.ts';
import type { DataFile } from './data-file.ts';
import { ColumnGuess } from '../text/infer.ts';
import { columnNames, isBlank, type Look, lookAt, sampleRecords } from './look.ts';
import type { FilesConfig } from '../manifest.ts';
import { openParquetFile } from '../parquet/file.ts';
import type { FileStream } from './streams.ts';

/** The fields of a stream, and what was seen on the way. */
export interface FileShape {
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  /** Rows there may be, guessed from the sizes. */
  readonly estimatedRows: number | null;
}

// So much of the first file is looked at, and so much of a few others.
const FIRST_HEAD = 1024 * 1024;
const OTHER_HEAD = 256 * 1024;
const OTHERS = 7;
const MOST_ROWS = 10_000;

/** Tells the fields of a stream from the beginnings of its files. What is declared or remembered goes first. */
export async function shapeOf(
  stream: FileStream,
  files: readonly DataFile[],
  config: FilesConfig,
  signal: AbortSignal,
): Promise<FileShape> {
  const seen = new Map<string, Field>();
  let key: readonly string[] = [];
  let estimate: number | null = 0;
  const sampled = someOf(files);
  for (const [index, file] of sampled.entries()) {
    const remembered = await stream.remembered(file, signal);
    if (remembered) {
      for (const field of remembered.fields) merge(seen, field);
      ({ key } = remembered);
      continue;
    }
    try {
      const look = await lookAt(file, config, index === 0 ? FIRST_HEAD : OTHER_HEAD, signal);
      const { fields, rows } = await fieldsOf(file, look, signal);
      for (const field of fields) merge(seen, field);
      estimate = estimate === null || rows === null ? null : estimate + rows;
    } finally {
      await file.close();
    }
  }
  demandFields([...seen.keys()], stream.name);
  const declared = new Map(config.types.map(({ field, type }) => [field, type]));
  const fields = [...seen.values()].map((field): Field => {
    const type = declared.get(field.name);
    declared.delete(field.name);
    return type === undefined || type === field.type ? field : { name: field.name, type, nullable: field.nullable };
  });
  // What is declared but was not seen may come later.
  for (const [name, type] of declared) if (files.length > 0) fields.push({ name, type, nullable: true });
  if (config.file_fields && files.length > 0)
    fields.push({ name: '_file', type: 'text', nullable: false }, { name: '_line', type: 'int64', nullable: false });
  const scale = sampled.length === 0 ? 0 : files.length / sampled.length;
  return { fields, key, estimatedRows: estimate === null ? null : Math.round(estimate * scale) };
}

/** The first, the last and some in between. */
function someOf(files: readonly DataFile[]): DataFile[] {
  if (files.length <= OTHERS + 1) return [...files];
  return Array.from({ length: OTHERS + 1 }, (_, index) => files[Math.round((index * (files.length - 1)) / OTHERS)] as DataFile);
}

function merge(seen: Map<string, Field>, field: Field): void {
  const known = seen.get(field.name);
  if (!known) seen.set(field.name, field);
  else if (known.type !== field.type)
    seen.set(field.name, { name: field.name, type: widest(known.type, field.type), nullable: known.nullable || field.nullable });
  else if (field.nullable && !known.nullable) seen.set(field.name, { ...known, nullable: true });
}

/** Text holds everything; in CSV it is not JSON. */
function widest(a: CanonicalType, b: CanonicalType): CanonicalType {
  return a === 'text' || b === 'text' ? 'text' : (widen(a, b) ?? 'text');
}

/** The fields of one file, and about how many rows it has. */
export async function fieldsOf(file: DataFile, look: Look, signal: AbortSignal): Promise<{ fields: Field[]; rows: number | null }> {
  if (look.reading.format === 'parquet') {
    if (look.head.length === 0) return { fields: [], rows: 0 };
    const parquet = await openParquetFile(file, signal);
    await parquet.close();
    return { fields: [...parquet.fields], rows: parquet.rows };
  }
  const { fields, rows, bytes } = look.reading.format === 'csv' ? csvFields(look) : jsonlFields(look);
  if (look.isWhole) return { fields, rows };
  const isPlain = look.reading.compression === 'none' && file.size !== undefined && bytes > 0;
  return { fields, rows: isPlain ? Math.round((rows * file.size) / bytes) : null };
}

function csvFields(look: Look): { fields: Field[]; rows: number; bytes: number } {
  const names = look.reading.dialect ? columnNames(look.head, look.reading.dialect) : [];
  const guesses = names.map(() => new ColumnGuess());
  const nulls = new Set(look.reading.dialect?.nulls);
  let rows = 0;
  let bytes = 0;
  let isHeader = look.reading.dialect?.header ?? false;
  for (const { cells, next } of sampleRecords(look, MOST_ROWS)) {
    bytes = next;
    if (isHeader) {
      isHeader = isBlank(cells);
      continue;
    }
    if (cells.length !== names.length) continue;
    rows++;
    for (const [at, { text, quoted }] of cells.entries()) if (text !== '' && (quoted || !nulls.has(text))) guesses[at]?.add(text);
  }
  const fields = names.map((name, at): Field => ({ name, type: (guesses[at] as ColumnGuess).type, nullable: true }));
  return { fields, rows, bytes };
}

function jsonlFields({ head, isWhole }: Look): { fields: Field[]; rows: number; bytes: number } {
  const types = new Map<string, CanonicalType | undefined>();
  const text = head.toString();
  const end = isWhole ? text.length : text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, end).split('\n', MOST_ROWS);
  let rows = 0;
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (line.trim() === '') continue;
    rows++;
    for (const [name, value] of membersOf(line)) types.set(name, widen(types.get(name), typeOfJson(value)));
    // It is told when all files were looked at.
    if (types.size > MAX_FIELDS) break;
  }
  return { fields: [...types].map(([name, type]) => ({ name, type: type ?? 'text', nullable: true })), rows, bytes };
}

function membersOf(line: string): [string, unknown][] {
  // The reader will reject it.
  if (nestsTooDeeply(line)) return [];
  try {
    const value = parseExactly(line);
    return isJsonObject(value) ? Object.entries(value) : [];
  } catch {
    // The reader will reject it.
    return [];
  }
}
