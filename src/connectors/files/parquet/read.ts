import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type Compressors, type FileMetaData, parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors as libraryCompressors } from 'hyparquet-compressors';
import type { Reject } from '../../batch.ts';
import type { Row, Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import { demandFields } from '../../field-limits.ts';
import { fromText } from '../../json-values.ts';
import { valueInWords } from '../../value-in-words.ts';
import type { DataFile } from '../source/data-file.ts';
import { columnsOf, type ParquetColumn } from './values.ts';
import { sentence } from '../../../lib/sentence.ts';

// A column of a row group is read as a whole; files that ask for more than this are broken or hostile.
const MAX_PART = 256 * 1024 * 1024;
// Parts that are kept because the next rows of the row group need them again.
const CACHE = 16 * 1024 * 1024;
// About so much of a row group is turned into values at a time.
const PORTION = 4 * 1024 * 1024;
const STRIP = 32;
// What a file says of itself may be a lie: no more rows than this are made before they are seen.
const MAX_STEP = 16_384;

export interface ParquetFile {
  readonly columns: readonly ParquetColumn[];
  readonly rows: number;
  /** Rows from a number on, a portion at a time, with the values of these fields. */
  portions(from: number, fields: readonly Field[]): AsyncGenerator<(Row | Reject)[]>;
}

export async function openParquet(file: DataFile, signal: AbortSignal): Promise<ParquetFile> {
  const buffer = await bufferOf(file, signal);
  const metadata = await described(file.name, async () => {
    if (buffer.byteLength < 12) throw new Error('it is shorter than any Parquet file');
    return parquetMetadataAsync(buffer, { geoparquet: false });
  });
  const columns = columnsOf(parquetSchema(metadata));
  demandFields(
    columns.map(({ field }) => field.name),
    file.name,
  );
  const bare = withoutMeaning(metadata);
  return {
    columns,
    rows: Number(metadata.num_rows),
    portions: (from, fields) => portionsOf({ name: file.name, buffer, metadata: bare, columns }, from, fields, signal),
  };
}

async function* portionsOf(
  { name, buffer, metadata, columns }: { name: string; buffer: AsyncBuffer; metadata: FileMetaData; columns: readonly ParquetColumn[] },
  from: number,
  fields: readonly Field[],
  signal: AbortSignal,
): AsyncGenerator<(Row | Reject)[]> {
  const chosen = fields.map((field) => columns.find((column) => column.field.name === field.name));
  const there = [...new Set(chosen.flatMap((column) => (column ? [column.field.name] : [])))];
  // Without any column the file still has its rows.
  const asked = there.length > 0 ? there : columns.slice(0, 1).map((column) => column.field.name);
  const places = chosen.map((column) => (column ? asked.indexOf(column.field.name) : -1));
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const groupEnd = groupStart + rows;
    const step = Math.max(100, Math.min(rows, MAX_STEP, Math.floor((PORTION * rows) / Math.max(1, Number(group.total_byte_size)))));
    for (let at = Math.max(from, groupStart); at < groupEnd; at += step) {
      if (signal.aborted) throw aborted();
      const found = await described(name, () => read(buffer, metadata, asked, at, Math.min(at + step, groupEnd)));
      yield found.map((raw, index) => rowOf(raw, at + index, { chosen, places, fields, name }));
    }
    groupStart = groupEnd;
  }
}

interface Choice {
  readonly chosen: readonly (ParquetColumn | undefined)[];
  readonly places: readonly number[];
  readonly fields: readonly Field[];
  readonly name: string;
}

function rowOf(raw: readonly unknown[], number: number, { chosen, places, fields, name }: Choice): Row | Reject {
  const row: Value[] = [];
  for (let at = 0; at < places.length; at++) {
    const [place, column, field] = [places[at] as number, chosen[at], fields[at] as Field];
    if (!column) {
      row.push(field.name === '_file' ? name : field.name === '_line' ? String(number + 1) : null);
      continue;
    }
    const value = valueOf(column, raw[place], field);
    if (value === undefined) {
      const shown = Object.fromEntries(fields.map(({ name: member }, index) => [member, printable(raw[places[index] ?? -1])]));
      const told = shown[field.name];
      const which = told === null || told === undefined ? '' : `: ${valueInWords(told)}`;
      return { row: shown, field: field.name, reason: `Row ${number + 1}: "${field.name}" is not of the type ${field.type}${which}.` };
    }
    row.push(value);
  }
  return row;
}

function valueOf({ toValue, field: { type } }: ParquetColumn, raw: unknown, wanted: Field): Value | undefined {
  try {
    const value = toValue(raw);
    return value === null || type === wanted.type ? value : fromText(wanted.type, value);
  } catch {
    // Bytes that should be text and are not.
    return undefined;
  }
}

