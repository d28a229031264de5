import type { Recycle, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { encodeValue } from '../../lines.ts';
import type { CsvDialect } from '../csv/dialect.ts';
import { CsvLines } from '../csv/lines.ts';
import type { CsvColumn } from '../csv/row-scanner.ts';
import { JsonlLines } from './jsonl-lines.ts';
import { columnNames, firstRecord, type FileReading } from '../source/look.ts';
import type { FilesConfig } from '../manifest.ts';

/** Takes rows from a window of bytes: `CsvLines` or `JsonlLines`. */
export interface RowParser {
  readonly rows: number;
  readonly isFull: boolean;
  /** The line in which the next row begins. */
  line: number;
  /** Whether the last row that was taken had no line end, and where it began. */
  readonly lastIsOpen: boolean;
  readonly lastBegin: number;
  parse(input: Buffer, from: number, to: number, isEnd: boolean, mayBeBroken: boolean, most?: number): number;
  take(): { count: number; rejects: Reject[] } & ({ lines: Buffer; recycle: Recycle } | { rows: Row[] });
}

export interface Parsing {
  readonly config: FilesConfig;
  /** The names of all fields of the stream. */
  readonly known: ReadonlySet<string>;
  /** Those asked for. */
  readonly fields: readonly Field[];
  readonly file: string;
  readonly reading: FileReading;
  readonly batchBytes: number;
  /** The names of the columns of a file that we wrote without a header. */
  readonly names?: readonly string[] | undefined;
}

export function jsonlParser({ config, known, fields, file, batchBytes }: Parsing, line: number): RowParser {
  const constants = constantsOf(config, fields, file);
  return new JsonlLines({ fields, known: config.unknown_fields === 'reject' ? known : undefined, constants, batchBytes }, line);
}

/** `head` begins with the header of the file. */
export function csvParser(
  { config, known, fields, file, reading, batchBytes, names: given }: Parsing,
  head: Buffer,
  line: number,
): RowParser {
  const dialect = reading.dialect as CsvDialect;
  const names = given ?? columnNames(head, dialect);
  const places = new Map(fields.map((field, slot) => [field.name, slot]));
  const columns = names.map((name): CsvColumn => {
    const slot = places.get(name);
    if (slot !== undefined) return { name, type: (fields[slot] as Field).type, slot };
    return { name, type: 'text', slot: -1, isUnknown: config.unknown_fields === 'reject' && !known.has(name) };
  });
  const present = new Set(names);
  const constants = new Map<number, string>();
  const own = constantsOf(config, fields, file);
  for (const [slot, { name }] of fields.entries()) {
    if (present.has(name)) continue;
    const constant = own.get(slot);
    constants.set(slot, constant === undefined ? '\\N' : constant === 'line' ? constant : encodeValue(constant));
  }
  return new CsvLines({ dialect, columns, constants, width: fields.length, batchBytes }, line);
}

function constantsOf(config: FilesConfig, fields: readonly Field[], file: string): Map<number, string> {
  const constants = new Map<number, string>();
  if (!config.file_fields) return constants;
  for (const [slot, { name }] of fields.entries()) {
    if (name === '_file') constants.set(slot, file);
    if (name === '_line') constants.set(slot, 'line');
  }
  return constants;
}

/** How many bytes and lines stand before the first row of values; undefined when the header is not whole yet. */
export function headerOf(bytes: Buffer, dialect: CsvDialect, isEnd: boolean): { bytes: number; lines: number } | undefined {
  if (!dialect.header) return { bytes: 0, lines: 0 };
  const first = firstRecord(bytes, dialect);
  if (!first) return isEnd ? { bytes: bytes.length, lines: 0 } : undefined;
  return first.ended || isEnd ? { bytes: first.next, lines: first.line - 1 + first.lines } : undefined;
}
