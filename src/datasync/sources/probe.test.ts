import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stream } from '../../connectors/contract.ts';
import { told } from './probe.ts';

test('streams are told with no more fields than can be looked through, and each by its name', () => {
  const stream = (name: string, width: number): Stream => ({
    name,
    kind: 'file',
    fields: Array.from({ length: width }, (_, at) => ({ name: `f${at}`, type: 'text', nullable: true })),
    key: ['f0'],
    cursors: [],
    writable: true,
    estimatedRows: null,
  });
  const wide = Array.from({ length: 30 }, (_, at) => stream(`s${at}`, 10_000));
  const answer = told([...wide, stream('empty', 0)]);
  assert.equal(answer.length, 31);
  assert.equal(
    answer.reduce((sum, { fields }) => sum + fields.length, 0),
    100_000,
  );
  assert.deepEqual(answer.slice(0, 10), wide.slice(0, 10));
  assert.deepEqual([answer[10]?.key, /too many fields/.test(answer[10]?.note ?? ''), answer[30]?.note], [[], true, undefined]);
});
