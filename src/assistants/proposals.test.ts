import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeyText, parseKeyring } from '../lib/secrets.ts';
import { createProposals } from './proposals.ts';

const FACTS = { key: 'key_1', tool: 'pause', input: { a: 1, b: [{ c: 2, d: 3 }] }, state: { version: 1 } };
const MINUTE = 60_000;

test('a digest confirms what it was made of, on any node that has the key, and nothing else', () => {
  const text = newKeyText();
  const clock = (): number => 1_000_000_000_000;
  const make = (keys: string) => createProposals({ keyring: parseKeyring(keys), clock });
  const { digest } = make(text).make(FACTS);
  make(text).redeem(digest, { ...FACTS, input: { b: [{ d: 3, c: 2 }], a: 1 } });
  // While keys are changed, both hold.
  make(`${newKeyText()},${text}`).redeem(digest, FACTS);
  for (const other of [
    { ...FACTS, key: 'key_2' },
    { ...FACTS, tool: 'resume' },
    { ...FACTS, input: { ...FACTS.input, a: 2 } },
    { ...FACTS, state: { version: 2 } },
  ]) {
    assert.throws(() => make(text).redeem(digest, other), /no longer true/);
  }
  assert.throws(() => make(newKeyText()).redeem(digest, FACTS), /no longer true/);
});

test('a digest works once, and for ten minutes', () => {
  let now = 1_000_000_000_000;
  const proposals = createProposals({ keyring: parseKeyring(newKeyText()), clock: () => now });
  const first = proposals.make(FACTS);
  assert.equal(first.expires_at, new Date(now + 10 * MINUTE).toISOString());
  now += 10 * MINUTE;
  proposals.redeem(first.digest, FACTS);
  assert.throws(() => proposals.redeem(first.digest, FACTS), /carried out already/);
  now += 1;
  assert.throws(() => proposals.redeem(first.digest, FACTS), /too old/);
  for (const nonsense of ['', '.', 'a.b', `zzzzzzzzzz.${'a'.repeat(22)}`]) {
    assert.throws(() => proposals.redeem(nonsense, FACTS), /too old, or it is none|no longer true/);
  }
});
