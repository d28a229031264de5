import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encode32, firstIdAt, idAt, idOf, idsFollow, isId, newId, numberIn, randomText } from './ids.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const MAX_TIME = 2 ** 48 - 1;
const time = fc.oneof(fc.integer({ min: 0, max: MAX_TIME }), fc.constantFrom(0, 1, 1023, 1024, MAX_TIME - 1, MAX_TIME));

/** The 128 bits of a TypeID, read by the book: 26 characters of five bits, of which the first two are zero. */
function uuidOf(id: string): bigint {
  let bits = 0n;
  for (const character of id.slice(id.lastIndexOf('_') + 1)) bits = bits * 32n + BigInt(ALPHABET.indexOf(character));
  return bits;
}

function timeOf(id: string): number {
  return Number(uuidOf(id) >> 80n);
}

function assertUuid7(id: string): void {
  const bits = uuidOf(id);
  assert.ok(bits < 2n ** 128n, id);
  assert.equal((bits >> 76n) & 0xfn, 7n, `${id} is not of version 7`);
  assert.equal((bits >> 62n) & 0x3n, 2n, `${id} is not of the variant of RFC 9562`);
}

// One process makes ids along one clock, which only goes forward: each test starts later than the one before.
let present = Date.UTC(2026, 10, 1);

describe('newId', () => {
  test('makes TypeIDs: a prefix and a UUIDv7 that carries the time', () => {
    for (let i = 0; i < 1000; i++) {
      const { id, time } = newId('ord', ++present);
      assert.match(id, /^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      assertUuid7(id);
      assert.equal(time, present);
      assert.equal(timeOf(id), present);
      assert.ok(isId('ord', id));
    }
  });

  test('makes ids that sort after one that was made elsewhere, while a clock was ahead', () => {
    for (let i = 0; i < 200; i++) {
      const ahead = idAt('run', present + 7_200_000);
      idsFollow(ahead);
      assert.ok(newId('run', present).id > ahead);
      present += 7_200_001;
    }
    const before = newId('run', present);
    idsFollow(idAt('run', present - 1000));
    const { id, time } = newId('run', present);
    assert.ok(id > before.id);
    assert.equal(time, before.time, 'one of before changes nothing');
  });

  test('makes ids that sort as they were made, whatever the clock does', () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -10_000, max: 10_000 }), fc.constantFrom(-1, 1)), {
      maxLength: 500,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, (moves) => {
        let before = newId('ord', present).id;
        let latest = present;
        for (const move of moves) {
          present += move;
          latest = Math.max(latest, present);
          const { id, time } = newId('ord', present);
          assert.ok(id > before, `${id} does not come after ${before}`);
          assert.equal(timeOf(id), time);
          assert.ok(time >= latest);
          before = id;
        }
        present = latest + 1000;
      }),
      { numRuns: 100 },
    );
  });

  test('borrows from the next millisecond when one is full', () => {
    present += 1000;
    const made = Array.from({ length: 10_000 }, () => newId('evt', present));
    assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
    for (let i = 1; i < made.length; i++) assert.ok((made[i]?.id ?? '') > (made[i - 1]?.id ?? ''));
    const last = made.at(-1)?.time ?? 0;
    assert.ok(last > present && last <= present + 3, `${last - present} ms ahead`);
    for (const { id, time } of made) {
      assertUuid7(id);
      assert.equal(timeOf(id), time);
    }
    present = last + 1;
  });

  test('makes 100,000 ids of which no two are alike, nor the random parts of any two', () => {
    const ids = Array.from({ length: 100_000 }, (_, i) => newId('ord', present + (i >> 6)).id);
    assert.equal(new Set(ids).size, ids.length);
    // 60 random bits: that two of so many are alike has a chance of less than 1 in 10⁸.
    assert.equal(new Set(ids.map((id) => id.slice(-12))).size, ids.length);
    present += 100_000;
  });
});

describe('idAt', () => {
  test('carries any time that fits, and lies in its millisecond', () => {
    fc.assert(
      fc.property(time, (at) => {
        const id = idAt('ord', at);
        assertUuid7(id);
        assert.equal(timeOf(id), at);
        assert.ok(id >= firstIdAt('ord', at));
        if (at < MAX_TIME) assert.ok(id < firstIdAt('ord', at + 1));
      }),
    );
  });
});

describe('idOf', () => {
  test('is a UUIDv7 of this time and number, always the same, and another for every other number', () => {
    const number = fc.oneof(fc.nat(1000), fc.maxSafeNat(), fc.constantFrom(2 ** 40 - 1, 2 ** 40, Number.MAX_SAFE_INTEGER));
    fc.assert(
      fc.property(time, number, number, (at, a, b) => {
        const id = idOf('evt', at, a);
        assertUuid7(id);
        assert.ok(isId('evt', id));
        assert.equal(timeOf(id), at);
        assert.equal(uuidOf(id) & (2n ** 62n - 1n), BigInt(a));
        assert.equal(numberIn(id), a);
        assert.equal(idOf('evt', at, b) === id, a === b);
      }),
    );
  });
});

describe('firstIdAt', () => {
  test('sorts like the time', () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [first, second] = [firstIdAt('ord', a), firstIdAt('ord', b)];
        assert.equal(Math.sign(first < second ? -1 : first > second ? 1 : 0), Math.sign(a - b));
        assert.equal(timeOf(first), a);
      }),
    );
  });

  test('keeps to its bounds: before all ids for times before 1970, after all for times far ahead', () => {
    for (const early of [-1, -62_167_219_200_000, Number.NEGATIVE_INFINITY]) assert.equal(firstIdAt('ord', early), firstIdAt('ord', 0));
    assert.equal(firstIdAt('ord', 0), `ord_${'0'.repeat(26)}`);
    for (const late of [MAX_TIME + 1, 2 ** 53, Number.POSITIVE_INFINITY]) assert.equal(firstIdAt('ord', late), firstIdAt('ord', MAX_TIME));
    assert.ok(firstIdAt('ord', MAX_TIME) > newId('ord', present).id);
  });
});

describe('isId', () => {
  test('knows the form of an id and nothing else', () => {
    const { id } = newId('ord', present);
    assert.ok(isId('ord', id));
    assert.ok(!isId('key', id));
    for (const wrong of [
      '',
      'ord_',
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      id.replace('ord_', 'ord-'),
      ` ${id}`,
      `${id.slice(0, -1)}u`,
      `${id.slice(0, -1)}é`,
      `${id.slice(0, -1)}\n`,
    ])
      assert.ok(!isId('ord', wrong), wrong);
  });
});

describe('the parts of keys', () => {
  test('encode32 writes 32 bits in seven characters, each number differently and in order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (n) => {
        assert.match(encode32(n), /^[0-9a-hjkmnp-tv-z]{7}$/);
        assert.equal(uuidOf(encode32(n)), BigInt(n));
      }),
    );
  });

  test('randomText uses the whole alphabet, and is as long as asked for', () => {
    const text = randomText(10_000);
    assert.equal(text.length, 10_000);
    assert.deepEqual([...new Set(text)].sort().join(''), ALPHABET);
    assert.notEqual(randomText(32), randomText(32));
  });
});
