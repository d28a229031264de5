import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from '../../lib/schema.ts';
import { AddressWithSecretQuery, Secret } from '../../connectors/config-values.ts';
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
  url: Type.Optional(AddressWithSecretQuery({ title: 'U', description: 'An address.' })),
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
  test('in the query of an address: the rest is shown, the mask keeps it, another address gets it too, a new query replaces it', () => {
    const given = { host: 'h', url: 'https://files.example/a-{1..3}.csv?sig=s3cret&se=2027' };
    const split = splitSecrets(schema, given, () => ({}));
    assert.deepEqual(
      [split.shown, split.secrets],
      [{ host: 'h', url: `https://files.example/a-{1..3}.csv?${MASK}` }, { url: 'sig=s3cret&se=2027' }],
    );
    assert.deepEqual(joinSecrets(schema, split.shown, split.secrets), given);
    const moved = splitSecrets(schema, { host: 'h', url: `https://files.example/b.csv?${MASK}` }, () => split.secrets);
    assert.deepEqual(moved.secrets, { url: 'sig=s3cret&se=2027' });
    const renewed = splitSecrets(schema, { host: 'h', url: 'https://files.example/b.csv?sig=new' }, () => split.secrets);
    assert.deepEqual(renewed.secrets, { url: 'sig=new' });
    const without = splitSecrets(schema, { host: 'h', url: 'https://files.example/b.csv' }, () => split.secrets);
    assert.deepEqual([without.shown, without.secrets], [{ host: 'h', url: 'https://files.example/b.csv' }, {}]);
    // As an earlier version stored it.
    assert.deepEqual(joinSecrets(schema, given, {}), given);
  });
  test('an empty secret is no secret, and what is none is left alone', () => {
    const { shown: open, secrets: none } = splitSecrets(schema, { host: MASK, password: '' }, () => ({}));
    assert.deepEqual(open, { host: MASK, password: '' });
    assert.deepEqual(none, {});
  });
});

describe('secrets in a free-form object', () => {
  const free = Type.Object({
    text: Type.Optional(Type.String()),
    settings: Type.Unsafe<object>({ type: 'object', 'x-secrets-by': { member: 'text', mark: 'hidden', within: 'form' } }),
  });
  const text = 'spec:\n  form:\n    properties:\n      key:\n        hidden: true\n      tokens:\n        hidden: true\n';
  const settings = { key: 'k1', start: '2024', inner: { key: 'k2', list: [{ key: 'k3' }] }, tokens: ['t1', 't2'], count: 5 };

  test('are those that the text beside it marks, wherever they are', () => {
    const { shown, secrets } = splitSecrets(free, { text, settings }, () => ({}));
    assert.deepEqual((shown as { settings: object }).settings, {
      key: MASK,
      start: '2024',
      inner: { key: MASK, list: [{ key: MASK }] },
      tokens: [MASK, MASK],
      count: 5,
    });
    assert.deepEqual(joinSecrets(free, shown, secrets), { text, settings });
    const again = splitSecrets(free, shown, () => secrets);
    assert.deepEqual([again.secrets, again.faults], [secrets, []]);
  });

  test('are all texts where nothing tells', () => {
    const { shown, secrets } = splitSecrets(free, { settings }, () => ({}));
    assert.deepEqual((shown as { settings: { start: string; count: number } }).settings.start, MASK);
    assert.deepEqual(joinSecrets(free, shown, secrets), { settings });
  });
});
