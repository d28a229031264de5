import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { OutsideError } from '../../../outside/errors.ts';
import { RecordScanner } from './record-scanner.ts';

/** The text in pieces of these sizes, again and again. */
function pieces(text: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = sizes[i % sizes.length] ?? text.length;
    parts.push(text.subarray(at, at + size));
    at += size;
  }
  return parts;
}

function scan(text: string | Buffer, path: readonly string[], sizes: readonly number[] = []): { records: unknown[]; envelope: unknown } {
  const scanner = new RecordScanner(path);
  const found = pieces(Buffer.from(text), sizes).flatMap((part) => [...scanner.push(part)]);
  const envelope = scanner.finish();
  return { records: found.map((record) => JSON.parse(record.text.toString()) as unknown), envelope };
}

function codeOfFailure(text: string | Buffer, path: readonly string[] = []): string {
  try {
    scan(text, path, [3]);
  } catch (error) {
    assert.ok(error instanceof OutsideError);
    return error.code;
  }
  return 'none';
}

const member = fc.oneof(fc.constantFrom('data', 'items', 'a"b', '', 'ü😀', '__proto__', '0'), fc.string());

describe('RecordScanner', () => {
  test('finds the records of any document at any place, however it is cut', () => {
    const document = fc.tuple(
      fc.array(member, { maxLength: 3 }),
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
      fc.dictionary(member, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      fc.constantFrom(undefined, 1, '\t'),
    );
    fc.assert(
      fc.property(
        document,
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
        ([path, records, more, indent], sizes) => {
          // The records lie at the path; on every level there are other members before and after.
          const wrap = (inner: unknown, name: string): unknown =>
            Object.fromEntries([
              ...Object.entries(more).filter(([other]) => other !== name),
              [name, inner],
              ...(name === 'z' ? [] : [['z', [inner === records]]]),
            ]);
          const whole = path.reduceRight<unknown>(wrap, records);
          const found = scan(JSON.stringify(whole, null, indent), path, sizes);
          assert.deepEqual(found.records, JSON.parse(JSON.stringify(records)));
          const empty = path.reduceRight<unknown>((inner, name) => wrap(inner, name), path.length === 0 ? [] : records);
          if (path.length === 0) assert.deepEqual(found.envelope, empty);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('keeps what lies around the records, on both sides of them', () => {
    const text = ' {"next":12345678901234567890, "data" :{"items":[{"a":"]}\\"" },[1], null ,2] , "n":[[]]}, "end": true}\n';
    const { records, envelope } = scan(text, ['data', 'items'], [1]);
    assert.deepEqual(records, [{ a: ']}"' }, [1], null, 2]);
    assert.equal(JSON.stringify(envelope), '{"next":12345678901234567890,"data":{"items":[],"n":[[]]},"end":true}');
  });

  test('takes an object as the one record, and null as none', () => {
    assert.deepEqual(scan('{"me":{"id":1},"x":2}', ['me'], [2]), { records: [{ id: 1 }], envelope: { me: {}, x: 2 } });
    assert.deepEqual(scan('{"id":1}', []).records, [{ id: 1 }]);
    assert.deepEqual(scan('null', []), { records: [], envelope: null });
    assert.deepEqual(scan('[[{"id":1}],[{"id":2}]]', ['1']).records, [{ id: 2 }]);
  });

  test('notices what breaks off', () => {
    const text = '{"data":[{"id":1},{"id":2}],"next":null}';
    for (let length = 0; length < text.length; length++)
      assert.equal(codeOfFailure(text.slice(0, length), ['data']), 'JSON_TRUNCATED', text.slice(0, length));
  });

  test('notices what is no JSON', () => {
    for (const text of ['<html>', '[1 2]', '[,1]', '[1,]', '[1}', '{"a":1} x', 'nothing', '[]]'])
      assert.equal(codeOfFailure(text), 'NOT_JSON', text);
  });

  test('does not let a record that is nested without end be parsed', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const scanner = new RecordScanner([]);
    const [first, second] = [...scanner.push(Buffer.from(`[${deep},{"a":1}]`))];
    assert.equal(first?.isTooDeep, true);
    assert.equal(second?.isTooDeep, false);
    assert.equal(codeOfFailure(`{"x":${deep}}`, ['y']), 'NOT_JSON');
  });

  test('stops a record or an envelope that does not end before it is all in memory', () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const endless = (start: string): { code: string; pieces: number } => {
      const scanner = new RecordScanner(['data']);
      assert.equal([...scanner.push(Buffer.from(start))].length, 0);
      for (let count = 1; count < 1000; count++) {
        try {
          assert.equal([...scanner.push(piece)].length, 0);
        } catch (error) {
          return { code: (error as OutsideError).code, pieces: count };
        }
      }
      return { code: 'none', pieces: 1000 };
    };
    assert.deepEqual(endless('{"data":[{"a":"'), { code: 'ROW_TOO_LARGE', pieces: 64 });
    assert.deepEqual(endless('{"other":"'), { code: 'RESPONSE_TOO_LARGE', pieces: 4 });
    assert.deepEqual(endless('{"'), { code: 'RESPONSE_TOO_LARGE', pieces: 4 });
  });
});
