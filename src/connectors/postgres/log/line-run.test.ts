import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Change, LoggedRow } from '../../changes.ts';
import { decodeRows } from '../../lines.ts';
import { type LineShape, lineShapeOf } from './line-run.ts';
import { ChangeSets } from './sets.ts';

// Rows of the log that are told as lines say the same as they do one by one.

/** A row as the log has it. */
function rowBytes(row: LoggedRow): Buffer {
  const size = (count: number): Buffer => Buffer.from([count >>> 24, (count >>> 16) & 255, (count >>> 8) & 255, count & 255]);
  const values = row.map((value) => {
    if (value === null || value === undefined) return Buffer.from(value === null ? 'n' : 'u');
    return Buffer.concat([Buffer.from('t'), size(Buffer.byteLength(value)), Buffer.from(value)]);
  });
  return Buffer.concat([size(row.length).subarray(2), ...values]);
}

const INT = { name: 'id', type: 'int64', nullable: false } as const;
const UUID = { name: 'id', type: 'uuid', nullable: false } as const;
const TEXT = { name: 'id', type: 'text', nullable: false } as const;
/** Three columns, of which the one in the middle is not wanted. */
const PLACES = { row: Int32Array.of(0, -1, 1), width: 2, key: Int32Array.of(0, -1, -1), keyWidth: 1 };
const SHAPE = lineShapeOf(0, PLACES, [INT]) as LineShape;

const newSets = (): ChangeSets => new ChangeSets({ system: '1', timeline: 1 });

/** Gives rows to sets as a transaction; those that are none for lines one by one. */
function told(rows: readonly LoggedRow[], kind: 'insert' | 'update' = 'update', sets = newSets()): readonly Change[] {
  for (const row of rows) {
    const bytes = Buffer.concat([Buffer.from('before'), rowBytes(row), Buffer.from('behind')]);
    if (!sets.addLine(SHAPE, kind, bytes, 6, bytes.length - 6)) sets.add({ op: kind, stream: 0, row: [row[0], row[2]] }, bytes.length);
  }
  sets.commit(10n, 0);
  return sets.take()?.changes ?? [];
}

const rowsOf = (changes: readonly Change[]): LoggedRow[] =>
  changes.flatMap((change) => (change.op === 'lines' ? decodeRows(change.lines) : 'row' in change ? [change.row] : []));
const plain = (count: number, from = 1): LoggedRow[] => Array.from({ length: count }, (_, n) => [String(from + n), 'unseen', `v${n}`]);
const wanted = (rows: readonly LoggedRow[]): LoggedRow[] => rows.map((row) => [row[0], row[2]]);

test('values of all kinds are the same in a line', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[\\\t\n\rNnrt.]*$/));
  const value = fc.oneof({ weight: 5, arbitrary: text }, fc.constant(null));
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { minLength: 64, maxLength: 80 }), (values) => {
      const rows = values.map(([unseen, seen], n) => [String(n), unseen, seen]);
      const changes = told(rows);
      assert.deepEqual(
        changes.map((change) => change.op === 'lines' && change.count),
        [rows.length],
      );
      assert.deepEqual(rowsOf(changes), wanted(rows));
    }),
    { numRuns: 50 },
  );
});

test('what cannot be in a line stands between the lines in its place', () => {
  const rows = [
    ...plain(100),
    ['101', 'x', undefined],
    ...plain(1200, 200),
    ['9007199254740993', 'x', 'y'.repeat(70_000)],
    ...plain(1200, 2000),
  ];
  const changes = told(rows);
  assert.deepEqual(
    changes
      .flatMap((change) => (change.op === 'lines' ? change.count : change.op === 'update' && change.row[1] === 'v0' ? [] : change.op))
      .slice(0, 2),
    [100, 'update'],
  );
  assert.deepEqual(rowsOf(changes), wanted(rows));
});

const sizes = (changes: readonly Change[]): number[] => changes.map((change) => (change.op === 'lines' ? change.count : 1));

test('a key that comes again begins other lines; where keys come again often, rows are told one by one', () => {
  const rows = [...plain(600), ...plain(600), ...plain(10)];
  const changes = told(rows);
  assert.deepEqual(sizes(changes), [600, 600, ...Array.from({ length: 10 }, () => 1)]);
  assert.deepEqual(rowsOf(changes), wanted(rows));
  const often = [...plain(100), ...plain(100), ...plain(100)];
  assert.deepEqual(sizes(told(often)), [100, ...Array.from({ length: 200 }, () => 1)]);
  assert.deepEqual(rowsOf(told(often)), wanted(often));
  // As a number, these two are the same.
  const large = [['9007199254740992', 'x', 'a'] as const, ['9007199254740993', 'x', 'b'] as const, ...plain(100)];
  assert.equal(told(large).length, 1);
});

