import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { settingsOf } from '../../../test/support/command-line.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { freePort } from '../../../test/support/postgres-server.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { readConfig } from '../../config.ts';
import { createClient } from './client.ts';
import { CliError } from '../errors.ts';

onBothEngines("the command line's client", (engine) => {
  let service: Service;
  let place: Record<string, string>;

  before(async () => {
    service = await startService(engine);
    place = settingsOf(service.place);
  });
  after(() => service.close());

  async function call(settings: Record<string, string>, method = 'GET', path = '/api/v1/keys', body?: object): Promise<{ total: number }> {
    return createClient(readConfig({ ...place, ...settings })).call(method, path, body);
  }

  async function fails(settings: Record<string, string>, message: RegExp, ...request: [method?: string, path?: string, body?: object]) {
    await assert.rejects(call(settings, ...request), (error) => {
      assert.ok(error instanceof CliError, String(error));
      assert.equal(error.exitCode, 1);
      assert.match(error.message, message);
      return true;
    });
  }

  test('finds the service by SYNCLINE_URL, else by HOST and PORT', async () => {
    const { port } = new URL(service.url);
    for (const settings of [
      { SYNCLINE_URL: `${service.url}/` },
      { PORT: port },
      { HOST: '0.0.0.0', PORT: port },
      { HOST: 'localhost', PORT: port },
    ]) {
      assert.equal((await call(settings)).total, 1);
    }
  });

  test('takes the key from SYNCLINE_KEY, else from SYNCLINE_ADMIN_KEY, else from the data directory', async () => {
    const SYNCLINE_URL = service.url;
    const elsewhere = join(service.place.dataDir, 'elsewhere');
    assert.ok(
      await call({ SYNCLINE_URL, SYNCLINE_DATA_DIR: elsewhere, SYNCLINE_KEY: service.adminKey, SYNCLINE_ADMIN_KEY: 'x'.repeat(24) }),
    );
    assert.ok(await call({ SYNCLINE_URL, SYNCLINE_DATA_DIR: elsewhere, SYNCLINE_ADMIN_KEY: service.adminKey }));
    assert.ok(await call({ SYNCLINE_URL }));
    await fails({ SYNCLINE_URL, SYNCLINE_DATA_DIR: elsewhere }, /elsewhere\/admin-key does not exist\.\nSet SYNCLINE_KEY/);
  });

  test('a key that does not do says where it was taken from', async () => {
    const SYNCLINE_URL = service.url;
    await fails({ SYNCLINE_URL, SYNCLINE_KEY: 'slk_wrong' }, /^The key in SYNCLINE_KEY is not valid here/);
    const limited = await service.keyWith('orders:read');
    await fails({ SYNCLINE_URL, SYNCLINE_KEY: limited }, /lacks the scope admin\. It was taken from SYNCLINE_KEY/);
  });

  test('a service that is not there, or not ours, is told with its address', async () => {
    const nobody = await freePort();
    await fails(
      { PORT: String(nobody) },
      new RegExp(`cannot be reached at http://127.0.0.1:${nobody} \\(ECONNREFUSED\\)\\.\nStart it with \`npm start\`, or set SYNCLINE_URL`),
    );
    await fails({ PORT: '0' }, /PORT is 0.*SYNCLINE_URL/);
    const stranger = createServer((request, response) => {
      if (request.url?.startsWith('/moved')) response.writeHead(301, { location: 'https://elsewhere.example/' });
      response.end('<h1>It works!</h1>');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    await fails({ SYNCLINE_URL: url }, /answered 200, and not as Syncline does.*SYNCLINE_URL/);
    await fails({ SYNCLINE_URL: `${url}/moved` }, /sends on to https:\/\/elsewhere\.example\/\./);
    await fails({ SYNCLINE_URL: url.replace('http:', 'https:') }, /\(ERR_SSL_\w+\)\.\nSomething listens there, but not with https\./);
    stranger.close();
  });

  test('what the service refuses is told in its words, every fault of it', async () => {
    const SYNCLINE_URL = service.url;
    const create = (body: object) => ['POST', '/api/v1/keys', body] as const;
    await fails(
      { SYNCLINE_URL },
      /^Invalid request: expires_at must be in the future/,
      ...create({ name: 'x', scopes: ['admin'], expires_at: '2020-01-01' }),
    );
    await fails(
      { SYNCLINE_URL },
      /^The request is not right:\n {2}- scopes\[0\] .*\n {2}- scopes\[1\] /,
      ...create({ name: 'x', scopes: ['a', 'b'] }),
    );
    await fails({ SYNCLINE_URL }, /^There is no key key_nope\.$/, 'DELETE', '/api/v1/keys/key_nope');
  });
});
