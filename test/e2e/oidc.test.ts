import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { generateKeyPair, type JWTPayload } from 'jose';
import { readConfig } from '../../src/config.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { oneFault } from '../support/one-fault.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };

describe('tokens of an OIDC issuer', () => {
  let issuer: OidcIssuer;
  let service: Service;
  before(async () => {
    issuer = await startOidcIssuer();
    service = await startService('sqlite', { environment: { SYNCLINE_OIDC_ISSUER: issuer.url } });
  });
  after(async () => {
    await service.close();
    await issuer.stop();
  });

  const orders = async (key: string | Promise<string>): Promise<Reply> => service.get('/api/v1/orders', { key: await key });
  const assertRefused = async (key: string | Promise<string>, what: string): Promise<void> => {
    const { status, body, headers } = await orders(key);
    assert.equal(status, 401, what);
    assert.deepEqual(body.error.details, oneFault('Authorization', 'must carry a valid key'));
    assert.equal(headers.get('www-authenticate'), 'Bearer');
  };

  test('a good token is accepted, and the keys beside it', async () => {
    assert.equal((await orders(issuer.token())).status, 200);
    assert.equal((await orders(service.adminKey)).status, 200);
    assert.equal((await orders(service.keyWith('orders:read'))).status, 200);
  });

  test('scopes: as one text or as a list; unknown ones are for other services; none opens nothing', async () => {
    for (const scope of ['orders:read', 'openid orders:read profile', ['orders:read'], ['email', 'orders:read'], 'admin'])
      assert.equal((await orders(issuer.token({ scope }))).status, 200, JSON.stringify(scope));
    for (const scope of ['', [], 'orders', 'orders:write', ['products:read'], null, 7, { 'orders:read': true }]) {
      const { status, body } = await orders(issuer.token({ scope }));
      assert.equal(status, 403, JSON.stringify(scope));
      assert.equal(body.error.details.reason, 'missing scope orders:read');
    }
    assert.equal((await service.post('/api/v1/orders', order, { key: await issuer.token({ scope: 'orders:write' }) })).status, 200);
    assert.equal((await service.post('/api/v1/orders', order, { key: await issuer.token({ scope: 'orders:read' }) })).status, 403);
  });

  test('the audience and the issuer must be right', async () => {
    for (const aud of ['other', ['other'], '', undefined])
      await assertRefused(issuer.token({ aud: aud as string }), `aud ${JSON.stringify(aud)}`);
    assert.equal((await orders(issuer.token({ aud: ['other', 'syncline'] }))).status, 200);
    for (const iss of ['http://127.0.0.1:1', `${issuer.url}/`, '', undefined])
      await assertRefused(issuer.token({ iss: iss as string }), `iss ${iss}`);
  });

  test('the time must be right, and exp and sub be there', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    await assertRefused(issuer.token({ exp: seconds - 60 }), 'expired');
    await assertRefused(issuer.token({ nbf: seconds + 60 }), 'not yet valid');
    await assertRefused(issuer.token({ exp: undefined as unknown as number }), 'without exp');
    await assertRefused(issuer.token({ sub: undefined as unknown as string }), 'without sub');
  });

  test('the subject is text of 1 to 255 characters', async () => {
    for (const sub of [7, 0, true, null, '', [], ['somebody'], { name: 'somebody' }, 'x'.repeat(256), 'some\0body', 'some\ud800body'])
      await assertRefused(issuer.token({ sub: sub as string }), `sub ${JSON.stringify(sub)?.slice(0, 40)}`);
    for (const sub of ['7', 'x'.repeat(255), 'Jürgen Groß']) {
      const me = await service.get('/api/v1/me', { key: await issuer.token({ sub }) });
      assert.equal(me.body.data.id, `${issuer.url}|${sub}`);
    }
  });

  test('the signature must be of the issuer', async () => {
    const good = await issuer.token();
    const [header = '', payload = '', signature = ''] = good.split('.');
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());

    await assertRefused(`${part({ alg: 'none' })}.${payload}.`, 'alg none');
    await assertRefused(`${part({ alg: 'none', kid: issuer.key().kid })}.${payload}.${signature}`, 'alg none with a signature');
    await assertRefused(`${header}.${part({ ...claims, scope: 'admin' })}.${signature}`, 'changed claims');
    await assertRefused(`${header}.${payload}.`, 'no signature');
    await assertRefused(`${header}.${payload}.${signature.slice(0, -4)}AAAA`, 'changed signature');
    const { privateKey } = await generateKeyPair('ES256');
    await assertRefused(issuer.token({}, {}, privateKey), 'signed by another issuer in its name');
    for (const secret of [issuer.key().pem, JSON.stringify(issuer.key().jwk)])
      await assertRefused(issuer.token({}, { alg: 'HS256' }, Buffer.from(secret)), 'HS256 with the public key as secret');
    for (const nonsense of ['a.b.c', '..', 'e30.e30.e30', `${good}.x`, `${good}x`, 'not-a-token']) await assertRefused(nonsense, nonsense);
    assert.equal((await orders(good)).status, 200);
  });

  test('what is bound to the caller is bound to the subject, and the audit trail names it', async () => {
    const headers = { 'idempotency-key': 'same' };
    const post = async (sub: string) =>
      service.post('/api/v1/orders', order, { key: await issuer.token({ sub, scope: 'orders:write' }), headers });
    const first = await post('ann');
    assert.equal((await post('ann')).text, first.text);
    assert.notEqual((await post('bob')).body.data.id, first.body.data.id);
    const admin = await issuer.token({ sub: 'boss', scope: 'admin' });
    const made = await service.post('/api/v1/keys', { name: 'n', scopes: ['webhooks'] }, { key: admin });
    const { body } = await service.get(`/api/v1/audit?object_id=${made.body.data.id}`);
    assert.equal(body.data[0].actor, `${issuer.url}|boss`);
  });

  test('an unknown key id is refused; when the issuer has new keys, they are fetched', async (t) => {
    await assertRefused(issuer.token({}, { kid: 'nobody' }), 'unknown kid');
    const before = issuer.asked();
    const { kid } = await issuer.rotate('RS256');
    // It was asked a moment ago, and a stranger's token must not make us ask at every request.
    await assertRefused(issuer.token({ jti: '1' }), 'at once');
    assert.equal(issuer.asked(), before);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31_000 });
    assert.equal((await orders(issuer.token({ jti: '2' }))).status, 200);
    assert.equal(issuer.asked(), before + 1);
    assert.equal(issuer.key().kid, kid);
    t.mock.timers.reset();
  });

  test('what was fetched goes on working while the issuer is down', async () => {
    await issuer.stop();
    assert.equal((await orders(issuer.token({ jti: '3' }))).status, 200);
    await issuer.start();
  });
});

