import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { declared } from '../../test/support/airbyte-manifest.ts';
import { type ApiServer, sendJson, startApi } from '../../test/support/api-server.ts';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline connectors', (engine) => {
  let service: Service;
  let api: ApiServer;
  let settings: Record<string, string>;
  let manifest: string;

  before(async () => {
    service = await startService(engine);
    api = await startApi(({ headers }, response) =>
      headers.authorization === 'Bearer hunter2'
        ? sendJson(response, { data: [{ id: 1, name: 'Ada' }, { id: 2 }] })
        : sendJson(response, { message: 'no such token' }, 401),
    );
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
    const requester = { authenticator: { type: 'BearerAuthenticator', api_token: '{{ config.token }}' } };
    const properties = { id: { type: 'integer' }, name: { type: 'string' } };
    const transformations = [{ type: 'CustomTransformation', class_name: 'source_x.components.Magic' }];
    manifest = written('manifest.json', [
      declared(api.url, { requester, properties }),
      declared(api.url, { name: 'special', requester, stream: { transformations } }),
    ]);
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  function written(name: string, streams: object[], spec = { token: { type: 'string', airbyte_secret: true, title: 'Token' } }): string {
    const file = join(service.place.dataDir, name);
    const form = { type: 'object', required: Object.keys(spec), properties: spec };
    const check = { type: 'CheckStream', stream_names: [] };
    writeFileSync(
      file,
      JSON.stringify({
        version: '6.0.0',
        type: 'DeclarativeSource',
        check,
        streams,
        spec: { type: 'Spec', connection_specification: form },
      }),
    );
    return file;
  }
  const connectors = (...args: string[]): Promise<Ended> => syncline(['connectors', ...args], settings);

  test('list shows all, and with words those that are meant', async () => {
    const all = await connectors('list');
    assert.match(all.stdout, /^CONNECTOR +TITLE +CATEGORY +CAN\n/);
    assert.match(
      all.stdout,
      /\npostgres +PostgreSQL +database +read, also what is new, write \(append, upsert, mirror\), be followed live, take/,
    );
    const some = JSON.parse((await connectors('list', 'database', 'live', '--json')).stdout) as { type: string }[];
    assert.ok(some.length > 0 && !some.some(({ type }) => type === 'airbyte'));
    const none = await connectors('list', 'cobol');
    assert.deepEqual([none.code, none.stderr], [0, 'No connector is found by "cobol". `syncline connectors list` shows all.\n']);
  });

  test('show tells what one can do and what it has to be told', async () => {
    const { code, stdout } = await connectors('show', 'postgres');
    assert.equal(code, 0);
    assert.match(stdout, /^PostgreSQL \(postgres\)\n/);
    assert.match(stdout, /\nhost +string +mandatory +Host\n/);
    assert.match(stdout, /\npassword +a secret +Password\n/);
    assert.equal((JSON.parse((await connectors('show', 'http', '--json')).stdout) as { type: string }).type, 'http');
    const { code: failed, stderr } = await connectors('show', 'oracle');
    assert.equal(failed, 1);
    assert.match(stderr, /There is no connector "oracle"\. There are .*postgres/);
  });

  test('try says what works, what does not, and what is to be told', async () => {
    const { code, stdout, stderr } = await connectors('try', manifest);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^Streams that can be read \(1\): things\nStreams that cannot be read \(1\):\n- special: It needs .*source_x\.components\.Magic\.\n/,
    );
    assert.match(stdout, /It wants these settings:\nMEMBER +TAKES +MEANS\ntoken +a secret +mandatory +Token\n/);
    assert.match(stderr, /--settings/);
  });

  test('try reads the first records with the settings', async () => {
    const { code, stdout, stderr } = await connectors('try', manifest, '--settings', '{"token": "hunter2"}');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /The first records of "things":\nid \(int64\) +name \(text\)\n1 +Ada\n2 +∅\n$/);
    const json = await connectors('try', manifest, '--settings', '{"token": "hunter2"}', '--stream', 'things', '--limit', '1', '--json');
    const told = JSON.parse(json.stdout) as { streams: string[]; unreadable: { needs: string[] }[]; sample: { rows: object[] } };
    assert.deepEqual([told.streams, told.unreadable[0]?.needs], [['things'], ['source_x.components.Magic']]);
    assert.deepEqual(told.sample.rows, [{ id: 1, name: 'Ada' }]);
    assert.equal((await service.get('/api/v1/datasync/sources')).body.total, 0, 'nothing is stored');
  });

  test('try tells in words what does not work, and its exit code says so', async () => {
    const wrong = await connectors('try', manifest, '--settings', '{"token": "wrong one"}');
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /This configuration cannot be used: Stream "things": .*no such token/);
    assert.ok(!(wrong.stderr + wrong.stdout).includes('wrong one'));
    const special = await connectors('try', manifest, '--settings', '{"token": "x"}', '--stream', 'special');
    assert.deepEqual(
      [special.code, /The stream "special" cannot be read\. It needs .*Magic/.test(special.stderr)],
      [1, true],
      special.stderr,
    );
    const nothing = await connectors('try', manifest, '--stream', 'nothing');
    assert.deepEqual([nothing.code, nothing.stderr], [1, 'The manifest has no stream "nothing". It has things.\n']);
    const transformations = [{ type: 'CustomTransformation', class_name: 'source_x.components.Magic' }];
    const none = await connectors(
      'try',
      written('custom.json', [declared(api.url, { stream: { transformations } })]),
      '--settings',
      '{"token": "x"}',
    );
    assert.deepEqual([none.code, none.stdout.startsWith('No stream of it can be read.\n')], [1, true]);
    const broken = join(service.place.dataDir, 'broken.yaml');
    writeFileSync(broken, 'streams: {');
    const { code, stderr } = await connectors('try', broken);
    assert.equal(code, 1);
    assert.match(stderr, /config\.manifest does not work: .*line 1/);
    assert.match((await connectors('try', '/no/such/file')).stderr, /The manifest cannot be read from \/no\/such\/file/);
    assert.equal((await connectors('try')).code, 2);
    assert.match((await connectors('try', '-', '--settings', '-')).stderr, /Standard input/);
  });
});
