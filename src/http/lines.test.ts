import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type JsonLine, readLines } from './lines.ts';

const MEGABYTE = 1024 * 1024;

async function* streamOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function read(chunks: readonly (Buffer | string)[], most = 1000): Promise<JsonLine[][]> {
  return Array.fromAsync(readLines(streamOf(chunks.map((chunk) => Buffer.from(chunk))), most), ({ lines }) => lines);
}

/** What the lines say, in a form that compares. */
function told(batches: readonly (readonly JsonLine[])[]): string[] {
  return batches.flat().map((line) => ('error' in line ? `${line.error.code}: ${line.error.message}` : JSON.stringify(line.value)));
}

/** The bytes in pieces, cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

describe('readLines', () => {
  test('reads the same lines, however the bytes are cut into pieces', async () => {
    const line = fc.oneof(
      fc.json({ maxDepth: 2, stringUnit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 10 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('', ' ', '\t\r', '{"a":1}\r', '{', '"é😀"', '"\\u0000"', '12345678901234567890', '\xa0', '\ufeff{}')
        .map((text) => Buffer.from(text)),
    );
    const places = fc.array(fc.nat(500), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        fc.boolean(),
        places,
        fc.integer({ min: 1, max: 5 }),
        async (lines, ended, cuts, most) => {
          const bytes = Buffer.concat(lines.flatMap((one, i) => (i < lines.length - 1 || ended ? [one, Buffer.from('\n')] : [one])));
          const whole = await read([bytes], most);
          const pieces = await read(cut(bytes, cuts), most);
          const single = await read(
            Array.from(bytes, (byte) => Buffer.from([byte])),
            most,
          );
          assert.deepEqual(told(pieces), told(whole));
          assert.deepEqual(told(single), told(whole));
          for (const batch of [...whole, ...pieces, ...single]) assert.ok(batch.length > 0 && batch.length <= most);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('reads what the lines say, in order, with or without a newline at the end', async () => {
    for (const end of ['', '\n', '\r\n', '\n\n'])
      assert.deepEqual(told(await read([`{"a":1}\n\n  \n[2]\r\n"3"${end}`])), ['{"a":1}', '[2]', '"3"']);
    assert.deepEqual(await read([]), []);
    assert.deepEqual(await read(['\n', '', '\n\n']), []);
  });

  test('gives what has arrived, at most so many at a time', async () => {
    const sizes = (await read(['1\n2\n3\n', '4', '\n5\n6\n7\n8\n9'], 3)).map((batch) => batch.length);
    assert.deepEqual(sizes, [3, 3, 2, 1]);
  });

  test('tells of a line that it cannot read, and goes on with the next', async () => {
    const lines = await read(['1\n{"a":\n2\n', Buffer.from([0xff, 0x0a]), Buffer.from([0xa0, 0x0a]), '"\\u0000"\n3']);
    assert.deepEqual(
      told(lines).map((text) => text.split(':')[0]),
      ['1', 'MALFORMED_JSON', '2', 'MALFORMED_JSON', 'MALFORMED_JSON', 'INVALID_PARAMS', '3'],
    );
  });

  test('says which line it was, and where in it', async () => {
    const lines = await read(['1\n\n{"a":"𝒥', Buffer.from('","b":x}\r\n{"a":1,"a":2}\n'), Buffer.from([0xff, 0x0a]), '"\\ud800"\n{"a":']);
    const errors = lines.flat().flatMap((line) => ('error' in line ? [line.error] : []));
    assert.deepEqual(
      errors.map(({ details }) => [details.line, details.position, details.field]),
      [
        [3, 14, ''],
        [4, undefined, 'a'],
        [5, undefined, ''],
        [6, undefined, ''],
        [7, 6, ''],
      ],
    );
    assert.deepEqual(errors[0]?.message, 'The line is not valid JSON: unexpected "x", where a value has to be (character 14).');
    assert.deepEqual(errors[1]?.message, 'The line gives a more than once. Give each member once.');
  });

  test('takes a line of a megabyte, refuses a longer one, and goes on with the next', async () => {
    const text = (length: number): string => `"${'x'.repeat(length - 2)}"`;
    const bytes = Buffer.from(`1\n${text(MEGABYTE)}\n${text(MEGABYTE + 1)}\n2\n${text(3 * MEGABYTE)}`);
    for (const size of [bytes.length, 64 * 1024, 1_000_003]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
      const lines = told(await read(pieces)).map((line) => (line.length > 100 ? line.length : line));
      const tooLong = 'PAYLOAD_TOO_LARGE: This line is longer than 1 MiB.';
      assert.deepEqual(lines, ['1', MEGABYTE, tooLong, '2', tooLong]);
    }
  });

  test('reads no further than it is asked for', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.from(`${asked++}\n`);
    }
    for await (const { lines: batch } of readLines(endless(), 10)) {
      assert.equal(batch.length, 1);
      if (asked > 5) break;
    }
    assert.equal(asked, 6);
  });
});
