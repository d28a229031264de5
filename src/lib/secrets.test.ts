import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keyIdOf, newKeyText, parseKeyring, SecretError } from './secrets.ts';

describe('secrets', () => {
  const ring = parseKeyring(`new:${newKeyText()}`);

  test('any text comes back, and is not to be seen in what is stored', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
        const sealed = ring.encrypt(text, place);
        assert.equal(ring.decrypt(sealed, place), text);
        if (text.length > 3) assert.ok(!sealed.includes(text));
      }),
    );
  });
  test('a secret that was moved or changed does not open', () => {
    const sealed = ring.encrypt('hunter2', 'src_1');
    assert.throws(() => ring.decrypt(sealed, 'src_2'), SecretError);
    for (let at = 'v1.new.'.length; at < sealed.length - 1; at += 7) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      assert.throws(() => ring.decrypt(changed, 'src_1'), SecretError);
    }
  });
  test('the same text is never encrypted the same way twice', () => {
    assert.notEqual(ring.encrypt('a', 'x'), ring.encrypt('a', 'x'));
  });
  test('keys can be changed: the first encrypts, all decrypt', () => {
    const [old, young] = [newKeyText(), newKeyText()];
    const before = parseKeyring(old);
    const sealed = before.encrypt('hunter2', 'src_1');
    const after = parseKeyring(`${young},${old}`);
    assert.equal(after.decrypt(sealed, 'src_1'), 'hunter2');
    assert.notEqual(keyIdOf(after.encrypt('x', 'y')), keyIdOf(sealed));
    assert.throws(() => parseKeyring(young).decrypt(sealed, 'src_1'), new RegExp(`"${before.current}"`));
  });
  test('keys may be hexadecimal, on lines, with and without ids; what is no key is refused and not repeated', () => {
    assert.equal(parseKeyring(`\nA:${randomBytes(32).toString('hex')}\n B:${newKeyText()}\n`).current, 'A');
    for (const text of ['', 'short', `a:${newKeyText()},a:${newKeyText()}`, `sp ace:${newKeyText()}`]) {
      assert.throws(
        () => parseKeyring(text),
        (error) => error instanceof SecretError && (text.length < 6 || !error.message.includes(text)),
      );
    }
  });
});
