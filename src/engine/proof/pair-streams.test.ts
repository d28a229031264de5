import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CANONICAL_TYPES, comparable, type CanonicalType, type Row, type Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { encodeRows } from '../../connectors/lines.ts';
import { sampled } from '../../../test/support/whole.ts';
import { CountedSuspects } from './counted-suspects.ts';
import { pairStreams } from './pair-streams.ts';
import { ProofShape } from './proof-shape.ts';
import { rowsDigest } from './rows-digest.ts';
import { KeyedSuspects, type Suspects } from './suspects.ts';
import { waitingFor } from './waiting.ts';

const TYPES = CANONICAL_TYPES;
const FIELDS: readonly Field[] = [
  { name: 'id', type: 'text', nullable: false },
  ...TYPES.map((type) => ({ name: `a_${type}`, type, nullable: true })),
];

/** Values that are easily taken for each other, and some that are the same and spelled otherwise. */
const VALUES: Readonly<Record<CanonicalType, readonly Value[]>> = {
  text: ['', ' ', 'a', 'A', 'a ', 'é', 'e\u0301', '\\N', 'x\ty', 'x\ny', null],
  int64: ['0', '-0', '1', '01', '9223372036854775807', null],
  decimal: ['1', '1.0', '1.00', '0', '-0', '0.10', '.1', 'NaN', '12345678901234567890.1', null],
  float64: ['1', '1.0', '1e0', '0', '-0', 'NaN', '1e300', '0.1', null],
  timestamp: ['2026-01-01 00:00:00', '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000001', null],
  json: ['{"a":1,"b":2}', '{"b":2, "a":1}', '[1,2]', '[2,1]', '1', '1.0', '"\\u00e9"', '"é"', 'null', null],
  boolean: ['t', 'f', null],
  date: ['2026-01-01', '2026-01-02', '0001-01-01', '0001-01-01 BC', '12026-01-01', 'infinity', '-infinity', null],
  time: ['04:42:11', '04:42:11.000000', '04:42:11.1', '04:42:11.100000', '04:42:11.000001', '24:00:00', null],
  timestamptz: ['2026-01-01 00:00:00+00', '2026-01-01 00:00:00.000000+00', '2026-01-01 00:00:00.10+00', '2026-01-01 00:00:00.1+00', null],
  uuid: ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001', null],
  binary: ['\\x', '\\x00', '\\x0000', '\\x20', null],
};

const value = (type: CanonicalType): fc.Arbitrary<Value> => fc.constantFrom(...VALUES[type]);
const row = fc
  .tuple(
    fc.integer({ min: 0, max: 60 }).map((n) => `k${n}`),
    ...TYPES.map(value),
  )
  .map((values): Row => values);
const table = fc.uniqueArray(row, { maxLength: 50, selector: ([id]) => id });
/** What another system may make of a table: rows go, come, change, and come in another order, cut into other batches. */
const pair = fc.record(
  {
    source: table,
    changes: fc.array(fc.record({ at: fc.nat(49), by: fc.option(row, { nil: undefined }) }), { maxLength: 4 }),
    order: fc.constantFrom('same', 'reversed', 'by digit'),
    cut: fc.integer({ min: 1, max: 20 }),
    most: fc.constantFrom(2, 8, 1_000),
  },
  { noNullPrototype: true },
);

const ORDERS: Readonly<Record<string, (one: Row, other: Row) => number>> = {
  reversed: ([a], [b]) => (String(a) < String(b) ? 1 : -1),
  'by digit': ([a], [b]) => (String(a).at(-1) ?? '').localeCompare(String(b).at(-1) ?? '') || (String(a) < String(b) ? -1 : 1),
};

function changed(rows: readonly Row[], changes: readonly { at: number; by: Row | undefined }[], keyed: boolean): Row[] {
  const after = [...rows];
  for (const { at, by } of changes) {
    if (!by) after.splice(at, 1);
    else if (at < after.length) after[at] = keyed ? [after[at]?.[0] ?? null, ...by.slice(1)] : by;
    else if (!keyed || !after.some(([id]) => id === by[0])) after.push(by);
  }
  return after;
}

async function* feed(rows: readonly Row[], cut: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < rows.length; at += cut) yield encodeRows(rows.slice(at, at + cut));
}

const plain = (one: Row): string => JSON.stringify(FIELDS.map(({ type }, place) => comparable(type, one[place] ?? null)));

/** What is found, after a second look that finds everything as it was. Where the keys of what differs are known, it asks for those alone. */
async function found(shape: ProofShape, suspects: Suspects, source: readonly Row[], target: readonly Row[], cut: number, most: number) {
  const waiting = waitingFor(shape, (suspect) => suspects.add(suspect), most);
  await pairStreams(feed(source, 7), feed(target, cut), shape, waiting);
  waiting.finish();
  waiting.close();
  suspects.begin();
  const { known } = waiting;
  const isAsked = (one: Row): boolean => !shape.hasKey || !known || known.has(shape.marksOf(one).key);
  for (const one of target.filter(isAsked)) suspects.see('target', one);
  for (const one of source.filter(isAsked)) suspects.see('source', one);
  assert.equal(suspects.settle(), 0);
  return suspects.counts();
}

