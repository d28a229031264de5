import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OutsideError } from '../../outside/errors.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared, discoverStreams, openStreams, readManifestStream } from '../../../test/support/airbyte-manifest.ts';
import { connector } from './connector.ts';
import { manifest as own } from './manifest.ts';

let api: ApiServer;

before(async () => {
  api = await startApi(({ url }, response) => {
    if (url.pathname === '/tables') return sendJson(response, { data: [{ name: 'red' }, { name: 'blue' }] });
    return sendJson(response, { data: [{ id: url.pathname.length }] });
  });
});
after(() => api.close());

test('streams that depend on the settings, and streams that the settings or the API make', async () => {
  const conditional = { type: 'ConditionalStreams', condition: '{{ config.more }}', streams: [declared(api.url, { name: 'extra' })] };
  const template = declared(api.url, { name: 'template', path: '/template' });
  const mapping = (field_path: string[], value: string): object => ({ type: 'ComponentMappingDefinition', field_path, value });
  const dynamic = (components_resolver: object): object => ({
    type: 'DynamicDeclarativeStream',
    stream_template: template,
    components_resolver,
  });
  const fromSettings = dynamic({
    type: 'ConfigComponentsResolver',
    stream_config: { type: 'StreamConfig', configs_pointer: ['tables'] },
    components_mapping: [
      mapping(['name'], '{{ components_values.name }}'),
      mapping(['retriever', 'requester', 'path'], '/own/{{ components_values.name }}'),
    ],
  });
  const fromApi = dynamic({
    type: 'HttpComponentsResolver',
    retriever: {
      type: 'SimpleRetriever',
      requester: { type: 'HttpRequester', url_base: api.url, path: 'tables' },
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
    },
    components_mapping: [
      mapping(['name'], '{{ components_values.name }}'),
      mapping(['retriever', 'requester', 'path'], '/{{ components_values.name }}'),
    ],
  });
  const names = async (settings: Record<string, unknown>): Promise<string[]> => {
    const manifest = openStreams([declared(api.url), conditional], { settings, more: { dynamic_streams: [fromSettings, fromApi] } });
    const streams = await discoverStreams(manifest);
    assert.deepEqual((await readManifestStream(manifest, 'blue')).records, [{ id: '5' }]);
    manifest.close();
    return streams.map(({ name }) => name);
  };
  assert.deepEqual(await names({ more: false, tables: [{ name: 'mine' }] }), ['things', 'mine', 'red', 'blue']);
  assert.deepEqual(await names({ more: true, tables: [] }), ['things', 'extra', 'red', 'blue']);
});

test('settings: defaults of the form are filled in, and what does not fit it is refused', async () => {
  const connection_specification = {
    type: 'object',
    required: ['shop'],
    properties: { shop: { type: 'string' }, size: { type: 'integer', default: 3 } },
  };
  const open = (settings: Record<string, unknown>) =>
    openStreams([declared(api.url, { path: '/{{ config.shop }}/{{ config.size }}' })], {
      settings,
      more: { spec: { type: 'Spec', connection_specification } },
    });
  const manifest = open({ shop: 'n' });
  api.received.length = 0;
  await readManifestStream(manifest, 'things');
  assert.equal(api.received[0]?.url.pathname, '/n/3');
  manifest.close();
  assert.throws(
    () => open({}),
    (error: OutsideError) => error.kind === 'config' && error.code === 'SETTINGS_INVALID' && /shop/.test(error.message),
  );
  assert.throws(
    () => open({ shop: 'n', size: 'large' }),
    (error: OutsideError) => error.code === 'SETTINGS_INVALID' && /size/.test(error.message),
  );
});

test('a manifest in a file, and faults that are told where they are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-manifest-'));
  const text = JSON.stringify({ version: '6.0.0', check: { type: 'CheckStream', stream_names: ['things'] }, streams: [declared(api.url)] });
  writeFileSync(join(folder, 'shop.yaml'), text);
  const context = {
    reach: reachOf('any'),
    roots: rootsOf({ folders: [folder], dataDir: join(folder, 'own') }),
    signal: new AbortController().signal,
  };
  const session = await connector.open({ path: 'shop.yaml', settings: {} }, context);
  assert.deepEqual(
    (await session.discover()).map(({ name }) => name),
    ['things'],
  );
  assert.match((await session.check()).message, /tried: things/);
  await session.close();
  const outside = await connector.open({ path: '/etc/passwd', settings: {} }, context);
  await assert.rejects(outside.discover(), (error: OutsideError) => error.kind === 'config' && error.field === 'path');
  await outside.close();
  const broken = await connector.open({ manifest: 'streams: [', settings: {} }, context);
  await assert.rejects(broken.discover(), (error: OutsideError) => error.kind === 'config' && /line 1/.test(error.message));
  await broken.close();
  const faults = (config: object): string[] => (own.validate?.(config as never) ?? []).map(({ field }) => field);
  assert.deepEqual(
    [faults({ settings: {} }), faults({ manifest: 'x', path: 'y', settings: {} }), faults({ path: 'y', settings: {} })],
    [['manifest'], ['manifest'], []],
  );
  rmSync(folder, { recursive: true, force: true });
});
