import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keptHeaders } from './kept-headers.ts';
import { SCHEMES, schemeOf, senderIdOf } from './schemes.ts';
import type { SentCall } from './signatures.ts';
import { isToken, newToken } from './token.ts';

const NOW = Date.parse('2026-11-16T12:00:00.000Z');
const SECONDS = String(NOW / 1000);

function sent(body: string | Buffer, headers: Record<string, string>, now = NOW): SentCall {
  return { body: Buffer.from(body), headers, now };
}

describe('signatures as senders make them', () => {
  test('Standard Webhooks, by the example of its libraries', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    const call = sent('{"test": 2432232314}', headers, 1614265330_000);
    const { check } = schemeOf('standard');
    assert.equal(await check(call, secrets, null), undefined);
    assert.equal(await check(call, ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], null), undefined, 'without the prefix');
    assert.equal(senderIdOf('standard', call), 'msg_p5jXN8AQM9LWM0D4loKWxJek');
    const older = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'svix'), value]));
    assert.equal(await check({ ...call, headers: older }, secrets, null), undefined);
    const several = { ...headers, 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` };
    assert.equal(await check({ ...call, headers: several }, ['whsec_AAAAAAAAAAAAAAAAAAAAAA==', ...secrets], null), undefined);
    assert.equal(await check({ ...call, now: call.now + 5 * 60_000 }, secrets, null), undefined);
    assert.equal(await check({ ...call, now: call.now + 5 * 60_000 + 1 }, secrets, null), 'timestamp');
    assert.equal(await check({ ...call, now: call.now - 5 * 60_000 - 1 }, secrets, null), 'timestamp');
    assert.equal(await check({ ...call, headers: { ...headers, 'webhook-timestamp': '1614265330.0' } }, secrets, null), 'malformed');
    assert.equal(await check(call, [], null), 'wrong');
  });

  test('Standard Webhooks: an id by which other parts would have the same signature is none', async () => {
    const key = Buffer.alloc(24, 7);
    const { check } = schemeOf('standard');
    const signed = (id: string, body: string) => {
      const signature = createHmac('sha256', key).update(`${id}.${SECONDS}.${body}`).digest('base64');
      return sent(body, { 'webhook-id': id, 'webhook-timestamp': SECONDS, 'webhook-signature': `v1,${signature}` });
    };
    const secrets = [key.toString('base64')];
    const whole = signed('m', `${SECONDS}.{}`);
    assert.equal(await check(whole, secrets, null), undefined);
    const parted = sent('{}', { ...(whole.headers as Record<string, string>), 'webhook-id': `m.${SECONDS}` });
    assert.equal(await check(parted, secrets, null), 'malformed');
    assert.equal(await check(signed('m'.repeat(255), '{}'), secrets, null), undefined);
    assert.equal(await check(signed('m'.repeat(256), '{}'), secrets, null), 'malformed');
  });

  test('many signatures of a large body are not looked at, and a few do not hold the thread', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const secrets = [`whpk_${publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`];
    const body = Buffer.alloc(10 * 1024 * 1024, 'x');
    const right = `v1a,${sign(null, Buffer.concat([Buffer.from(`m.${SECONDS}.`), body]), privateKey).toString('base64')}`;
    const forged = `v1a,${Buffer.alloc(64, 1).toString('base64')}`;
    const call = (...signatures: string[]) =>
      sent(body, { 'webhook-id': 'm', 'webhook-timestamp': SECONDS, 'webhook-signature': signatures.join(' ') });
    const { check } = schemeOf('standard');
    const before = process.cpuUsage();
    assert.equal(await check(call(...Array.from({ length: 150 }, () => forged)), secrets, null), 'malformed');
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `${user + system} µs`);
    for (const kind of ['v1,', 'v2,', 'nonsense']) {
      const others = Array.from({ length: 10 }, () => `${kind}AAAA`);
      assert.equal(await check(call(right, ...others), secrets, null), 'malformed', kind);
      assert.equal(await check(call(right, ...others.slice(1)), secrets, null), undefined, kind);
    }
    assert.equal(await check(call(forged, forged, forged, right), secrets, null), 'malformed');
    // Others have their turn meanwhile.
    let turns = 0;
    const other = setInterval(() => turns++, 1);
    const judged = await Promise.all(Array.from({ length: 6 }, async () => check(call(forged, forged, right), secrets, null)));
    clearInterval(other);
    assert.deepEqual(
      judged,
      Array.from({ length: 6 }, () => undefined),
    );
    assert.ok(turns > 0);
    const stripe = `t=${SECONDS},${Array.from({ length: 10 }, () => 'v1=00').join(',')}`;
    assert.equal(await schemeOf('stripe').check(sent(body, { 'stripe-signature': stripe }), ['whsec_new'], null), 'malformed');
  });

  test('GitHub, by the example of its documentation', async () => {
    const call = sent('Hello, World!', {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    });
    const { check } = schemeOf('github');
    assert.equal(await check(call, ["It's a Secret to Everybody"], null), undefined);
    assert.equal(await check(call, ["It's no Secret to Everybody"], null), 'wrong');
    assert.equal(await check(sent('Hello, World', call.headers as Record<string, string>), ["It's a Secret to Everybody"], null), 'wrong');
    assert.equal(await check(sent('x', { 'x-hub-signature-256': 'sha1=00' }), ['x'], null), 'malformed');
    assert.equal(senderIdOf('github', call), '72d3162e-cc78-11e3-81ab-4c9367dc0958');
  });

  test('Shopify and WooCommerce: base64 of the bytes', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    const signature = createHmac('sha256', 'hush-hush').update(body).digest('base64');
    for (const [scheme, header] of [
      ['shopify', 'x-shopify-hmac-sha256'],
      ['woocommerce', 'x-wc-webhook-signature'],
    ] as const) {
      const { check } = schemeOf(scheme);
      assert.equal(await check(sent(body, { [header]: signature }), ['hush-hush'], null), undefined);
      assert.equal(await check(sent(body, { [header]: signature }), ['other', 'hush-hush'], null), undefined, 'of several secrets');
      assert.equal(await check(sent(body, { [header]: signature }), ['other'], null), 'wrong');
      assert.equal(await check(sent(body, { [header]: signature.slice(0, -4) }), ['hush-hush'], null), 'wrong');
      assert.equal(await check(sent(body, {}), ['hush-hush'], null), 'missing');
    }
    const ids = { 'x-shopify-webhook-id': 'w', 'x-shopify-event-id': 'e', 'x-shopify-topic': 'orders/create' };
    assert.equal(senderIdOf('shopify', sent('', ids)), 'w');
    const { 'x-shopify-webhook-id': _, ...event } = ids;
    assert.equal(senderIdOf('shopify', sent('', event)), 'orders/create:e');
    const { isPing } = schemeOf('woocommerce');
    assert.equal(isPing?.(sent('webhook_id=12', { 'content-type': 'application/x-www-form-urlencoded' })), true);
    assert.equal(isPing?.(sent('webhook_id=12&id=1', {})), false);
    assert.equal(isPing?.(sent('webhook_id=12', { 'x-wc-webhook-signature': 'x' })), false);
  });

  test('Stripe: the time and the body, with a signature for each secret', async () => {
    const body = '{"id": "evt_1NG8Du2eZvKYlo2CUI79vXWy", "object": "event"}';
    const signed = (secret: string, time = SECONDS): string => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    const { check } = schemeOf('stripe');
    const header = (value: string) => sent(body, { 'stripe-signature': value });
    assert.equal(
      await check(header(`t=${SECONDS},v1=${signed('whsec_old')},v1=${signed('whsec_new')},v0=ff`), ['whsec_new'], null),
      undefined,
    );
    assert.equal(await check(header(`t=${SECONDS},v1=${signed('whsec_other')}`), ['whsec_new'], null), 'wrong');
    assert.equal(await check(header(`t=${SECONDS},v0=${signed('whsec_new')}`), ['whsec_new'], null), 'malformed');
    const late = String(NOW / 1000 - 301);
    assert.equal(await check(header(`t=${late},v1=${signed('whsec_new', late)}`), ['whsec_new'], null), 'timestamp');
    assert.equal(senderIdOf('stripe', header('')), 'evt_1NG8Du2eZvKYlo2CUI79vXWy');
    for (const odd of ['[]', 'null', '{"id": 7}', 'no JSON']) assert.equal(senderIdOf('stripe', sent(odd, {})), null);
  });

  test('a shared secret is compared as a whole', async () => {
    const { check } = schemeOf('secret');
    assert.equal(await check(sent('', { 'x-hook-secret': 'a b c d e f' }), ['a b c d e f'], null), undefined);
    assert.equal(await check(sent('', { 'x-mine': 'a b c d e f' }), ['a b c d e f'], 'X-Mine'), undefined);
    for (const wrong of ['a b c d e', 'a b c d e f ', 'A b c d e f'])
      assert.equal(await check(sent('', { 'x-mine': wrong }), ['a b c d e f'], 'X-Mine'), 'wrong');
    assert.equal(await check(sent('', {}), ['a b c d e f'], null), 'missing');
  });

  test('whatever is sent, nothing but the right signature is taken, and nothing is thrown', async () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });
    const names = [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'x-shopify-hmac-sha256',
      'x-wc-webhook-signature',
      'stripe-signature',
      'x-hub-signature-256',
      'x-hook-secret',
    ];
    const value = fc.oneof(
      text,
      fc.constantFrom(SECONDS, `t=${SECONDS},v1=`, 'v1,', 'v1a,', 'sha256=', `t=${SECONDS},v1=00`, `v1a,${'A'.repeat(86)}==`),
    );
    const headers = fc.dictionary(fc.constantFrom(...names), value);
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whpk_${'A'.repeat(43)}=`, 'a secret of 32 characters or so'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SCHEMES), headers, fc.uint8Array(), async (scheme, given, body) => {
        const call = sent(Buffer.from(body), given);
        senderIdOf(scheme, call);
        const refused = await schemeOf(scheme).check(call, secrets, null);
        if (scheme !== 'token') assert.notEqual(refused, undefined);
      }),
      { numRuns: 2000 },
    );
  });
});

