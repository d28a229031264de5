import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from './batch.ts';

test('a batch with spared keys is the same otherwise: lines stay lines, rows stay rows', () => {
  const lines = Batch.ofLines(Buffer.from('1\ta\n'), { position: 'here', count: 1, rejects: [{ row: {}, reason: 'bad' }] });
  const sparing = lines.sparing([['2']]);
  assert.deepEqual([sparing.spared, lines.spared], [[['2']], []]);
  assert.equal(sparing.hasLines, true);
  assert.equal(sparing.lines, lines.lines);
  assert.deepEqual([sparing.position, sparing.count, sparing.rejects, sparing.operation], ['here', 1, lines.rejects, 'write']);
  const rows = Batch.ofRows([['1']], { position: 'there', operation: 'delete' });
  assert.equal(rows.sparing([]).rows, rows.rows);
  assert.deepEqual([rows.sparing([]).hasLines, rows.sparing([]).operation], [false, 'delete']);
});

test('the memory of lines is given back once, and nobody looks at it afterwards', () => {
  const given: Buffer[] = [];
  const recycle = (lines: Buffer): void => void given.push(lines);
  const lines = Batch.ofLines(Buffer.from('1\n'), { position: '', recycle });
  lines.release();
  lines.release();
  assert.deepEqual(given, [Buffer.from('1\n')]);
  assert.throws(() => lines.rows, /used after its release/);
  assert.throws(() => lines.lines, /used after its release/);
});
