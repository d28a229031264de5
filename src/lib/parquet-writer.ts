import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';

// Rows of text, typed by the names that connectors have for types, as a Parquet file.

type Row = readonly (string | null)[];

export interface ParquetField {
  readonly name: string;
  readonly type: string;
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
}

// About so many characters of values make a row group.
const GROUP_SIZE = 8 * 1024 * 1024;

/** How many digits the values of a decimal have at most, before and behind the point. */
export type Digits = ReadonlyMap<string, readonly [whole: number, scale: number]>;

// 32 bytes hold 76 digits.
const MAX_DIGITS = 38;

/** Whether Parquet has no way to hold this value. */
export function parquetLacks(field: ParquetField, value: string): boolean {
  switch (field.type) {
    case 'decimal': {
      const [whole, scale] = digitsOf(value) ?? [MAX_DIGITS + 1, 0];
      return whole > MAX_DIGITS || scale > MAX_DIGITS;
    }
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return value.endsWith('infinity');
    default:
      return false;
  }
}

function digitsOf(value: string): [whole: number, scale: number] | undefined {
  const match = /^[+-]?0*(\d*)\.?(\d*?)0*$/.exec(value.includes('.') ? value : `${value}.`);
  return match ? [(match[1] ?? '').length, (match[2] ?? '').length] : undefined;
}

/** Widens what is known of the decimals by some rows. */
export function widenDigits(known: Digits, fields: readonly ParquetField[], rows: readonly Row[]): Digits {
  const wide = new Map(known);
  for (const [at, { name, type, precision, scale = 0 }] of fields.entries()) {
    if (type !== 'decimal') continue;
    let [most, deepest] = wide.get(name) ?? (precision === undefined ? [1, 0] : [Math.max(1, precision - scale), Math.max(0, scale)]);
    for (const row of rows) {
      const digits = row[at] === null || row[at] === undefined ? undefined : digitsOf(row[at]);
      if (!digits) continue;
      most = Math.max(most, digits[0]);
      deepest = Math.max(deepest, digits[1]);
    }
    wide.set(name, [Math.min(most, MAX_DIGITS), Math.min(deepest, MAX_DIGITS)]);
  }
  return wide;
}

/** Rows as a Parquet file, a row group at a time. */
export async function* parquetBytes(
  fields: readonly ParquetField[],
  digits: Digits,
  batches: AsyncIterable<readonly Row[]>,
  groupSize = GROUP_SIZE,
): AsyncGenerator<Buffer> {
  const columns = fields.map((field) => columnOf(field, digits.get(field.name) ?? [MAX_DIGITS, 0]));
  const writer = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: 'root', num_children: fields.length, repetition_type: 'REQUIRED' },
    ...columns.map((column) => column.element),
  ];
  const parquet = new ParquetWriter({ writer, schema });
  let rows: Row[] = [];
  let size = 0;
  const drain = (): Buffer => {
    const bytes = Buffer.from(new Uint8Array(writer.buffer, 0, writer.index));
    writer.index = 0;
    return bytes;
  };
  const group = async (): Promise<Buffer> => {
    const columnData = columns.map(({ element, toRaw }, at) => ({
      name: element.name,
      data: rows.map((row) => {
        const value = row[at] ?? null;
        return value === null ? undefined : toRaw(value);
      }),
    }));
    await parquet.write({ columnData, rowGroupSize: rows.length });
    [rows, size] = [[], 0];
    return drain();
  };
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row);
      for (const value of row) size += (value?.length ?? 0) + 8;
      if (size >= groupSize) yield group();
    }
  }
  if (rows.length > 0) yield group();
  await parquet.finish();
  yield drain();
}

interface ParquetColumn {
  element: SchemaElement;
  toRaw: (value: string) => unknown;
}

function columnOf({ name, type }: ParquetField, [whole, scale]: readonly [number, number]): ParquetColumn {
  const base = { name, repetition_type: 'OPTIONAL' } as const;
  switch (type) {
    case 'int64':
      return { element: { ...base, type: 'INT64' }, toRaw: BigInt };
    case 'decimal': {
      const precision = Math.max(whole + scale, 1);
      const isWide = precision > 38;
      const logical_type = { type: 'DECIMAL', precision, scale } as const;
      const element: SchemaElement = {
        ...base,
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: isWide ? 32 : 16,
        converted_type: 'DECIMAL',
        logical_type,
        precision,
        scale,
      };
      return { element, toRaw: (value) => unscaled(value, scale) };
    }
    case 'float64':
      return { element: { ...base, type: 'DOUBLE' }, toRaw: Number };
    case 'boolean':
      return { element: { ...base, type: 'BOOLEAN' }, toRaw: (value) => value === 't' };
    case 'date':
      return { element: { ...base, type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, toRaw: daysOf };
    case 'time':
      return {
        element: { ...base, type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } },
        toRaw: clockMicros,
      };
    case 'timestamp':
    case 'timestamptz': {
      const isAdjustedToUTC = type === 'timestamptz';
      return {
        element: { ...base, type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' } },
        toRaw: momentMicros,
      };
    }
    case 'uuid':
      return {
        element: { ...base, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
        toRaw: (value) => value,
      };
    case 'json':
      // With the older annotation the library would encode the text once more.
      return { element: { ...base, type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } }, toRaw: (value) => Buffer.from(value) };
    case 'binary':
      return { element: { ...base, type: 'BYTE_ARRAY' }, toRaw: (value) => Buffer.from(value.slice(2), 'hex') };
    default:
      return {
        element: { ...base, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
        toRaw: (value) => value,
      };
  }
}

function unscaled(value: string, scale: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(value) ?? [];
  const digits = BigInt(`${whole || '0'}${fraction.slice(0, scale).padEnd(scale, '0')}`);
  return sign === '-' ? -digits : digits;
}

function daysOf(value: string): number {
  const [, year = '', month = '', day = '', era] = /^(\d+)-(\d+)-(\d+)( BC)?/.exec(value) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(era ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  return Math.floor(date.getTime() / 86_400_000);
}

function clockMicros(value: string): bigint {
  const [, hours = '0', minutes = '0', seconds = '0', fraction = ''] = /^(\d+):(\d+):(\d+)(?:\.(\d+))?/.exec(value) ?? [];
  return BigInt((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

function momentMicros(value: string): bigint {
  const [date = '', clock = ''] = value.split(' ');
  return BigInt(daysOf(value.endsWith(' BC') ? `${date} BC` : date)) * 86_400_000_000n + clockMicros(clock);
}