/** Gives a row to sets as the translator does. */
function tell(sets: ChangeSets, row: LoggedRow): void {
  const bytes = rowBytes(row);
  if (!sets.addLine(SHAPE, 'update', bytes, 0, bytes.length)) sets.add({ op: 'update', stream: 0, row: [row[0], row[2]] }, bytes.length);
}

test('small transactions that follow each other are lines together, and one that is not whole yet stays behind', () => {
  const sets = newSets();
  for (const [n, row] of plain(100).entries()) {
    tell(sets, row);
    assert.ok(sets.commit(BigInt(n + 1), n));
  }
  for (const row of plain(80, 1000)) tell(sets, row);
  const first = sets.take();
  assert.deepEqual([sizes(first?.changes ?? []), first?.position?.endsWith('/64'), first?.committedAt], [[100], true, 99]);
  assert.deepEqual(rowsOf(first?.changes ?? []), wanted(plain(100)));
  assert.equal(sets.take(), undefined, 'the rest is not whole');
  // A key that is in the part that stayed is still known there, and one of the part that went is not.
  for (const row of [...plain(1), ['1001', 'x', 'again']]) tell(sets, row);
  sets.commit(200n, 200);
  assert.deepEqual(rowsOf(sets.take()?.changes ?? []), wanted([...plain(80, 1000), ...plain(1), ['1001', 'x', 'again']]));
});

test('whatever is told and whenever it is taken: each set has all of the transactions up to its position, and nothing else', () => {
  const change = fc.record({ id: fc.integer({ min: 1, max: 2000 }), isDelete: fc.integer({ min: 0, max: 400 }).map((n) => n === 0) });
  const step = fc.oneof(
    { weight: 1, arbitrary: fc.constant('take') },
    { weight: 30, arbitrary: fc.array(change, { minLength: 1, maxLength: 40 }) },
  );
  const spell = (one: Change): string[] =>
    one.op === 'delete' ? [`gone ${String(one.key)}`] : rowsOf([one]).map((row) => `${String(row[0])} ${String(row[1])}`);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const sets = newSets();
      /** What was told, and how much of it up to each commit. */
      const all: string[] = [];
      const upTo = new Map<string, number>();
      const given: string[] = [];
      let lsn = 0n;
      const take = (): void => {
        const set = sets.take();
        if (!set) return;
        given.push(...set.changes.flatMap(spell));
        assert.equal(given.length, upTo.get(String(set.position?.split('/').at(-1))));
      };
      for (const one of steps) {
        if (one === 'take') take();
        else {
          for (const [at, { id, isDelete }] of one.entries()) {
            if (isDelete) sets.add({ op: 'delete', stream: 0, key: [String(id)] }, 10);
            else tell(sets, [String(id), null, `v${all.length}`]);
            all.push(isDelete ? `gone ${id}` : `${id} v${all.length}`);
            // In the middle of a transaction, too.
            if (at === 3) take();
          }
          sets.commit(++lsn, 0);
          upTo.set(lsn.toString(16).toUpperCase(), all.length);
        }
      }
      take();
      assert.deepEqual(given, all);
    }),
    { numRuns: 200 },
  );
});

test('changes that are too mixed are told one by one, and lines again when they are not any more', () => {
  const sets = newSets();
  const mixed = Array.from({ length: 20 }, (_, n) => [String(n % 2), null, 'v']);
  const rows = [...mixed, ...plain(3000)];
  const changes = told(rows, 'insert', sets);
  assert.deepEqual(rowsOf(changes), wanted(rows));
  const lines = changes.filter(({ op }) => op === 'lines');
  assert.equal(lines.length, 1, 'one stretch of lines at the end');
  assert.equal(changes.at(-1), lines[0]);
});

test('memory that was given back is used again', () => {
  const sets = newSets();
  const [first] = told(plain(100), 'update', sets);
  assert.ok(first?.op === 'lines');
  const memory = first.lines.buffer.byteLength;
  first.giveBack();
  assert.equal(first.lines.length, 0, 'a late look finds nothing');
  const [second] = told(plain(100), 'update', sets);
  assert.ok(second?.op === 'lines' && second.lines.buffer.byteLength === memory);
  assert.deepEqual(rowsOf([second]), wanted(plain(100)));
});

test('only rows that are told in the order of the log, with keys that are the same for every target, become lines', () => {
  assert.ok(lineShapeOf(0, PLACES, [UUID]));
  assert.equal(lineShapeOf(0, PLACES, [TEXT]), undefined);
  assert.equal(lineShapeOf(0, { ...PLACES, row: Int32Array.of(1, -1, 0) }, [INT]), undefined);
  assert.equal(lineShapeOf(0, { ...PLACES, width: 3 }, [INT]), undefined);
});
