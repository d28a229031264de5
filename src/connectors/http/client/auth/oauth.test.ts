import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { sendJson } from '../../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../../test/support/http-connector.ts';
import { useApis } from '../../../../../test/support/served-apis.ts';
import { validate } from '../../config/validate.ts';

const { serve } = useApis();

const streams = [{ name: 's', path: '/s', fields: [{ name: 'id', type: 'int64' }] }];
const request = { stream: 's', fields: ['id'] };

/** A token server whose refresh tokens are good once, and an API that takes the last token alone. */
async function rotating() {
  const state = { refresh: 'r-0', given: 0, revoked: 0 };
  const tokens = await serve(({ body }, response) => {
    const form = new URLSearchParams(body);
    if (form.get('grant_type') !== 'refresh_token' || form.get('client_id') !== 'me')
      return sendJson(response, { error: 'invalid_client' }, 401);
    if (form.get('refresh_token') !== state.refresh)
      return sendJson(response, { error: 'invalid_grant', error_description: `${form.get('refresh_token')} was used` }, 400);
    state.refresh = `r-${++state.given}`;
    return sendJson(response, { access_token: `t-${state.given}`, refresh_token: state.refresh, expires_in: 3600 });
  });
  const api = await serve(({ headers }, response) => {
    const isGood = headers.authorization === `Bearer t-${state.given}` && state.given > state.revoked;
    return sendJson(response, isGood ? [{ id: 1 }] : { message: 'expired' }, isGood ? 200 : 401);
  });
  const auth = { type: 'oauth2_refresh_token', token_url: `${tokens.url}/token`, client_id: 'me', refresh_token: 'r-0' };
  return { state, api, tokens, auth };
}

describe('a refresh token', () => {
  test('that changes with each use: the new one is used from then on', async () => {
    const { state, api, auth } = await rotating();
    const session = await openHttp({ base_url: api.url, auth, streams });
    await Promise.all([1, 2, 3].map(() => readAll(session, request)));
    assert.equal(state.given, 1);
    state.revoked = 1;
    assert.equal((await readAll(session, request)).rows.length, 1);
    assert.deepEqual([state.given, state.refresh], [2, 'r-2']);
  });

  test('is kept where the configuration is, and one that another run was given meanwhile is taken from there', async () => {
    const { state, api, auth, tokens } = await rotating();
    let kept = 'r-0';
    const secrets = {
      current: async (place: string) => (assert.equal(place, 'auth.refresh_token'), kept),
      replace: async (_: string, old: string, by: string) => {
        if (kept === old) kept = by;
      },
    };
    await readAll(await openHttp({ base_url: api.url, auth, streams }, { secrets }), request);
    assert.deepEqual([kept, state.refresh], ['r-1', 'r-1']);
    await readAll(await openHttp({ base_url: api.url, auth, streams }, { secrets }), request);
    assert.equal(kept, 'r-2', 'though the configuration at hand still holds the first');
    // Another run is quicker: the token is used up between our look and our question.
    let looks = 0;
    const late = { ...secrets, current: async () => (looks++ === 0 ? 'r-1' : kept) };
    await readAll(await openHttp({ base_url: api.url, auth, streams }, { secrets: late }), request);
    assert.equal(kept, 'r-3');
    assert.equal(tokens.received.length, 4);
  });

  test('one that is over is an error of rights, in words and without it', async () => {
    const { api, auth } = await rotating();
    const failure = await failureOf(
      readAll(await openHttp({ base_url: api.url, auth: { ...auth, refresh_token: 'stolen' }, streams }), request),
    );
    assert.deepEqual([failure.kind, failure.code, failure.field], ['auth', 'TOKEN_REFUSED', 'auth.refresh_token']);
    assert.match(failure.message, /\*\*\* was used/);
    const stranger = await failureOf(readAll(await openHttp({ base_url: api.url, auth: { ...auth, client_id: 'you' }, streams }), request));
    assert.equal(stranger.field, 'auth.client_secret');
  });
});

