import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamDefinition } from '../../engine/definition.ts';
import { streamsToReadAnew } from './generations.ts';

const STREAM: StreamDefinition = {
  source: 'a',
  target: 'b',
  mode: 'incremental',
  key: ['id'],
  cursor: 'at',
  fields: null,
  filter: [],
  deletes: 'keep',
};

describe('a stream is read anew', () => {
  const cases: [string, Partial<StreamDefinition>, boolean][] = [
    ['with another source', { source: 'c' }, true],
    ['with another mode', { mode: 'mirror' }, true],
    ['with another key', { key: ['id', 'line'] }, true],
    ['with another cursor', { cursor: 'id' }, true],
    ['with another filter', { filter: [{ field: 'x', op: 'is_null' }] }, true],
    ['under another name', { target: 'c' }, true],
    ['not with other fields', { fields: [{ from: 'id', to: 'id' }] }, false],
    ['not with other deletes', { deletes: 'delete' }, false],
    ['not when nothing changed', {}, false],
  ];
  for (const [name, change, isAnew] of cases) {
    test(name, () => {
      const after = { ...STREAM, ...change };
      assert.deepEqual(streamsToReadAnew([STREAM], [after], false), isAnew ? [after.target] : []);
    });
  }

  test('in another system, and when it was not there before', () => {
    assert.deepEqual(streamsToReadAnew([STREAM], [STREAM], true), ['b']);
    assert.deepEqual(streamsToReadAnew([], [STREAM], false), ['b']);
  });
});
