import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mandatory, readArguments, wholeNumber } from './arguments.ts';
import { UsageError } from '../errors.ts';

const OPTIONS = { name: { type: 'string' }, force: { type: 'boolean' } } as const;

function refused(work: () => unknown, message: string): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof UsageError);
    assert.equal(error.message, message);
    assert.equal(error.exitCode, 2);
    return true;
  });
}

describe('reading arguments', () => {
  test('options and named arguments, in any order', () => {
    const { values, positionals } = readArguments(['--force', 'a.backup', '--name=x'], OPTIONS, ['file']);
    assert.deepEqual({ ...values }, { force: true, name: 'x' });
    assert.deepEqual(positionals, ['a.backup']);
  });

  test('what is wrong is named', () => {
    refused(() => readArguments(['--forse'], OPTIONS), "Unknown option '--forse'.");
    refused(() => readArguments(['--name'], OPTIONS), "Option '--name <value>' argument missing.");
    refused(() => readArguments(['--name', '--force'], OPTIONS), '--name needs a value. Write --name=<value> when it begins with a dash.');
    refused(() => readArguments(['--force=yes'], OPTIONS), "Option '--force' does not take an argument.");
    refused(() => readArguments([], OPTIONS, ['file']), 'The file is missing.');
    refused(() => readArguments(['a', 'b'], OPTIONS, ['file']), '"b" is one argument too many.');
    refused(() => readArguments(['a'], OPTIONS), '"a" is one argument too many.');
  });

  test('a mandatory option must be there and say something', () => {
    assert.equal(mandatory('name', 'x'), 'x');
    refused(() => mandatory('name', undefined), '--name is missing.');
    refused(() => mandatory('name', ' '), '--name is missing.');
  });

  test('a number is whole and within its bounds', () => {
    assert.equal(wholeNumber('orders', '1', 1, 1000), 1);
    assert.equal(wholeNumber('orders', '1000', 1, 1000), 1000);
    for (const text of ['0', '1001', '1.5', '-1', '1e2', '', ' 1', 'ten', '9'.repeat(30)]) {
      refused(() => wholeNumber('orders', text, 1, 1000), `--orders must be a whole number from 1 to 1,000, not "${text}".`);
    }
  });
});
