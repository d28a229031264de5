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

test('a key that comes again begins other lines', () => {
  const rows = [...plain(100), ...plain(100), ...plain(10)];
  const changes = told(rows);
  assert.deepEqual(
    changes.map((change) => (change.op === 'lines' ? change.count : 1)),
    [100, 100, ...Array.from({ length: 10 }, () => 1)],
  );
  assert.deepEqual(rowsOf(changes), wanted(rows));
  // As a number, these two are the same.
  const large = [['9007199254740992', 'x', 'a'] as const, ['9007199254740993', 'x', 'b'] as const, ...plain(100)];
  assert.equal(told(large).length, 1);
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
