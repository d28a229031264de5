import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from '../../lib/schema.ts';
import { configFrom } from './source-config.ts';

const schema = Type.Object({
  host: Type.String(),
  port: Type.Integer(),
  ssl: Type.Boolean(),
  auth: Type.OneOf([Type.Object({ type: Type.Literal('bearer'), token: Type.String() })]),
  schemas: Type.Array(Type.String()),
});

describe('the configuration of a source on the command line', () => {
  test('values are read as the schema wants them', () => {
    const settings = ['host=5432', 'port=5432', 'ssl=true', 'auth.type=bearer', 'auth.token=123', 'schemas=["a"]'];
    assert.deepEqual(configFrom('{"host":"x"}', settings, schema), {
      host: '5432',
      port: 5432,
      ssl: true,
      auth: { type: 'bearer', token: '123' },
      schemas: ['a'],
    });
  });
  test('a value may hold an equals sign; what cannot be read is left for the service to refuse', () => {
    assert.deepEqual(configFrom('{}', ['host=a=b', 'port=many'], schema), { host: 'a=b', port: 'many' });
  });
  test('what is no setting or no object is refused, without repeating what may be a secret', () => {
    assert.throws(() => configFrom('{}', ['host'], schema), /name=value/);
    assert.throws(
      () => configFrom('{"password": hunter2}', [], schema),
      (error: Error) => !error.message.includes('hunter2'),
    );
    assert.throws(() => configFrom('[]', [], schema), /JSON object/);
    assert.throws(
      () => configFrom('{"host":"a","password":"hunter2","password":"hunter2"}', [], schema),
      (error: Error) => error.message.includes('password more than once') && !error.message.includes('hunter2'),
    );
  });
});
