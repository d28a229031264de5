import { crc32 } from 'node:zlib';
import { Batch, type Recycle } from '../../batch.ts';
import { BATCH_BYTES, type Context, type Field, type ReadRequest } from '../../contract.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { CsvDialect } from '../csv/dialect.ts';
import { tooLarge } from '../csv/lines.ts';
import type { DataFile } from './data-file.ts';
import { beginning, lookAt, type FileReading, readReading, writeReading } from './look.ts';
import type { FilesConfig } from '../manifest.ts';
import { openParquetFile } from '../parquet/file.ts';
import { entryOf, type FilePosition, positionOf, readPosition } from './position.ts';
import { csvParser, headerOf, jsonlParser, type Parsing } from '../text/parsers.ts';
import { type ResumedText, resumeText } from './resume.ts';
import type { FileShape } from './shape.ts';
import type { FileStream } from './streams.ts';
import { textOf } from '../text/unpack.ts';

export interface FilesRead {
  readonly config: FilesConfig;
  readonly stream: FileStream;
  readonly files: readonly DataFile[];
  readonly shape: FileShape;
  readonly request: ReadRequest;
  readonly signal: AbortSignal;
  readonly tell?: Context['tell'] | undefined;
}

const LOOK_BYTES = 256 * 1024;
const MAX_REJECTS = 1000;
const MAX_JOINED = 100;

/** Reads the files of a stream one after the other, each from where an earlier read stopped. */
export async function* readFiles(reader: FilesRead): AsyncGenerator<Batch> {
  const { request, files, signal } = reader;
  const before = request.after === undefined ? new Map<string, FilePosition>() : readPosition(request.after);
  const known = new Map(reader.shape.fields.map((field) => [field.name, field]));
  const fields = request.fields.map((name) => known.get(name) ?? missing(name, reader));
  for (const name of [...request.key, ...(request.cursor === undefined ? [] : [request.cursor])])
    if (!known.has(name)) missing(name, reader);
  // Files that are gone are forgotten; a new one of the same name would be another.
  const names = new Set(files.map((file) => file.name));
  const entries = new Map([...before.values()].filter((file) => names.has(file.name)).map((file) => [file.name, entryOf(file)]));
  const limit = { bytes: request.batchBytes ?? BATCH_BYTES, rows: request.batchRows ?? Number.POSITIVE_INFINITY };
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  let held: FilePiece | undefined;
  let isTold = false;
  const batchOf = (part: FilePiece): Batch => {
    isTold = true;
    const options = { position: positionOf(entries.values()), rejects: part.rejects };
    return 'lines' in part
      ? Batch.ofLines(part.lines, { ...options, count: part.count, recycle: part.recycle })
      : Batch.ofRows(part.rows, options);
  };
  for (const file of files) {
    const known = before.get(file.name);
    if (known?.isDone && known.stamp !== undefined && known.stamp === file.stamp) continue;
    for await (const { batch: piece, at } of fileBatches(reader, fields, file, known, () => left)) {
      if (signal.aborted) throw aborted();
      const batch = files.length > 1 ? namingFile(piece, file.name) : piece;
      const both: FilePiece | undefined = held && joined(held, batch, limit);
      if (held && !both) yield batchOf(held);
      held = both ?? batch;
      entries.set(file.name, entryOf(at));
      left -= batch.count;
      // The end of a file waits for the next one: many small files make few batches, and few positions.
      if (at.isDone && left > 0) continue;
      yield batchOf(held);
      held = undefined;
      if (left <= 0) return;
    }
  }
  // A caller that never gets a batch would read everything again next time.
  if (held || !isTold) yield batchOf(held ?? { rows: [], count: 0, rejects: [] });
}

/** Says in which of several files a rejected row is: a line alone would not tell where to look. */
function namingFile(piece: FilePiece, name: string): FilePiece {
  if (piece.rejects.length === 0) return piece;
  return { ...piece, rejects: piece.rejects.map((reject) => ({ ...reject, reason: `${name}: ${reject.reason}` })) };
}

/** Two parts as one, when they are of a kind and small enough. */
function joined(one: FilePiece, two: FilePiece, limit: { bytes: number; rows: number }): FilePiece | undefined {
  const [count, rejects] = [one.count + two.count, [...one.rejects, ...two.rejects]];
  if (rejects.length > MAX_REJECTS || count > limit.rows) return undefined;
  if ('lines' in one && 'lines' in two)
    return one.lines.length + two.lines.length > limit.bytes ? undefined : { lines: Buffer.concat([one.lines, two.lines]), count, rejects };
  // Of rows the size is not known; but a file's end that is small has few of them.
  return 'rows' in one && 'rows' in two && count <= MAX_JOINED ? { rows: [...one.rows, ...two.rows], count, rejects } : undefined;
}

function missing(name: string, { stream }: FilesRead): never {
  throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream.name}" has no field "${name}".`, {
    hint: 'Discover the streams again; the files may have changed. A field that appears late in JSON Lines is made known in "types".',
  });
}

type FilePiece = { count: number; rejects: Batch['rejects'] } & ({ lines: Buffer; recycle?: Recycle } | { rows: Batch['rows'] });

interface Step {
  batch: FilePiece;
  at: FilePosition;
}

