import { basename } from 'node:path';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { widen } from '../../json-values.ts';
import { CR, LF } from '../csv/dialect.ts';
import { encodeText, WRITABLE_ENCODINGS } from '../text/encoding.ts';
import type { DataFile } from '../source/data-file.ts';
import { columnNames, type Look, lookAt, type FileReading, readReading } from '../source/look.ts';
import type { FilesConfig } from '../manifest.ts';
import type { Place } from '../place/place.ts';
import { openParquetFile } from '../parquet/file.ts';
import { type Digits, widenDigits } from '../../../lib/parquet-writer.ts';
import { readFiles } from '../source/read.ts';
import { recall } from '../source/remembered.ts';
import { fieldsOf } from '../source/shape.ts';
import type { FileStream } from '../source/streams.ts';
import type { TargetFile } from './target.ts';
import { textOf } from '../text/unpack.ts';

/** The file that is there before we write. */
export interface Existing {
  readonly reading: FileReading;
  /** Its columns; undefined when every row has its own. */
  readonly names: readonly string[] | undefined;
  readonly fields: readonly Field[];
  /** The key that it was written with, when we wrote it. */
  readonly key: readonly string[] | undefined;
  readonly isRemembered: boolean;
  /** Whether its last row has a line end. */
  readonly endsLine: boolean;
  /** Whether rows with these fields can be put behind its bytes as they are. */
  canGrow(fields: readonly Field[]): boolean;
  /** Its rows, with these fields. `mustBeWhole`: a row that cannot be read would get lost, so it is an error. */
  rows(fields: readonly Field[], mustBeWhole: boolean): AsyncGenerator<readonly Row[]>;
  /** How wide decimals have to be to hold its values too. */
  digits(fields: readonly Field[], known: Digits): Promise<Digits>;
  /** A line end in its encoding. */
  lineEnd(): AsyncGenerator<Buffer>;
}

const LOOK_BYTES = 1024 * 1024;

export async function existingFile(
  config: FilesConfig,
  place: Place,
  target: TargetFile,
  signal: AbortSignal,
): Promise<Existing | undefined> {
  const name = basename(target.path);
  const file = await place.file(target.path, name, signal).catch((error: unknown) => {
    if (error instanceof OutsideError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  });
  // An empty file has nothing to keep, not even a header.
  if (!file || file.size === 0) return undefined;
  try {
    const remembered = await recall(place, target.path, file, signal);
    const plain: FilesConfig = { ...config, types: [], unknown_fields: 'ignore', file_fields: false };
    const look = await lookAt(file, plain, LOOK_BYTES, signal);
    const reading = (remembered && readReading(remembered.reading, config.nulls)) ?? look.reading;
    const found: Look = { ...look, reading };
    const fields = remembered?.fields ?? (await fieldsOf(file, found, signal)).fields;
    if (reading.dialect && !reading.dialect.header && !remembered) throw nameless(name);
    const names =
      reading.format === 'jsonl'
        ? undefined
        : reading.dialect?.header
          ? columnNames(look.head, reading.dialect)
          : fields.map((field) => field.name);
    const endsLine = reading.format === 'parquet' || (await endsLineOf(file, reading, signal));
    const stream: FileStream = { name, path: target.path, list: async () => [file], remembered: async () => remembered };
    const rows = async function* (wanted: readonly Field[], mustBeWhole: boolean): AsyncGenerator<readonly Row[]> {
      const shape = { fields: wanted, key: [], estimatedRows: null };
      const request = { stream: name, fields: wanted.map((field) => field.name), key: [] };
      for await (const batch of readFiles({ config: plain, stream, files: [file], shape, request, signal })) {
        const [reject] = batch.rejects;
        if (reject && mustBeWhole) throw unreadable(name, reject.reason);
        yield batch.rows;
      }
    };
    return {
      reading,
      names,
      fields,
      key: remembered?.key,
      isRemembered: remembered !== undefined,
      endsLine,
      canGrow: (wanted) =>
        reading.format !== 'parquet' &&
        WRITABLE_ENCODINGS.includes(reading.encoding) &&
        (names === undefined || (names.length === wanted.length && wanted.every((field, at) => names[at] === field.name))),
      rows,
      digits: async (wanted, known) => {
        if (reading.format !== 'parquet') {
          let wide = known;
          if (target.reading.format === 'parquet') for await (const batch of rows(wanted, true)) wide = widenDigits(wide, wanted, batch);
          return wide;
        }
        const parquet = await openParquetFile(file, signal);
        await parquet.close();
        return joinDigits(known, parquet.fields);
      },
      lineEnd: async function* () {
        yield encodeText('\n', reading.encoding) ?? Buffer.from('\n');
      },
    };
  } finally {
    await file.close();
  }
}

function joinDigits(known: Digits, fields: readonly Field[]): Digits {
  const wide = new Map(known);
  for (const { name, type, precision = 38, scale = 0 } of fields) {
    if (type !== 'decimal') continue;
    const [whole, deep] = wide.get(name) ?? [1, 0];
    wide.set(name, [Math.max(whole, precision - scale), Math.max(deep, scale)]);
  }
  return wide;
}

/** Of plain text the last byte tells it; packed or in another encoding, all of it has to be read. */
async function endsLineOf(file: DataFile, reading: FileReading, signal: AbortSignal): Promise<boolean> {
  const isPlain = reading.compression === 'none' && reading.encoding === 'utf-8' && file.size !== undefined;
  if (!isPlain) return lastByte(textOf(file.bytes(0, signal), reading, file.name));
  const last = (await file.slice(file.size - 1, file.size, signal))[0];
  return last === LF || last === CR;
}

async function lastByte(text: AsyncIterable<Buffer>): Promise<boolean> {
  let last: number | undefined;
  for await (const chunk of text) last = chunk.at(-1) ?? last;
  return last === undefined || last === LF || last === CR;
}

/** The columns of the file in their order, then the new ones; types that hold the values of both. */
export function mergedFields(existing: Existing, fields: readonly Field[]): Field[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const known = new Map(existing.fields.map((field) => [field.name, field]));
  const names = existing.names ?? [...known.keys()];
  const old = names.map((name): Field => {
    const [mine, theirs] = [byName.get(name), known.get(name)];
    if (!mine || !theirs) return mine ?? theirs ?? { name, type: 'text', nullable: true };
    const type = existing.isRemembered ? (widen(theirs.type, mine.type) ?? mine.type) : mine.type;
    return type === mine.type ? mine : { name, type, nullable: true };
  });
  return [...old, ...fields.filter((field) => !names.includes(field.name))];
}

function nameless(name: string): OutsideError {
  return new OutsideError('config', 'HEADER_MISSING', `"${name}" has no names in its first row: nobody can tell which column is which.`, {
    field: 'header',
    hint: 'Give the file a header, or choose another file to write to.',
  });
}

function unreadable(name: string, reason: string): OutsideError {
  return new OutsideError(
    'data',
    'TARGET_UNREADABLE',
    `"${name}" holds a row that cannot be read and would get lost. ${reason.replace(/"[^"]*" /, 'One value ')}`,
    {
      hint: 'Repair or move the file, then run again.',
    },
  );
}
