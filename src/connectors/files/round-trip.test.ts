// Any rows, written in any format, dialect, encoding and compression, come back as they were.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { filesFolder } from '../../../test/support/files-folder.ts';
import { Batch } from '../batch.ts';
import { comparable, type Row } from '../canonical.ts';
import type { Field, WriteRequest } from '../contract.ts';

const folder = filesFolder();
after(() => folder.remove());

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'text', type: 'text', nullable: true },
  { name: 'amount', type: 'decimal', nullable: true },
  { name: 'ratio', type: 'float64', nullable: true },
  { name: 'yes', type: 'boolean', nullable: true },
  { name: 'at', type: 'timestamp', nullable: true },
  { name: 'raw', type: 'binary', nullable: true },
  { name: 'doc', type: 'json', nullable: true },
];

const nullable = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null, freq: 5 });
const two = (value: number): string => String(value).padStart(2, '0');
const rowsWith = (text: fc.Arbitrary<string>): fc.Arbitrary<Row[]> =>
  fc.array(
    fc.tuple(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      nullable(text),
      nullable(fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(99_999)).map(([whole, part]) => `${whole}.${part}`)),
      nullable(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
      nullable(fc.constantFrom('t', 'f')),
      nullable(
        fc
          .tuple(
            fc.integer({ min: 1, max: 9999 }),
            fc.integer({ min: 1, max: 12 }),
            fc.integer({ min: 1, max: 28 }),
            fc.nat(23),
            fc.nat(999_999),
          )
          .map(
            ([year, month, day, hour, micros]) =>
              `${String(year).padStart(4, '0')}-${two(month)}-${two(day)} ${two(hour)}:00:00.${String(micros).padStart(6, '0')}`,
          ),
      ),
      nullable(fc.uint8Array({ maxLength: 8 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`)),
      nullable(
        fc
          .jsonValue()
          .filter((value) => value !== null)
          .map((value) => JSON.stringify(value).replaceAll('-0', '0')),
      ),
    ),
    { maxLength: 20 },
  );

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('', 'NULL', '\\N', 'null', '"', "'", ',;\t|', '\r\n', ' x '),
);
const westernText = fc.string({ unit: fc.constantFrom('a', 'ü', 'ß', '"', ',', '\n', ' ', '\\'), maxLength: 10 });

let count = 0;

async function thereAndBack(config: Record<string, unknown>, rows: readonly Row[], mode: 'append' | 'mirror'): Promise<readonly Row[]> {
  const stream = `s${++count}`;
  const session = await folder.session({ path: '.', ...config });
  const request: WriteRequest = { stream, fields: FIELDS, key: [], mode, owner: 'me', token: 1n, create: true };
  const half = rows.length >> 1;
  // In two runs when appending: the second file is made of the first.
  for (const [at, part] of (mode === 'append' ? [rows.slice(0, half), rows.slice(half)] : [rows]).entries()) {
    const writer = await session.write({ ...request, token: BigInt(at + 1) });
    const { rejects } = await writer.write(Batch.ofRows(part, { position: String(at) }));
    assert.deepEqual(rejects, []);
    await writer.finish();
    await writer.close();
  }
  await session.close();
  return (await folder.read({ path: '.', ...config }, { stream })).rows;
}

const same = (rows: readonly Row[]): Row[] => rows.map((row) => row.map((value, at) => comparable(FIELDS[at]?.type ?? 'text', value)));

describe('there and back', () => {
  const formats: [string, Record<string, unknown>, fc.Arbitrary<string>][] = [
    ['CSV', {}, anyText],
    ['CSV with semicolons, apostrophes and backslashes', { delimiter: ';', quote: "'", escape: 'backslash' }, anyText],
    ['TSV with a word for null, gzip', { format: 'tsv', nulls: ['\\N'], compression: 'gzip' }, anyText],
    ['CSV in UTF-16, zstd', { encoding: 'utf-16le', compression: 'zstd' }, anyText],
    ['CSV in UTF-16 BE without names', { encoding: 'utf-16be', header: 'no', delimiter: '|' }, anyText],
    ['CSV in Windows-1252', { encoding: 'windows-1252' }, westernText],
    ['JSON Lines', { format: 'jsonl' }, anyText],
    ['JSON Lines, zstd', { format: 'jsonl', compression: 'zstd' }, anyText],
    ['Parquet', { format: 'parquet' }, anyText],
  ];
  for (const [name, config, text] of formats) {
    for (const mode of ['mirror', 'append'] as const) {
      test(`${name}, ${mode}`, async () => {
        await fc.assert(
          fc.asyncProperty(rowsWith(text), async (rows) => {
            assert.deepEqual(same(await thereAndBack(config, rows, mode)), same(rows));
          }),
          { numRuns: 6 },
        );
      });
    }
  }
});

test('characters that an encoding lacks, and cells that need quotes where there are none, are rejects', async () => {
  const fields: Field[] = [{ name: 'a', type: 'text', nullable: true }];
  const cases: [Record<string, unknown>, string[], number[]][] = [
    [{ encoding: 'latin-1' }, ['ü', '€', '日'], [1, 2]],
    [{ encoding: 'windows-1252' }, ['ü', '€', '日'], [2]],
    [{ quote: 'none' }, ['x', 'a,b', '', 'a\nb'], [1, 2, 3]],
  ];
  for (const [config, texts, bad] of cases) {
    const session = await folder.session({ path: '.', ...config });
    const writer = await session.write({ stream: `r${++count}`, fields, key: [], mode: 'append', owner: 'me', token: 1n, create: true });
    const { rejects } = await writer.write(
      Batch.ofRows(
        texts.map((text) => [text]),
        { position: '1' },
      ),
    );
    assert.deepEqual(
      rejects.map((reject) => reject.index),
      bad,
    );
    await writer.close();
  }
});

test('nothing is left beside the files but what we need to know', () => {
  const left = readdirSync(join(folder.root, '.syncline'), { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    left.filter((name) => name.endsWith('.tmp')),
    [],
  );
});
