import { crc32 } from 'node:zlib';

// Events of a binary log, made byte by byte as MySQL documents them: there is no MySQL 8 where the tests run.

export function packed(number: number): Buffer {
  if (number < 251) return Buffer.from([number]);
  if (number < 0x1_0000) return Buffer.concat([Buffer.from([252]), little(number, 2)]);
  if (number < 0x100_0000) return Buffer.concat([Buffer.from([253]), little(number, 3)]);
  return Buffer.concat([Buffer.from([254]), long(BigInt(number))]);
}

export function little(number: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes > 0) buffer.writeUIntLE(number, 0, bytes);
  return buffer;
}

export function long(number: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt.asUintN(64, number));
  return buffer;
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value), Buffer.from([0])]);
const sized = (value: Buffer): Buffer => Buffer.concat([packed(value.length), value]);

interface Header {
  time?: number;
  endsAt?: number;
  flags?: number;
  isChecked?: boolean;
}

export function eventBytes(
  type: number,
  body: Buffer,
  { time = 1_700_000_000, endsAt = 1000, flags = 0, isChecked = true }: Header = {},
): Buffer {
  const header = Buffer.alloc(19);
  header.writeUInt32LE(time, 0);
  header[4] = type;
  header.writeUInt32LE(7, 5);
  header.writeUInt32LE(19 + body.length + (isChecked ? 4 : 0), 9);
  header.writeUInt32LE(endsAt, 13);
  header.writeUInt16LE(flags, 17);
  const bytes = Buffer.concat([header, body]);
  return isChecked ? Buffer.concat([bytes, little(crc32(bytes), 4)]) : bytes;
}

/** The first event of every file. */
export function formatEvent({ time = 1_700_000_000, endsAt = 126 }: Header = {}): Buffer {
  const version = Buffer.alloc(50);
  version.write('8.0.36');
  const lengths = Buffer.alloc(41);
  for (const [type, length] of [
    [2, 13],
    [4, 8],
    [15, 98],
    [19, 8],
    [30, 10],
    [31, 10],
    [32, 10],
    [33, 42],
    [34, 42],
  ] as const)
    lengths[type - 1] = length;
  return eventBytes(15, Buffer.concat([little(4, 2), version, little(0, 4), Buffer.from([19]), lengths, Buffer.from([1])]), {
    time,
    endsAt,
  });
}

export function gtidBody(source: string, number: bigint, committedMicros?: bigint): Buffer {
  const parts = [Buffer.from([1]), Buffer.from(source.replaceAll('-', ''), 'hex'), long(number)];
  if (committedMicros !== undefined) parts.push(Buffer.from([2]), long(1n), long(2n), long(committedMicros).subarray(0, 7), packed(500));
  return Buffer.concat(parts);
}

export function queryBody(database: string, statement: string): Buffer {
  const status = Buffer.from([0, 1, 2, 3]);
  return Buffer.concat([
    little(9, 4),
    little(0, 4),
    Buffer.from([Buffer.byteLength(database)]),
    little(0, 2),
    little(status.length, 2),
    status,
    Buffer.from(database),
    Buffer.from([0]),
    Buffer.from(statement),
  ]);
}

export interface MadeColumn {
  type: number;
  /** Its bytes among the sizes. */
  size?: number[];
  nullable?: boolean;
}

export function tableMapBody(
  id: number,
  database: string,
  table: string,
  columns: MadeColumn[],
  described: [kind: number, value: Buffer][] = [],
): Buffer {
  const nulls = Buffer.alloc((columns.length + 7) >> 3);
  for (const [i, { nullable }] of columns.entries()) if (nullable) nulls[i >> 3] = (nulls[i >> 3] as number) | (1 << (i & 7));
  return Buffer.concat([
    little(id, 6),
    little(1, 2),
    text(database),
    text(table),
    packed(columns.length),
    Buffer.from(columns.map(({ type }) => type)),
    sized(Buffer.from(columns.flatMap(({ size = [] }) => size))),
    nulls,
    ...described.flatMap(([kind, value]) => [Buffer.from([kind]), sized(value)]),
  ]);
}

export const names = (...each: string[]): Buffer => Buffer.concat(each.map((name) => sized(Buffer.from(name))));

/** An image of a row: a value or null for each column. */
export function imageBytes(values: readonly (Buffer | null)[]): Buffer {
  const nulls = Buffer.alloc((values.length + 7) >> 3);
  for (const [i, value] of values.entries()) if (value === null) nulls[i >> 3] = (nulls[i >> 3] as number) | (1 << (i & 7));
  return Buffer.concat([nulls, ...values.filter((value) => value !== null)]);
}

export function rowsBody(
  id: number,
  columns: number,
  images: readonly Buffer[],
  { isUpdate = false, extra = Buffer.alloc(0) } = {},
): Buffer {
  const all = Buffer.alloc((columns + 7) >> 3, 0xff);
  return Buffer.concat([
    little(id, 6),
    little(1, 2),
    little(extra.length + 2, 2),
    extra,
    packed(columns),
    all,
    ...(isUpdate ? [all] : []),
    ...images,
  ]);
}