describe('an OIDC issuer that cannot be asked', () => {
  const assertUnavailable = ({ status, body, headers }: Reply, what: string): void => {
    assert.equal(status, 503, what);
    assert.equal(body.error.code, 'UNAVAILABLE');
    assert.equal(headers.get('retry-after'), '1');
    assert.match(body.error.message, new RegExp(`Request id: ${headers.get('x-request-id')}`));
  };

  test('is 503, not 401 and not 500; keys work on; when it is back, so are its tokens', async (t) => {
    const issuer = await startOidcIssuer();
    await issuer.stop();
    const service = await startService('sqlite', { environment: { SYNCLINE_OIDC_ISSUER: issuer.url } });
    t.after(async () => {
      await service.close();
      await issuer.stop();
    });
    const ask = async () => service.get('/api/v1/orders', { key: await issuer.token() });
    assertUnavailable(await ask(), 'down');
    assert.equal((await service.get('/api/v1/orders')).status, 200);
    assert.equal((await service.get('/api/v1/orders', { key: 'not-a-token' })).status, 401);
    await issuer.start();
    for (const answer of [
      { status: 500, body: 'oops' },
      { status: 200, body: 'no json' },
      { status: 200, body: '{}' },
      { status: 404, body: '{"keys":[]}' },
    ]) {
      issuer.answerKeysWith(answer);
      assertUnavailable(await ask(), JSON.stringify(answer));
    }
    issuer.answerKeysWith(undefined);
    assert.equal((await ask()).status, 200);
  });
});

describe('the settings of an OIDC issuer', () => {
  test('another audience and another claim for the scopes', async (t) => {
    const issuer = await startOidcIssuer();
    const service = await startService('sqlite', {
      environment: {
        SYNCLINE_OIDC_ISSUER: issuer.url,
        SYNCLINE_OIDC_AUDIENCE: 'https://shop.example',
        SYNCLINE_OIDC_SCOPE_CLAIM: 'permissions',
      },
    });
    t.after(async () => {
      await service.close();
      await issuer.stop();
    });
    const ask = async (claims: JWTPayload) => (await service.get('/api/v1/orders', { key: await issuer.token(claims) })).status;
    assert.equal(await ask({ aud: 'https://shop.example', permissions: ['orders:read'] }), 200);
    assert.equal(await ask({ aud: 'https://shop.example', permissions: 'products:read orders:read' }), 200);
    assert.equal(await ask({ aud: 'https://shop.example', scope: 'orders:read' }), 403);
    assert.equal(await ask({ aud: 'syncline', permissions: ['orders:read'] }), 401);
  });

  test('without an issuer no token is accepted', async (t) => {
    const issuer = await startOidcIssuer();
    const service = await startService('sqlite');
    t.after(async () => {
      await service.close();
      await issuer.stop();
    });
    assert.equal((await service.get('/api/v1/orders', { key: await issuer.token() })).status, 401);
    assert.equal(issuer.asked(), 0);
  });

  test('the issuer must be https, or on this machine', () => {
    for (const SYNCLINE_OIDC_ISSUER of ['http://issuer.example', 'issuer.example', 'ftp://issuer.example', 'http://127.0.0.1.example/'])
      assert.throws(() => readConfig({ SYNCLINE_OIDC_ISSUER }), /SYNCLINE_OIDC_ISSUER must be an https URL/);
    for (const SYNCLINE_OIDC_ISSUER of ['https://issuer.example/realms/x', 'http://127.0.0.1:9000', 'http://localhost/x'])
      assert.equal(readConfig({ SYNCLINE_OIDC_ISSUER }).oidc?.issuer, SYNCLINE_OIDC_ISSUER);
  });
});
