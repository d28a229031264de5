import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { kindOfSecret, newSigningSecret, publicKeyOf, signatureHeaders, type SigningSecret } from './signature.ts';

const ID = 'evt_01kfa0v2m3f8rb4v3k7m2t9xqe';
const now = (): number => Math.floor(Date.now() / 1000);

function signing(secret: string, expiresAt: string | null = null): SigningSecret {
  return { id: 'sec_1', secret, expiresAt };
}

/** As the specification has it: 32 bytes in base64 behind `whpk_`, over `id.timestamp.body`. */
function isVerified(publicKey: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  const bytes = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') } });
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((one) => one.startsWith('v1a,'))
    .some((one) => verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
}

test('the library of Standard Webhooks verifies what we sign, whatever the body', () => {
  const secret = newSigningSecret('symmetric');
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (data) => {
      const body = JSON.stringify({ type: 'order.created', timestamp: '2026-11-01T09:30:00.000Z', data });
      const headers = signatureHeaders({ secrets: [signing(secret)] }, ID, now(), body);
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
      assert.throws(() => new Webhook(newSigningSecret('symmetric')).verify(body, headers));
      assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
    }),
  );
});

test('others sign the same message alike', () => {
  // What the libraries of Standard Webhooks and the server of Svix test themselves with.
  const signed = (secret: string): string =>
    signatureHeaders({ secrets: [signing(secret)] }, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')[
      'webhook-signature'
    ];
  assert.equal(signed('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  const secret = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
  assert.equal(signed(secret), 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==');
  assert.equal(publicKeyOf(secret), 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=');
});

test('ed25519: the public key verifies, and a second key does not', () => {
  const [one, two] = [newSigningSecret('ed25519'), newSigningSecret('ed25519')];
  assert.deepEqual([kindOfSecret(one), kindOfSecret(newSigningSecret('symmetric'))], ['ed25519', 'symmetric']);
  const publicKey = publicKeyOf(one) ?? '';
  assert.equal(Buffer.from(publicKey.slice('whpk_'.length), 'base64').length, 32);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (body) => {
      const headers = signatureHeaders({ secrets: [signing(one)] }, ID, now(), body);
      assert.ok(isVerified(publicKey, headers, body));
      assert.ok(!isVerified(publicKeyOf(two) ?? '', headers, body));
      assert.ok(!isVerified(publicKey, headers, `${body}.`));
    }),
  );
});

test('while secrets change, each of them signs; one that is over does not', () => {
  const [old, current, asymmetric] = [newSigningSecret('symmetric'), newSigningSecret('symmetric'), newSigningSecret('ed25519')];
  const at = now();
  const until = (seconds: number): string => new Date((at + seconds) * 1000).toISOString();
  const body = '{"type":"order.created"}';
  const during = signatureHeaders({ secrets: [signing(old, until(1)), signing(current), signing(asymmetric)] }, ID, at, body);
  assert.match(during['webhook-signature'], /^v1,\S+ v1,\S+ v1a,\S+$/);
  for (const secret of [old, current]) assert.deepEqual(new Webhook(secret).verify(body, during), JSON.parse(body));
  assert.ok(isVerified(publicKeyOf(asymmetric) ?? '', during, body));
  const after = signatureHeaders({ secrets: [signing(old, until(0)), signing(current)] }, ID, at, body);
  assert.deepEqual(new Webhook(current).verify(body, after), JSON.parse(body));
  assert.throws(() => new Webhook(old).verify(body, after));
});