describe('what we sign ourselves', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' });
  const keys = { RS256: rsa.privateKey, ES256: elliptic.privateKey };

  function claimsOf(token: string, key: KeyObject): Record<string, unknown> {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const isGood = verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    assert.ok(isGood, 'the signature is right');
    return {
      ...JSON.parse(Buffer.from(head, 'base64url').toString()),
      ...JSON.parse(Buffer.from(payload, 'base64url').toString()),
    } as Record<string, unknown>;
  }

  for (const algorithm of ['RS256', 'ES256'] as const)
    test(`${algorithm}: exchanged for a token, or sent as it is`, async () => {
      const claims: Record<string, unknown>[] = [];
      const tokens = await serve(({ body }, response) => {
        const form = new URLSearchParams(body);
        assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
        claims.push(claimsOf(form.get('assertion') ?? '', keys[algorithm]));
        return sendJson(response, { access_token: 'good', expires_in: 3600 });
      });
      const api = await serve(({ headers }, response) => {
        const token = (headers.authorization ?? '').replace('Bearer ', '');
        if (token !== 'good') claims.push(claimsOf(token, keys[algorithm]));
        return sendJson(response, [{ id: 1 }]);
      });
      const auth = {
        type: 'oauth2_jwt_bearer',
        token_url: `${tokens.url}/token`,
        algorithm,
        private_key: pem(keys[algorithm]),
        key_id: 'k1',
        issuer: 'me@example.com',
        subject: 'ann',
        scope: 'read',
        claims: '{"tenant":"7"}',
      };
      await readAll(await openHttp({ base_url: api.url, auth, streams }), request);
      const { token_url: _, ...direct } = { ...auth, audience: 'shop' };
      await readAll(await openHttp({ base_url: api.url, auth: direct, streams }), request);
      const [exchanged, sent] = claims;
      assert.ok(exchanged && sent);
      const { iat, exp, jti, ...rest } = exchanged;
      assert.equal(Number(exp) - Number(iat), 300);
      assert.ok(Math.abs(Date.now() / 1000 - Number(iat)) < 60);
      assert.match(String(jti), /^[0-9a-f-]{36}$/);
      const expected = { alg: algorithm, typ: 'JWT', kid: 'k1', iss: 'me@example.com', sub: 'ann', scope: 'read', tenant: '7' };
      assert.deepEqual(rest, { ...expected, aud: `${tokens.url}/token` });
      assert.equal(sent['aud'], 'shop');
    });

  test('a key that does not fit is named at saving', () => {
    const auth = { type: 'oauth2_jwt_bearer', issuer: 'me', token_url: 'https://login.example/', private_key: pem(elliptic.privateKey) };
    const faults = (change: object) => validate({ base_url: 'http://a', auth: { ...auth, ...change }, streams } as never);
    assert.deepEqual(faults({}), [{ field: 'auth.private_key', reason: 'must be an RSA key for RS256' }]);
    assert.deepEqual(faults({ algorithm: 'ES256' }), []);
    assert.match(faults({ algorithm: 'ES384' })[0]?.reason ?? '', /secp384r1/);
    assert.match(faults({ private_key: 'nonsense' })[0]?.reason ?? '', /BEGIN PRIVATE KEY/);
    assert.deepEqual(faults({ algorithm: 'ES256', claims: '[]' }), [{ field: 'auth.claims', reason: 'must be a JSON object' }]);
  });

  test('a token server that refuses it is an error of rights', async () => {
    const tokens = await serve((_, response) =>
      sendJson(response, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, 400),
    );
    const auth = { type: 'oauth2_jwt_bearer', issuer: 'me', token_url: tokens.url, private_key: pem(rsa.privateKey) };
    const failure = await failureOf(readAll(await openHttp({ base_url: tokens.url, auth, streams }), request));
    assert.deepEqual([failure.kind, failure.code, failure.field], ['auth', 'TOKEN_REFUSED', 'auth.private_key']);
    assert.match(failure.message, /Invalid JWT Signature/);
  });
});
