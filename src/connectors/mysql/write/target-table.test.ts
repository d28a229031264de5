import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutsideError } from '../../../outside/errors.ts';
import { exactCollation } from './column-definition.ts';

test('a server that has no exact comparison of texts is refused in words', () => {
  for (const version of ['8.0.12', '8.0.16-debug', '5.7.44-log'])
    assert.throws(
      () => exactCollation({ isMariaDb: false, version }),
      (error) => error instanceof OutsideError && error.code === 'VERSION_TOO_OLD' && error.message.includes(version),
    );
  for (const version of ['8.0.17', '8.0.46-0ubuntu0.22.04.5', '8.4.3', '9.7.4'])
    assert.match(exactCollation({ isMariaDb: false, version }), /utf8mb4_0900_bin/);
  assert.match(exactCollation({ isMariaDb: true, version: '10.6.18-MariaDB' }), /utf8mb4_nopad_bin/);
});