async function* fileBatches(
  reader: FilesRead,
  fields: readonly Field[],
  file: DataFile,
  known: FilePosition | undefined,
  left: () => number,
): AsyncGenerator<Step> {
  const { config, signal, stream } = reader;
  try {
    const remembered = await stream.remembered(file, signal);
    const reading =
      (known ? readReading(known.reading, config.nulls) : undefined) ??
      (remembered ? readReading(remembered.reading, config.nulls) : undefined) ??
      (await lookAt(file, config, LOOK_BYTES, signal)).reading;
    yield* reading.format === 'parquet'
      ? parquetBatches(reader, fields, file, known, reading, left)
      : textBatches(
          reader,
          fields,
          file,
          known,
          reading,
          left,
          reading.dialect?.header ? undefined : remembered?.fields.map(({ name }) => name),
        );
  } finally {
    await file.close();
  }
}

async function* textBatches(
  reader: FilesRead,
  fields: readonly Field[],
  file: DataFile,
  known: FilePosition | undefined,
  reading: FileReading,
  left: () => number,
  columns: readonly string[] | undefined,
): AsyncGenerator<Step> {
  const { config, signal, request, shape } = reader;
  const base = { name: file.name, stamp: file.stamp, reading: writeReading(reading) };
  const begun = await resumeText(file, reading, known, signal);
  if (known && known.offset > 0 && begun.offset === 0)
    reader.tell?.('info', `"${file.name}" was written anew since it was read. All of it is read.`);
  const { window } = begun;
  let { offset, checksum } = begun;
  const pass = (to: number): void => {
    checksum = crc32(window.bytes.subarray(window.from, to), checksum);
    offset += to - window.from;
    window.from = to;
  };
  try {
    const names = new Set(shape.fields.map((field) => field.name));
    const parsing: Parsing = {
      config,
      known: names,
      fields,
      file: file.name,
      reading,
      batchBytes: request.batchBytes ?? BATCH_BYTES,
      names: columns,
    };
    const parser = reading.format === 'jsonl' ? jsonlParser(parsing, begun.line) : await csvAfterHeader(reader, parsing, file, begun, pass);
    for (;;) {
      if (signal.aborted) throw aborted();
      const from = window.from;
      const most = Math.min(left(), request.batchRows ?? Number.POSITIVE_INFINITY);
      pass(parser.parse(window.bytes, from, window.to, window.isEnd, window.mayBeBroken, most));
      const isDone = window.isEnd && window.from >= window.to;
      if (parser.isFull || parser.rows >= most || isDone) {
        const open = isDone && window.from > from && parser.lastIsOpen ? window.from - parser.lastBegin : 0;
        yield { batch: parser.take(), at: { ...base, isDone, offset, line: parser.line, checksum, open } };
        if (isDone || left() <= 0) return;
      } else {
        if (window.isTooLarge) throw tooLarge(parser.line);
        await window.fill();
      }
    }
  } finally {
    await window.close();
  }
}

/** The parser of a CSV file: it has to know the header, which at the beginning is passed over. */
async function csvAfterHeader(
  reader: FilesRead,
  parsing: Parsing,
  file: DataFile,
  { window, offset, line }: ResumedText,
  pass: (to: number) => void,
) {
  const dialect = parsing.reading.dialect as CsvDialect;
  if (offset > 0) {
    const { bytes } = await beginning(textOf(file.bytes(0, reader.signal), parsing.reading, file.name), LOOK_BYTES);
    return csvParser(parsing, bytes, line);
  }
  for (;;) {
    const head = window.bytes.subarray(window.from, window.to);
    const header = headerOf(head, dialect, window.isEnd);
    if (header && (window.isEnd || head.length > 0)) {
      const parser = csvParser(parsing, Buffer.from(head.subarray(0, LOOK_BYTES)), line + header.lines);
      pass(window.from + header.bytes);
      return parser;
    }
    if (window.isTooLarge) throw tooLarge(1);
    await window.fill();
  }
}

async function* parquetBatches(
  reader: FilesRead,
  fields: readonly Field[],
  file: DataFile,
  known: FilePosition | undefined,
  reading: FileReading,
  left: () => number,
): AsyncGenerator<Step> {
  const { signal, request } = reader;
  const base = { name: file.name, stamp: file.stamp, reading: writeReading(reading), line: 1, checksum: 0, open: 0 };
  // Nobody adds to a Parquet file: one that changed is another file.
  const from = known !== undefined && known.stamp !== undefined && known.stamp === file.stamp ? known.offset : 0;
  const parquet = await openParquetFile(file, signal);
  try {
    let isTold = false;
    const most = (): number => Math.min(left(), request.batchRows ?? Number.POSITIVE_INFINITY);
    for await (const { lines, count, rejects, offset } of parquet.batches(from, fields, request.batchBytes ?? BATCH_BYTES, most)) {
      isTold = offset >= parquet.rows;
      yield { batch: { lines, count, rejects }, at: { ...base, isDone: isTold, offset } };
      if (left() <= 0) return;
    }
    if (!isTold) yield { batch: { rows: [], count: 0, rejects: [] }, at: { ...base, isDone: true, offset: parquet.rows } };
  } finally {
    await parquet.close();
  }
}
