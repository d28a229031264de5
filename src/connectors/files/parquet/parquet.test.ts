// Parquet as others write it: logical types, codecs, nesting, damaged and hostile files.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { CompressionCodec, SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { openParquetFile, type ParquetReader } from './file.ts';

const folder = filesFolder();
after(() => folder.remove());

type Compress = (input: Uint8Array) => Uint8Array;

function parquet(
  elements: SchemaElement[],
  columns: readonly unknown[][],
  codec: CompressionCodec = 'SNAPPY',
  compress?: Compress,
): Buffer {
  const writer = new ByteWriter();
  const schema: SchemaElement[] = [{ name: 'root', num_children: elements.length }, ...elements];
  const file = new ParquetWriter({ writer, schema, codec, statistics: false, ...(compress && { compressors: { [codec]: compress } }) });
  const columnData: ColumnSource[] = elements.map(({ name }, at) => ({ name, data: columns[at] as never }));
  void file.write({ columnData, rowGroupSize: 2 });
  void file.finish();
  return Buffer.from(writer.getBytes());
}

async function* nothing(): AsyncGenerator<Buffer> {}

async function readAll(open: () => Promise<ParquetReader>): Promise<string> {
  const reader = await open();
  try {
    for await (const batch of reader.batches(0, reader.fields, 100_000, () => Number.POSITIVE_INFINITY))
      assert.ok(batch.count + batch.rejects.length > 0);
    return 'read';
  } finally {
    await reader.close();
  }
}

const optional = { repetition_type: 'OPTIONAL' } as const;

describe('logical types', () => {
  const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
  const table: [string, Omit<SchemaElement, 'name'>, unknown, string, string | undefined][] = [
    ['int32', { type: 'INT32' }, -7, 'int64', '-7'],
    ['int64', { type: 'INT64' }, 9_223_372_036_854_775_807n, 'int64', '9223372036854775807'],
    ['uint32', { type: 'INT32', logical_type: { type: 'INTEGER', bitWidth: 32, isSigned: false } }, 4_294_967_295, 'int64', '4294967295'],
    ['uint64', { type: 'INT64', logical_type: { type: 'INTEGER', bitWidth: 64, isSigned: false } }, -1n, 'decimal', '18446744073709551615'],
    ['float', { type: 'FLOAT' }, Math.fround(0.1), 'float64', '0.1'],
    ['double', { type: 'DOUBLE' }, 0.1, 'float64', '0.1'],
    ['boolean', { type: 'BOOLEAN' }, true, 'boolean', 't'],
    ['string', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, 'ü😀', 'text', 'ü😀'],
    ['bytes', { type: 'BYTE_ARRAY' }, bytes('00ff'), 'binary', '\\x00ff'],
    ['json', { type: 'BYTE_ARRAY', converted_type: 'JSON' }, { a: 1 }, 'json', '{"a":1}'],
    ['date', { type: 'INT32', converted_type: 'DATE' }, -719_163, 'date', '0001-12-31 BC'],
    ['millis', { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, -1n, 'timestamptz', '1969-12-31 23:59:59.999+00'],
    [
      'micros',
      { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
      1_763_181_731_123_456n,
      'timestamp',
      '2025-11-15 04:42:11.123456',
    ],
    [
      'nanos',
      { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' } },
      1_763_181_731_123_456_789n,
      'timestamptz',
      '2025-11-15 04:42:11.123456+00',
    ],
    [
      'time',
      { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } },
      86_399_999_999n,
      'time',
      '23:59:59.999999',
    ],
    ['decimal32', { type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 2 }, -5n, 'decimal', '-0.05'],
    [
      'decimal64',
      { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 },
      1_234_567_890_123_456_789n,
      'decimal',
      '123456789012345.6789',
    ],
    [
      'decimal128',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 10 },
      -99_999_999_999_999_999_999_999_999_999_999_999_999n,
      'decimal',
      '-9999999999999999999999999999.9999999999',
    ],
    [
      'decimal bytes',
      { type: 'BYTE_ARRAY', converted_type: 'DECIMAL', precision: 38, scale: 0 },
      123_456_789_012_345_678_901n,
      'decimal',
      '123456789012345678901',
    ],
    [
      'uuid',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
      '6f1c1d4e-0000-4000-8000-000000000000',
      'uuid',
      '6f1c1d4e-0000-4000-8000-000000000000',
    ],
  ];
  for (const [name, element, value, type, expected] of table) {
    test(name, async () => {
      folder.write('t.parquet', parquet([{ name: 'v', ...optional, ...element }], [[value, undefined, value]]));
      const found = await folder.read({ path: 't.parquet' });
      assert.deepEqual([found.types, found.rows], [[type], [[expected], [null], [expected]]]);
    });
  }
  test('text that is no UTF-8 is rejected with its row', async () => {
    folder.write(
      't.parquet',
      parquet([{ name: 'v', ...optional, type: 'BYTE_ARRAY', logical_type: { type: 'STRING' } }], [[bytes('61'), bytes('ff')]]),
    );
    const found = await folder.read({ path: 't.parquet' });
    assert.deepEqual(found.rows, [['a']]);
    assert.match(found.rejects[0]?.reason ?? '', /^Row 2: "v" is not of the type text/);
  });
});

test('lists, maps and groups become JSON, with all digits', async () => {
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: [1n, 2n] },
      { name: 'tags', data: [[9_007_199_254_740_993n], []] },
      {
        name: 'point',
        data: [
          { x: 1, y: ['a'] },
          { x: 2, y: [] },
        ],
      },
    ],
    schema: [
      { name: 'root', num_children: 3 },
      { name: 'id', type: 'INT64', repetition_type: 'REQUIRED' },
      { name: 'tags', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'INT64', repetition_type: 'OPTIONAL' },
      { name: 'point', repetition_type: 'OPTIONAL', num_children: 2 },
      { name: 'x', type: 'INT32', repetition_type: 'OPTIONAL' },
      { name: 'y', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    ],
  });
  folder.write('nested.parquet', Buffer.from(buffer));
  const found = await folder.read({ path: 'nested.parquet' });
  assert.deepEqual(found.types, ['int64', 'json', 'json']);
  assert.deepEqual(found.rows, [
    ['1', '[9007199254740993]', '{"x":1,"y":["a"]}'],
    ['2', '[]', '{"x":2,"y":[]}'],
  ]);
});

