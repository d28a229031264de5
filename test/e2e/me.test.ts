import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES } from '../../src/http/scopes.ts';
import { onBothEngines } from '../support/databases.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import { type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/me';

onBothEngines('whose key this is', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  test('no key 401; a parameter 400', async () => {
    assert.equal((await service.get(PATH, { key: null })).status, 401);
    const { status, body } = await service.get(`${PATH}?x=1`);
    assert.deepEqual([status, body.error.details.field], [400, 'x']);
  });

  test('a key of any scope learns its name, its scopes and when it ends', async () => {
    const expires_at = '2099-01-31T00:00:00.000Z';
    for (const scope of SCOPES) {
      const made = (await service.post('/api/v1/keys', { name: `for ${scope}`, scopes: [scope], expires_at })).body.data;
      const { status, body } = await service.get(PATH, { key: made.key });
      assert.equal(status, 200);
      assert.deepEqual(body, { success: true, data: { id: made.id, name: `for ${scope}`, scopes: [scope], expires_at } });
    }
  });

  test('the key of the first start is an admin key without an end', async () => {
    assert.partialDeepStrictEqual((await service.get(PATH)).body.data, { scopes: ['admin'], expires_at: null });
  });
});

test('the operator’s own key and a token are called what they are', async (t) => {
  const issuer = await startOidcIssuer();
  const key = 'an-operators-key-of-enough-characters';
  const service = await startService('sqlite', { environment: { SYNCLINE_ADMIN_KEY: key, SYNCLINE_OIDC_ISSUER: issuer.url } });
  t.after(async () => {
    await service.close();
    await issuer.stop();
  });
  assert.deepEqual((await service.get(PATH)).body.data, { id: 'operator', name: 'operator', scopes: [...SCOPES], expires_at: null });
  const token = await issuer.token({ sub: 'ada', scope: 'orders:read' });
  assert.deepEqual((await service.get(PATH, { key: token })).body.data, {
    id: `${issuer.url}|ada`,
    name: `${issuer.url}|ada`,
    scopes: ['orders:read'],
    expires_at: null,
  });
});
