import assert from 'node:assert/strict';
import { oneIsEnough, sampled } from '../../../test/support/whole.ts';
import { after, before, test } from 'node:test';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared } from '../../../test/support/airbyte-manifest.ts';
import { onBothEngines, preparedPlace } from '../../../test/support/databases.ts';
import { type Service, startService } from '../../../test/support/service.ts';

const WHOLE = { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } };

onBothEngines('a secret that its system changes', (engine) => {
  let service: Service;
  let api: ApiServer;
  /** The only refresh token that is good. */
  let refresh = 'r-0';
  let given = 0;
  /** Is told when something is read, which is then not answered. */
  let hold: (() => void) | undefined;
  before(async () => {
    service = await startService(engine);
    api = await startApi(({ url, body, headers }, response) => {
      if (url.pathname !== '/token' && hold) return hold();
      if (url.pathname !== '/token') return sendJson(response, [{ id: 1 }], headers.authorization === `Bearer t-${given}` ? 200 : 401);
      if (new URLSearchParams(body).get('refresh_token') !== refresh) return sendJson(response, { error: 'invalid_grant' }, 400);
      refresh = `r-${++given}`;
      return sendJson(response, { access_token: `t-${given}`, refresh_token: refresh, expires_in: 3600 });
    });
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  test('is kept with the source, which stays the same source; what is saved meanwhile is not lost', async () => {
    const auth = { type: 'oauth2_refresh_token', token_url: `${api.url}/token`, client_id: 'me', refresh_token: 'r-0' };
    const config = { base_url: api.url, auth, streams: [{ name: 's', path: '/s', fields: [{ name: 'id', type: 'int64' }] }] };
    const made = await service.post('/api/v1/datasync/sources', { name: 'shop', type: 'http', config });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const path = `/api/v1/datasync/sources/${(made.body['data'] as { id: string }).id}`;
    for (let round = 1; round <= 3; round++) {
      const { body } = await service.call('POST', `${path}/check`);
      assert.equal((body['data'] as { ok: boolean }).ok, true, JSON.stringify(body));
      assert.equal(refresh, `r-${round}`);
    }
    const { body } = await service.get(path);
    const shown = body['data'] as { status: string; version?: number; config: { auth: { refresh_token: string } } };
    assert.equal(shown.status, 'ok', 'the check counts though the secret changed during it');
    assert.equal(shown.config.auth.refresh_token, '********');
    // What is sent back masked is the newest, not the one that was first saved.
    const changed = await service.call('PUT', path, { body: { config: shown.config } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const again = await service.call('POST', `${path}/check`);
    assert.equal((again.body['data'] as { ok: boolean }).ok, true, JSON.stringify(again.body));
    assert.equal(refresh, 'r-4');
  });

  test('is kept before anything is asked with what came with it: also when the service ends in between', oneIsEnough(engine), async () => {
    given = 0;
    refresh = 'r-0';
    const authenticator = {
      type: 'OAuthAuthenticator',
      token_refresh_endpoint: `${api.url}/token`,
      client_id: 'me',
      client_secret: 'mine',
      refresh_token_updater: { refresh_token_config_path: ['credentials', 'refresh_token'] },
    };
    const manifest = JSON.stringify({
      version: '6.0.0',
      type: 'DeclarativeSource',
      check: { type: 'CheckStream', stream_names: ['things'] },
      streams: [declared(api.url, { requester: { authenticator }, retriever: { record_selector: WHOLE } })],
    });
    const place = await preparedPlace(engine);
    let own = await startService(engine, { place });
    try {
      const config = { manifest, settings: { credentials: { refresh_token: 'r-0' } } };
      const made = await own.post('/api/v1/datasync/sources', { name: 'manifest', type: 'airbyte', config });
      assert.equal(made.status, 200, made.text);
      const path = `/api/v1/datasync/sources/${(made.body['data'] as { id: string }).id}`;
      assert.equal(made.body['data'].config.settings.credentials.refresh_token, '********');
      const rounds = sampled(1, 3);
      for (let round = 1; round <= rounds; round++) {
        // The token was given; before anything is read with it, all ends.
        const { promise, resolve } = Promise.withResolvers<void>();
        hold = resolve;
        const check = own.call('POST', `${path}/check`).catch(() => undefined);
        await promise;
        assert.equal(refresh, `r-${round}`);
        hold = undefined;
        await own.close();
        await check;
        own = await startService(engine, { place });
      }
      const { body } = await own.call('POST', `${path}/check`);
      assert.equal((body['data'] as { ok: boolean }).ok, true, JSON.stringify(body));
      assert.equal(refresh, `r-${rounds + 1}`);
    } finally {
      await own.close();
      await place.remove();
    }
  });
});
