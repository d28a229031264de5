import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DeliveredTable } from './delivered-table.ts';
import { keyOfRow } from './keyed-lines.ts';
import { KeyMarks } from './key-marks.ts';
import { digestOf, LedgerEntries, type LedgerEntry, wordsOf, writeEntries } from './ledger-entries.ts';

const key = fc.oneof(fc.integer({ min: 0, max: 3_000 }).map(String), fc.string({ unit: 'grapheme' })).map((value) => keyOfRow([value]));
const entry = fc.record({
  key,
  digest: fc.option(
    fc.integer({ min: 0, max: 3 }).map((n) => digestOf(String(n))),
    { freq: 4 },
  ),
});

function readBack(text: string): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (const lines = new LedgerEntries(text, new KeyMarks()); lines.next(); ) entries.push(lines.entry);
  return entries;
}

describe('the ledger of what was accepted', () => {
  test('comes back as it was written, whatever the keys', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries: LedgerEntry[]) =>
        assert.deepEqual(
          readBack(writeEntries(entries)),
          entries.map((one) => ({ ...one })),
        ),
      ),
    );
  });

  test('tells what the target has as a plain map of the last lines would', () => {
    const segment = fc.record(
      { entries: fc.array(entry, { maxLength: 2_000 }), isMine: fc.boolean(), isOutdated: fc.boolean() },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), fc.array(key), (segments, seen) => {
        const table = new DeliveredTable();
        const last = new Map<string, { digest: string | null; seq: number; isMine: boolean; isOutdated: boolean }>();
        for (const [at, { entries, isMine, isOutdated }] of segments.entries())
          for (const { key: of, digest } of entries) {
            table.put(table.marks.ofKey(of), digest === null ? null : wordsOf(digest), { seq: at + 1, isMine, isOutdated });
            last.set(of, { digest, seq: at + 1, isMine, isOutdated });
          }
        for (const of of seen) table.see(table.findKey(of));
        const there = [...last].filter(([, { digest }]) => digest !== null);
        assert.equal(table.there, there.length);
        assert.equal(table.gone, there.filter(([of]) => !seen.includes(of)).length);
        for (const [of, { digest, seq, isMine, isOutdated }] of last) {
          const place = table.findKey(of);
          assert.equal(table.isThere(place), digest !== null);
          assert.deepEqual([table.seqOf(place), table.isMine(place)], [seq, isMine]);
          for (const n of [0, 1, 2, 3]) {
            const other = digestOf(String(n));
            assert.equal(table.isSame(place, wordsOf(other)), digest !== null && !isOutdated && digest === other);
          }
          assert.equal(table.isGone(place), digest !== null && !seen.includes(of));
        }
        assert.equal(table.findKey(keyOfRow(['never'])), -1);
      }),
      { numRuns: 50 },
    );
  });
});
