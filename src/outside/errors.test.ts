import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkError } from './errors.ts';
import { fileError } from './file-errors.ts';
import { valueInWords } from '../connectors/value-in-words.ts';
import { sqliteError } from '../connectors/sqlite/database/errors.ts';

const CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH'];

test('whatever the network says, it is told what to do about it', () => {
  for (const code of CODES) {
    const error = networkError(Object.assign(new Error('x'), { code }), 'db.example', 5432);
    assert.ok((error?.hint ?? '').length > 20, code);
  }
  const lost = networkError(Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'db.example', 5432);
  assert.deepEqual([lost?.kind, lost?.code], ['transient', 'CONNECTION_LOST']);
});

test('a disk that is full, read-only or broken is told with what to do', () => {
  for (const code of ['ENOENT', 'EACCES', 'ENOSPC', 'EROFS'])
    assert.ok(fileError(Object.assign(new Error('x'), { code }), 'a.csv').hint, code);
  const full = { code: 'ERR_SQLITE_ERROR', errcode: 13, errstr: 'database or disk is full' };
  const broken = { code: 'ERR_SQLITE_ERROR', errcode: 10, errstr: 'disk I/O error' };
  for (const given of [full, broken]) {
    const error = sqliteError(Object.assign(new Error('x'), given), 'a.db');
    assert.equal(error.kind, 'transient');
    assert.ok(error.hint, error.code);
  }
});

test('a value is shown so that it is recognised, on one line and cut', () => {
  assert.equal(valueInWords('a "b"\nc'), '"a \\"b\\"\\nc"');
  assert.equal(valueInWords({ a: 1 }), '{"a":1}');
  assert.equal(valueInWords('x'.repeat(101)), `"${'x'.repeat(100)}…"`);
  assert.equal(valueInWords(undefined), 'nothing');
});
