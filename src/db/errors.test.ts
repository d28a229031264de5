import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../lib/errors.ts';
import { asUnavailable } from './errors.ts';

function fault(code: string): Error {
  return Object.assign(new Error('as the database tells it'), { code });
}

test('what may be otherwise in a moment is told as unavailable', () => {
  // The connection is lost, the server stops, a lock or a statement took too long, or this node slept in a transaction.
  for (const code of ['08006', '57P01', '57014', '55P03', '25P03', 'ECONNREFUSED', 'ETIMEDOUT']) {
    const told = asUnavailable(fault(code));
    assert.ok(told instanceof AppError && told.code === 'UNAVAILABLE', code);
  }
});

test('any other error stays what it is', () => {
  for (const error of [fault('23505'), fault('42703'), new Error('a fault of ours'), new AppError('CONFLICT', 'No.'), 'text'])
    assert.equal(asUnavailable(error), error);
});
