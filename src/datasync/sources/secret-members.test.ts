import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from '../../lib/schema.ts';
import { Secret } from '../../connectors/config-values.ts';
import { joinSecrets, MASK, splitSecrets } from './secret-members.ts';

const secret = Secret({ title: 'S', description: 'A secret.' });
const schema = Type.Object({
  host: Type.String(),
  password: Type.Optional(secret),
  auth: Type.Optional(
    Type.OneOf([
      Type.Object({ type: Type.Literal('bearer'), token: secret }),
      Type.Object({ type: Type.Literal('basic'), user: Type.String(), password: secret }),
    ]),
  ),
  headers: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: secret }))),
  tokens: Type.Optional(Type.Array(secret)),
});

describe('secrets in a configuration', () => {
  const config = {
    host: 'h',
    password: 'p1',
    auth: { type: 'basic', user: 'u', password: 'p2' },
    headers: [
      { name: 'A', value: 'a' },
      { name: 'B', value: 'b' },
    ],
    tokens: ['t0', 't1'],
  };
  const { shown, secrets } = splitSecrets(schema, config, () => ({}));

  test('are taken out wherever the schema says, and put back', () => {
    assert.ok(!/p1|p2|"a"|"b"|t0|t1/.test(JSON.stringify(shown)), JSON.stringify(shown));
    assert.deepEqual(joinSecrets(schema, shown, secrets), config);
    assert.deepEqual(Object.keys(secrets), ['password', 'auth.password', 'headers[A].value', 'headers[B].value', 'tokens[0]', 'tokens[1]']);
  });
  test('stay with the name of their entry when a list is reordered', () => {
    const reordered = splitSecrets(schema, { host: 'h', headers: [{ name: 'B', value: MASK }] }, () => secrets);
    assert.deepEqual(reordered.secrets, { 'headers[B].value': 'b' });
    assert.deepEqual(reordered.faults, []);
  });
  test('that are masked and not known are faults with their place', () => {
    const { faults } = splitSecrets(schema, { host: 'h', auth: { type: 'bearer', token: MASK } }, () => secrets);
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['config.auth.token'],
    );
  });
  test('an empty secret is no secret, and what is none is left alone', () => {
    const { shown: open, secrets: none } = splitSecrets(schema, { host: MASK, password: '' }, () => ({}));
    assert.deepEqual(open, { host: MASK, password: '' });
    assert.deepEqual(none, {});
  });
});