test('a token is told from what is none, and kept headers show no secret', () => {
  const token = newToken();
  assert.ok(isToken(token));
  for (const other of [token.slice(1), `${token}0`, token.replace(/.$/, (last) => (last === '0' ? '1' : '0')), '', 'slh_'])
    assert.equal(isToken(other), false, other);
  const headers = {
    host: 'h',
    'x-a': 'b',
    'x-mine': 's',
    authorization: 's',
    'x-hub-signature-256': 's',
    'x-csrf-token': 's',
    'set-cookie': ['s'],
    'x-auth': 's',
    'x-functions-key': 's',
    'idempotency-key': 'm',
    'x-original-uri': `/api/v1/hooks/${token}?x=1`,
    'x-forwarded-uri': `/api/v1/hooks/${token.replace('_', '%5F')}`,
    'x-twice': `/api/v1/hooks/%2573lh_${token.slice(4)}`,
    referer: ['https://h/', `https://h/api/v1/hooks/${token}`].join(),
    'x-half': '100 % of %zz',
    'x-says': 'Bearer abc',
  };
  assert.deepEqual(JSON.parse(keptHeaders(headers, 'X-Mine')), {
    'x-a': 'b',
    'x-mine': '********',
    authorization: '********',
    'x-hub-signature-256': '********',
    'x-csrf-token': '********',
    'set-cookie': '********',
    'x-auth': '********',
    'x-functions-key': '********',
    'idempotency-key': 'm',
    'x-original-uri': '********',
    'x-forwarded-uri': '********',
    'x-twice': '********',
    referer: '********',
    'x-half': '100 % of %zz',
    'x-says': '********',
  });
});
