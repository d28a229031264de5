// Manifests through the whole service: what they tell by themselves, and what of them is refused when it is saved.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { declared } from '../../../test/support/airbyte-manifest.ts';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../../../test/support/real-syncs.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';

const SOURCES = '/api/v1/datasync/sources';
const custom = { type: 'CustomTransformation', class_name: 'source_x.components.Magic' };

onBothEngines('manifests through the service', (engine) => {
  let service: Service;
  let api: ApiServer;
  before(async () => {
    service = await startService(engine);
    api = await startApi(({ headers }, response) =>
      headers.authorization === 'Bearer right' ? sendJson(response, { data: [{ id: 1 }, { id: 2 }] }) : sendJson(response, {}, 401),
    );
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  const manifestWith = (...streams: object[]): string =>
    JSON.stringify({
      version: '6.0.0',
      type: 'DeclarativeSource',
      check: { type: 'CheckStream', stream_names: ['things'] },
      streams,
      spec: {
        type: 'Spec',
        connection_specification: {
          type: 'object',
          required: ['token'],
          properties: { token: { type: 'string', airbyte_secret: true, title: 'Token' } },
        },
      },
    });
  const requester = { authenticator: { type: 'BearerAuthenticator', api_token: '{{ config.token }}' } };
  const works = (): object => declared(api.url, { requester });
  const magic = (name: string): object => declared(api.url, { name, requester, stream: { transformations: [custom] } });
  const settings = { token: 'right' };

  test('no key 401, wrong scope 403, bad body 400 that names the field', async () => {
    const body = { type: 'airbyte', config: { manifest: manifestWith(works()), settings }, stream: 'things' };
    const { stream: _, ...unsaved } = body;
    for (const [path, given] of [
      ['outline', unsaved],
      ['sample', body],
    ] as const) {
      assert.equal((await service.post(`${SOURCES}/${path}`, given, { key: null })).status, 401);
      assert.equal((await service.post(`${SOURCES}/${path}`, given, { key: await service.keyWith('datasync:read') })).status, 403);
      const bad = await service.post(`${SOURCES}/${path}`, { ...given, config: {} });
      assert.deepEqual([bad.status, bad.body.error.details.field], [400, 'config.manifest'], bad.text);
    }
    const other = await service.post(`${SOURCES}/sample`, { type: 'hub', config: {}, stream: 'orders' });
    assert.deepEqual([other.status, other.body.error.code], [409, 'CONFLICT'], 'rows of the shop are not shown this way');
  });

  test('a manifest tells its form and its streams without being connected to, and its first records before it is saved', async () => {
    const config = { manifest: manifestWith(works(), magic('special')), settings: {} };
    const asked = api.received.length;
    const outline = await ask(service, 'POST', '/sources/outline', { type: 'airbyte', config });
    assert.equal(api.received.length, asked);
    assert.deepEqual(outline, {
      forms: [
        {
          member: 'settings',
          schema: {
            type: 'object',
            properties: { token: { type: 'string', title: 'Token', writeOnly: true, format: 'password' } },
            required: ['token'],
          },
        },
      ],
      streams: ['things'],
      is_partial: false,
      unreadable: [
        {
          name: 'special',
          needs: [custom.class_name],
          reason: `It needs custom code in Python, which Syncline does not run: ${custom.class_name}.`,
        },
      ],
    });
    assert.equal(await ask(service, 'POST', '/sources/outline', { type: 'hub', config: {} }), null);
    const body = { type: 'airbyte', config: { ...config, settings }, stream: 'things', limit: 1 };
    const sample = await ask(service, 'POST', '/sources/sample', body);
    assert.deepEqual(sample.rows, [{ id: 1 }]);
    await until('what was shown is in the audit', async () => {
      const { body: trail } = await service.get('/api/v1/audit?action=source.sampled');
      return (trail.data as { details: { stream?: string } }[]).some(({ details }) => details.stream === 'things');
    });
    const wrong = await service.post(`${SOURCES}/sample`, { ...body, config: { ...config, settings: { token: 'wrong' } } });
    assert.deepEqual([wrong.status, wrong.body.error.code], [409, 'CONFLICT'], wrong.text);
    assert.ok(!wrong.text.includes('wrong'));
    const gone = await service.post(`${SOURCES}/sample`, { ...body, stream: 'nothing' });
    assert.equal(gone.status, 404, gone.text);
  });

  test('one in which no stream works is refused, with its class; so is one that cannot be understood', async () => {
    const refused = async (manifest: string): Promise<string> => {
      const { status, body, text } = await service.post(SOURCES, { name: 'n', type: 'airbyte', config: { manifest, settings } });
      assert.deepEqual([status, body.error?.details.field], [400, 'config.manifest'], text);
      return body.error.message;
    };
    assert.match(await refused(manifestWith(magic('a'), magic('b'))), /no stream that can be read\. "a": it needs .*Magic; "b": .*Magic/);
    assert.match(await refused('streams: {'), /manifest/);
    const id = await addSource(service, 'airbyte', { manifest: manifestWith(works()), settings });
    const changed = await service.call('PUT', `${SOURCES}/${id}`, { body: { config: { manifest: manifestWith(magic('a')), settings } } });
    assert.equal(changed.status, 400, changed.text);
  });

  test('of one in which some work, the others are named when it is saved, checked, looked into and used', async () => {
    const config = { manifest: manifestWith(works(), magic('special')), settings };
    const saved = await ask(service, 'POST', '/sources', { name: 'some', type: 'airbyte', config });
    assert.deepEqual(saved.warnings, [
      `"special" cannot be read: it needs custom code in Python, which Syncline does not run: ${custom.class_name}.`,
    ]);
    const named = await ask(service, 'PUT', `/sources/${saved.id}`, { name: 'others', config });
    assert.deepEqual(named.warnings, saved.warnings);
    const { ok, warnings } = await ask(service, 'POST', `/sources/${saved.id}/check`);
    assert.deepEqual([ok, warnings.length], [true, 1]);
    assert.match(warnings[0], /special \(source_x\.components\.Magic\)/);
    const streams: { name: string; readable: boolean; note: string | null }[] = await ask(service, 'GET', `/sources/${saved.id}/streams`);
    assert.deepEqual(
      streams.map(({ name, readable }) => [name, readable]),
      [
        ['special', false],
        ['things', true],
      ],
    );
    assert.match(streams[0]?.note ?? '', /^It cannot be read: it needs .*Magic\.$/);
    const target = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'some.sqlite') });
    const definition = (...names: string[]) => ({
      name: names.join(),
      source_id: saved.id,
      target_id: target,
      streams: names.map((source) => ({ source, mode: 'mirror' })),
    });
    const refused = await service.post('/api/v1/datasync/sync', definition('things', 'special'));
    assert.deepEqual([refused.status, refused.body.error.details.field], [400, 'streams[1].source'], refused.text);
    assert.match(refused.body.error.message, /cannot be read: it needs custom code in Python.*source_x\.components\.Magic/);
    const sync = await ask(service, 'POST', '/sync', definition('things'));
    const run = await runToEnd(service, sync.id);
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error));
  });
});