describe('two streams of rows', () => {
  test('with a key are equal, or differ, exactly as a plain comparison of canonical rows says', async () => {
    const shape = new ProofShape(FIELDS, ['id']);
    await fc.assert(
      fc.asyncProperty(pair, async ({ source, changes, order, cut, most }) => {
        const target = changed(source, changes, true);
        if (ORDERS[order]) target.sort(ORDERS[order]);
        const there = new Map(target.map((one) => [one[0], plain(one)]));
        const here = new Map(source.map((one) => [one[0], plain(one)]));
        const expected = {
          missing: [...here.keys()].filter((id) => !there.has(id)).length,
          extra: [...there.keys()].filter((id) => !here.has(id)).length,
          different: [...here].filter(([id, text]) => there.has(id) && there.get(id) !== text).length,
        };
        assert.deepEqual(await found(shape, new KeyedSuspects(shape, false), source, target, cut, most), expected);
      }),
      { numRuns: sampled(300, 10_000) },
    );
  });

  test('with a key of several fields are told apart by all of them', async () => {
    const shape = new ProofShape(FIELDS, ['id', 'a_int64', 'a_uuid']);
    const places = shape.keyPlaces;
    const keyOf = (one: Row): string =>
      JSON.stringify(places.map((place) => comparable(FIELDS[place]?.type ?? 'text', one[place] ?? null)));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(row, { maxLength: 40, selector: keyOf }), pair, async (source, { changes, order, cut, most }) => {
        const seen = new Set<string>();
        const target = changed(source, changes, false).filter((one) => !seen.has(keyOf(one)) && seen.add(keyOf(one)));
        if (ORDERS[order]) target.sort(ORDERS[order]);
        const [here, there] = [
          new Map(source.map((one) => [keyOf(one), plain(one)])),
          new Map(target.map((one) => [keyOf(one), plain(one)])),
        ];
        const expected = {
          missing: [...here.keys()].filter((id) => !there.has(id)).length,
          extra: [...there.keys()].filter((id) => !here.has(id)).length,
          different: [...here].filter(([id, text]) => there.has(id) && there.get(id) !== text).length,
        };
        assert.deepEqual(await found(shape, new KeyedSuspects(shape, false), source, target, cut, most), expected);
      }),
      { numRuns: sampled(200, 5_000) },
    );
  });

  test('without a key are compared as multisets: of each row there are so many', async () => {
    const shape = new ProofShape(FIELDS, []);
    const doubled = fc.array(fc.tuple(row, fc.integer({ min: 1, max: 3 })), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(doubled, pair, async (rows, { changes, order, cut, most }) => {
        const source = rows.flatMap(([one, times]) => Array.from({ length: times }, () => one));
        const target = changed(source, changes, false);
        if (ORDERS[order]) target.sort(ORDERS[order]);
        const counts = new Map<string, number>();
        for (const one of source) counts.set(plain(one), (counts.get(plain(one)) ?? 0) + 1);
        for (const one of target) counts.set(plain(one), (counts.get(plain(one)) ?? 0) - 1);
        const missing = [...counts.values()].filter((n) => n > 0).reduce((sum, n) => sum + n, 0);
        const extra = [...counts.values()].filter((n) => n < 0).reduce((sum, n) => sum - n, 0);
        const expected = { missing, extra, different: 0 };
        assert.deepEqual(await found(shape, new CountedSuspects(shape, false), source, target, cut, most), expected);
      }),
      { numRuns: sampled(300, 10_000) },
    );
  });
});

test('rows that change between two looks are not said to differ, and those that stay are', async () => {
  const shape = new ProofShape(FIELDS.slice(0, 2), ['id']);
  const suspects = new KeyedSuspects(shape, false);
  const waiting = waitingFor(shape, (suspect) => suspects.add(suspect));
  const source: Row[] = [
    ['1', 'new'],
    ['2', 'a'],
    ['3', 'moves'],
  ];
  const target: Row[] = [
    ['1', 'old'],
    ['2', 'b'],
    ['3', 'stays behind'],
  ];
  await pairStreams(feed(source, 1), feed(target, 2), shape, waiting);
  waiting.finish();
  waiting.close();
  suspects.begin();
  // The first has arrived, the second is as it was, and the third has changed again.
  for (const one of [['1', 'new'], target[1], target[2]]) suspects.see('target', one as Row);
  for (const one of [source[0], source[1], ['3', 'moves on']]) suspects.see('source', one as Row);
  assert.equal(suspects.settle(), 1);
  assert.deepEqual(suspects.counts(), { missing: 0, extra: 0, different: 1 });
  assert.deepEqual(
    [...suspects.samples()].map(({ source: one }) => one?.[0]),
    ['2'],
  );
});

test('the digest of rows in any order counts them: doubles do not cancel', () => {
  const digest = (rows: readonly string[]): string => {
    const all = rowsDigest(false);
    for (const one of rows) all.add(encodeRows([[one]]));
    return all.take();
  };
  assert.equal(digest(['a', 'b']), digest(['b', 'a']));
  const others = [[], ['a'], ['a', 'a'], ['a', 'a', 'b', 'b'], ['b', 'b']].map(digest);
  assert.equal(new Set(others).size, others.length);
});
