import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duckdbError } from './errors.ts';

test('damage is told from what only went wrong', () => {
  const told = (message: string): string[] => {
    const { kind, code } = duckdbError(new Error(message), 'a.duckdb');
    return [kind, code];
  };
  assert.deepEqual(told('INTERNAL Error: Bitpacking offset is out of range at block "1" - corrupt database file\n\nStack Trace:'), [
    'config',
    'CORRUPT',
  ]);
  assert.deepEqual(told('Catalog Error: Failure while replaying WAL file "a.duckdb.wal": Table with name "t" already exists!'), [
    'config',
    'CORRUPT',
  ]);
  assert.deepEqual(told('INTERNAL Error: Attempted to dereference unique_ptr that is NULL!\n\nStack Trace:'), [
    'transient',
    'DUCKDB_FAILED',
  ]);
  assert.deepEqual(told('FATAL Error: database has been invalidated because of a previous fatal error.'), ['transient', 'DUCKDB_FAILED']);
  assert.deepEqual(told('Catalog Error: Table with name t does not exist!'), ['config', 'SQL_REFUSED']);
});

test('the statement and the stack behind a message are not shown', () => {
  const { message } = duckdbError(new Error('INTERNAL Error: corrupt database file\n\nStack Trace:\n/lib/libduckdb.so'), 'a.duckdb');
  assert.equal(message, '"a.duckdb" is damaged: corrupt database file');
});