describe('codecs', () => {
  const element: SchemaElement = { name: 'v', ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  const text = 'the same words again and again '.repeat(20);
  const codecs: [CompressionCodec, Compress | undefined][] = [
    ['UNCOMPRESSED', undefined],
    ['SNAPPY', undefined],
    ['GZIP', (input) => gzipSync(input)],
    ['ZSTD', (input) => zstdCompressSync(input)],
    ['BROTLI', (input) => brotliCompressSync(input)],
  ];
  for (const [codec, compress] of codecs) {
    test(codec, async () => {
      folder.write('c.parquet', parquet([element], [[text, undefined, `${text}2`]], codec, compress));
      assert.deepEqual((await folder.read({ path: 'c.parquet' })).rows, [[text], [null], [`${text}2`]]);
    });
  }
});

describe('reading on', () => {
  const element: SchemaElement = { name: 'v', ...optional, type: 'INT64' };
  const numbers = (count: number): bigint[] => Array.from({ length: count }, (_, n) => BigInt(n));
  test('goes on at the row, and a file that changed is another file', async () => {
    folder.write('r.parquet', parquet([element], [numbers(301)]));
    const { batches } = await folder.read({ path: 'r.parquet' }, { batchBytes: 100 });
    assert.ok(batches.length > 3);
    for (const [at, { position }] of batches.entries()) {
      const { rows } = await folder.read({ path: 'r.parquet' }, { after: position, batchBytes: 100 });
      assert.deepEqual(
        rows,
        batches.slice(at + 1).flatMap((batch) => batch.rows),
      );
    }
    folder.write('r.parquet', parquet([element], [numbers(3)]));
    assert.equal((await folder.read({ path: 'r.parquet' }, { after: batches.at(-1)?.position ?? '' })).rows.length, 3);
  });
});

describe('damaged and hostile files', () => {
  const good = parquet(
    [{ name: 'v', ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }],
    [Array.from({ length: 50 }, (_, n) => `value ${n}`)],
  );
  test('are errors in words, whichever byte is wrong, and take neither the time nor the memory of the service', async () => {
    const never = new AbortController().signal;
    const outcomes = new Map<string, number>();
    for (let at = 0; at < good.length; at += 23) {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] as number) ^ 0xff;
      const file = {
        name: 'x',
        stamp: undefined,
        size: bytes.length,
        bytes: nothing,
        slice: async (from: number, to: number) => Buffer.from(bytes.subarray(from, to)),
        close: async () => {},
      };
      const outcome = await readAll(() => openParquetFile(file, never, 1000)).catch((error: unknown) => {
        assert.ok(error instanceof OutsideError, String(error));
        assert.equal(error.kind, 'data');
        return /too long/.test(error.message) ? 'too long' : 'broken';
      });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.ok((outcomes.get('broken') ?? 0) > 10 && (outcomes.get('read') ?? 0) > 10, JSON.stringify([...outcomes]));
  });
  test('a file that was cut off', async () => {
    folder.write('bad.parquet', good.subarray(0, good.length - 20));
    await assert.rejects(folder.read({ path: 'bad.parquet' }), { kind: 'data', code: 'PARQUET_BROKEN' });
    folder.write('bad.parquet', 'PAR1');
    await assert.rejects(folder.read({ path: 'bad.parquet' }), { kind: 'data', code: 'PARQUET_BROKEN' });
  });
});