function printable(raw: unknown): unknown {
  if (raw instanceof Uint8Array) return `\\x${Buffer.from(raw.subarray(0, 1000)).toString('hex')}`;
  return typeof raw === 'bigint' ? String(raw) : typeof raw === 'object' ? null : raw;
}

/** Rows of these columns. The library holds the whole schema for each column that it reads, so wide files are read in strips. */
async function read(file: AsyncBuffer, metadata: FileMetaData, columns: string[], rowStart: number, rowEnd: number): Promise<unknown[][]> {
  const rows = await readStrip(file, metadata, columns.slice(0, STRIP), rowStart, rowEnd);
  for (let at = STRIP; at < columns.length; at += STRIP) {
    const strip = await readStrip(file, metadata, columns.slice(at, at + STRIP), rowStart, rowEnd);
    for (const [index, row] of rows.entries()) row.push(...(strip[index] as unknown[]));
  }
  return rows;
}

async function readStrip(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: string[],
  rowStart: number,
  rowEnd: number,
): Promise<unknown[][]> {
  let found: unknown[][] = [];
  await parquetRead({
    file,
    metadata,
    columns,
    rowStart,
    rowEnd,
    utf8: false,
    compressors,
    geoparquet: false,
    // Only INT96 still comes through here: as nanoseconds.
    parsers: { timestampFromNanoseconds: (nanos) => nanos },
    onComplete: (rows) => {
      found = rows as unknown[][];
    },
  });
  if (found.length !== rowEnd - rowStart) throw new Error(`it has ${found.length} rows where ${rowEnd - rowStart} were promised`);
  return found;
}

/** The schema without the meaning of single values, so that they come as they are stored. Lists and maps keep theirs. */
function withoutMeaning(metadata: FileMetaData): FileMetaData {
  const isVariant = metadata.schema.some((element) => element.logical_type?.type === 'VARIANT');
  if (isVariant) return metadata;
  const schema = metadata.schema.map((element) => {
    if (element.num_children !== undefined && element.num_children > 0) return element;
    const { converted_type: _, logical_type: __, ...bare } = element;
    return bare;
  });
  return { ...metadata, schema };
}

/** Errors of the library in words; ours and those of the network as they are. */
async function described<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutsideError || (error instanceof Error && error.name === 'AbortError')) throw error;
    throw new OutsideError(
      'data',
      'PARQUET_BROKEN',
      sentence(`"${name}" cannot be read as Parquet: ${error instanceof Error ? error.message : 'it is damaged'}`),
      {
        hint: 'Make or copy the file again; it may be damaged, cut off, or still being written.',
        cause: error,
      },
    );
  }
}

/** The file as the library wants it, with the parts that were read last kept. */
async function bufferOf(file: DataFile, signal: AbortSignal): Promise<AsyncBuffer> {
  const size = file.size ?? 0;
  const kept = new Map<string, ArrayBuffer>();
  let bytes = 0;
  return {
    byteLength: size,
    slice: async (start, end = size) => {
      const [from, to] = [start < 0 ? size + start : start, end];
      if (to - from > MAX_PART) throw new Error(`one part of it has ${to - from} bytes, more than can be held in memory`);
      const name = `${from}-${to}`;
      const known = kept.get(name);
      if (known) return known;
      const part = await file.slice(from, to, signal);
      if (part.length !== to - from) throw new Error('it ends too early');
      const copy = part.byteOffset === 0 && part.byteLength === part.buffer.byteLength ? part.buffer : new Uint8Array(part).buffer;
      bytes += to - from;
      kept.set(name, copy as ArrayBuffer);
      for (const [oldest, old] of kept) {
        if (bytes <= CACHE) break;
        kept.delete(oldest);
        bytes -= old.byteLength;
      }
      return copy as ArrayBuffer;
    },
  };
}

type Decompress = (input: Uint8Array, length: number) => Uint8Array;

/** A page says how large it becomes; none may become more than that, or more than fits. */
function bounded(decompress: Decompress): Decompress {
  return (input, length) => {
    if (length > MAX_PART) throw new Error(`one page of it has ${length} bytes, more than can be held in memory`);
    return decompress(input, length);
  };
}

const compressors: Compressors = Object.fromEntries(
  Object.entries({
    ...libraryCompressors,
    GZIP: (input: Uint8Array, length: number) => gunzipSync(input, { maxOutputLength: length }),
    ZSTD: (input: Uint8Array, length: number) => zstdDecompressSync(input, { maxOutputLength: Math.max(length, 1) }),
    BROTLI: (input: Uint8Array, length: number) => brotliDecompressSync(input, { maxOutputLength: Math.max(length, 1) }),
  }).map(([codec, decompress]) => [codec, bounded(decompress)]),
);
