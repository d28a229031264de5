import { type Compression, compressionOf, type DataFile, type Format, formatOf, isParquet } from './data-file.ts';

import { OutsideError } from '../../../outside/errors.ts';
import { demandFields } from '../../field-limits.ts';
import { type Cell, type CsvRecord, detectDialect, type CsvDialect, splitRecord, TAB } from '../csv/dialect.ts';
import { detectEncoding, toUtf8 } from '../text/encoding.ts';
import { typeOfCell } from '../text/infer.ts';
import type { FilesConfig } from '../manifest.ts';
import { joined, unpack } from '../text/unpack.ts';

/** How a file is understood: all that is needed to read it. */
export interface FileReading {
  readonly format: Format;
  readonly compression: Compression;
  readonly encoding: string;
  /** The length of the byte order mark. */
  readonly mark: number;
  readonly dialect?: CsvDialect;
}

export interface Look {
  readonly reading: FileReading;
  /** The beginning of its text, as UTF-8. */
  readonly head: Buffer;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/** Looks at the beginning of a file and tells what it is. */
export async function lookAt(file: DataFile, config: FilesConfig, limit: number, signal: AbortSignal): Promise<Look> {
  const source = file.bytes(0, signal)[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  for (let next = await source.next(); !next.done; next = await source.next()) {
    first = Buffer.concat([first, next.value]);
    if (first.length >= 4) break;
  }
  const compression = config.compression === 'auto' ? compressionOf(first) : config.compression;
  if (config.compression !== 'auto' && compression !== compressionOf(first) && first.length > 0) {
    await source.return?.();
    throw notThatFormat(file.name, compression === 'none' ? 'plain' : compression, 'compression');
  }
  const { bytes, isWhole } = await beginning(unpack(joined(first, source), compression, file.name), limit);
  const format = chosenFormat(config, file.name, bytes);
  if (format === 'parquet') {
    if (compression !== 'none')
      throw new OutsideError('config', 'FORMAT_WRONG', `"${file.name}" is a Parquet file inside a ${compression} file.`, {
        field: 'path',
        hint: 'Parquet is packed inside; unpack the outer file, so that its parts can be found.',
      });
    if (bytes.length > 0 && !isParquet(bytes)) throw notThatFormat(file.name, 'a Parquet file', 'format');
    return { reading: { format, compression, encoding: 'utf-8', mark: 0 }, head: bytes, isWhole };
  }
  if (isParquet(bytes)) throw notThatFormat(file.name, format === 'csv' ? 'CSV' : 'JSON Lines', 'format', ' but Parquet');
  const { name: encoding, mark } = detectEncoding(bytes, config.encoding);
  const head = await utf8Of(bytes.subarray(mark), encoding);
  if (format === 'jsonl') {
    if (/^\s*\[/.test(head.toString('utf8', 0, 4096)))
      throw new OutsideError('config', 'FORMAT_WRONG', `"${file.name}" is one JSON array, not JSON Lines.`, {
        field: 'format',
        hint: 'JSON Lines have one object in each line. `jq -c ".[]"` makes them of an array.',
      });
    return { reading: { format, compression, encoding, mark }, head, isWhole };
  }
  const isTabbed = config.format === 'tsv' || (config.format === 'auto' && /\.(tsv|tab)(\.\w+)?$/i.test(file.name));
  const dialect = detectDialect(
    head,
    { ...config, delimiter: config.delimiter === 'auto' && isTabbed ? 'tab' : config.delimiter },
    isWhole,
  );
  const header = config.header === 'auto' ? hasHeader(head, dialect) : config.header === 'yes';
  demandHeader({ head, isWhole, dialect: { ...dialect, header } }, file.name);
  return { reading: { format, compression, encoding, mark, dialect: { ...dialect, header } }, head, isWhole };
}

function chosenFormat(config: FilesConfig, name: string, head: Buffer): Format {
  if (config.format === 'tsv') return 'csv';
  if (config.format !== 'auto') return config.format;
  const promised = formatOf(name);
  if (promised !== undefined && promised !== 'csv') return promised;
  if (isParquet(head)) return 'parquet';
  return promised === undefined && /^(?:\xef\xbb\xbf)?\s*\{/.test(head.toString('latin1', 0, 4096)) ? 'jsonl' : 'csv';
}

/** The first bytes of a stream; more than asked for when they come so. */
export async function beginning(chunks: AsyncIterable<Buffer>, limit: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length >= limit) return { bytes: Buffer.concat(parts, Math.min(length, Math.max(limit, 4096))), isWhole: false };
  }
  return { bytes: Buffer.concat(parts), isWhole: true };
}

async function utf8Of(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'utf-8') return bytes;
  const one = async function* (): AsyncGenerator<Buffer> {
    yield bytes;
  };
  return (await beginning(toUtf8(one(), encoding), Number.POSITIVE_INFINITY)).bytes;
}

function notThatFormat(name: string, format: string, field: string, but = ''): OutsideError {
  return new OutsideError('config', 'FORMAT_WRONG', `"${name}" is not ${format}${but}.`, {
    field,
    hint: `Set ${field} to what the file is, or to auto.`,
  });
}

/** The rows in the beginning of a file; the last one only when it is whole. */
export function* sampleRecords({ head, isWhole, reading }: Look, most: number) {
  const dialect = reading.dialect as CsvDialect;
  for (let at = 0, count = 0; at < head.length && count < most; count++) {
    const record = splitRecord(head, at, head.length, dialect);
    at = record.next;
    if (!record.ended && !isWhole) return;
    yield record;
  }
}

/** Whether the first row looks like names: none of it is a number, a date or empty. */
function hasHeader(head: Buffer, dialect: CsvDialect): boolean {
  const { cells } = firstRecord(head, { ...dialect, header: true }) ?? { cells: [] };
  const texts = cells.map((cell) => cell.text.trim());
  return (
    texts.every((text) => typeOfCell(text) === 'text') &&
    texts.some((text) => text !== '') &&
    texts.filter((text) => text === '').length <= texts.length / 2
  );
}

// So much of a file is looked at when it is read: a header has to be in it.
const MAX_HEADER_BYTES = 256 * 1024;

/** Throws when the first row is too wide or too long for the columns to be told from it. */
function demandHeader({ head, isWhole, dialect }: { head: Buffer; isWhole: boolean; dialect: CsvDialect }, name: string): void {
  const first = firstRecord(head, dialect);
  if (!first) return;
  const isLong = first.next > MAX_HEADER_BYTES || (!first.ended && !isWhole && head.length >= MAX_HEADER_BYTES);
  const texts = first.cells.map((cell) => cell.text);
  demandFields(dialect.header && !isLong ? texts : texts.map(() => ''), name);
  if (dialect.header && isLong)
    throw new OutsideError(
      'data',
      'HEADER_TOO_LARGE',
      `The first row of "${name}" is longer than ${MAX_HEADER_BYTES >> 10} KiB, so it holds no names.`,
      {
        hint: 'Check the format and the line ends, or set header to no.',
      },
    );
}

/** The first row that is not blank, or that may be blank because there are no names. */
export function firstRecord(head: Buffer, dialect: CsvDialect): (CsvRecord & { line: number }) | undefined {
  let line = 1;
  for (let at = 0; at < head.length; ) {
    const record = splitRecord(head, at, head.length, dialect);
    if (!dialect.header || !isBlank(record.cells)) return { ...record, line };
    at = record.next;
    line += record.lines;
  }
  return undefined;
}

export function isBlank(cells: readonly Cell[]): boolean {
  return cells.length === 1 && cells[0]?.text === '' && !cells[0].quoted;
}

/** The names of a CSV file's columns: as written, made different where they are not, made up where they are empty. */
export function columnNames(head: Buffer, dialect: CsvDialect): string[] {
  const taken = new Set<string>();
  // Where the next number of a name that comes again and again is looked for.
  const numbers = new Map<string, number>();
  return (firstRecord(head, dialect)?.cells ?? []).map(({ text }, index) => {
    const base = dialect.header && text.trim() !== '' ? text : `column_${index + 1}`;
    let name = base;
    let number = numbers.get(base) ?? 2;
    for (; taken.has(name); number++) name = `${base}_${number}`;
    numbers.set(base, number);
    taken.add(name);
    return name;
  });
}

/** A reading as short text, to be kept in positions. */
export function writeReading({ format, compression, encoding, mark, dialect }: FileReading): string {
  const csv = dialect
    ? [dialect.delimiter, dialect.quote, dialect.escape === 'double' ? 2 : 1, dialect.lonelyReturns ? 1 : 0, dialect.header ? 1 : 0]
    : [];
  return [format, compression, encoding, mark, ...csv].join(' ');
}

export function readReading(text: string, nulls: readonly string[]): FileReading | undefined {
  const [format, compression, encoding = '', mark, delimiter = TAB, quote, escape, lonelyReturns, header] = text.split(' ');
  if (!['csv', 'jsonl', 'parquet'].includes(format ?? '') || !['none', 'gzip', 'zstd'].includes(compression ?? '')) return undefined;
  const base = { format: format as Format, compression: compression as Compression, encoding, mark: Number(mark) };
  if (format !== 'csv') return base;
  const dialect: CsvDialect = {
    delimiter: Number(delimiter),
    quote: Number(quote),
    escape: escape === '2' ? 'double' : 'backslash',
    lonelyReturns: lonelyReturns === '1',
    header: header === '1',
    nulls,
  };
  return { ...base, dialect };
}
