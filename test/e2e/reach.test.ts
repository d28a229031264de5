import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/datasync/sources/check';

/** A configuration of every connector that reaches a network, for this host. */
function networked(host: string): [type: string, config: object][] {
  const database = { host, port: 1, database: 'd', user: 'u', password: 'p' };
  const inUrl = host.includes(':') ? `[${host}]` : host;
  return [
    ['postgres', database],
    ['mysql', database],
    ['files', { url: `http://${inUrl}:1/a.csv` }],
    ['http', { base_url: `http://${inUrl}:1`, streams: [{ name: 's', path: '/s' }] }],
  ];
}

describe('what connectors may reach, for each of them', () => {
  const codeOf = async (service: Service, type: string, config: object): Promise<string> => {
    const reply = await service.post(PATH, { type, config });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.error?.code ?? 'OK';
  };

  describe('by default', () => {
    let service: Service;
    before(async () => {
      service = await startService('sqlite');
    });
    after(() => service.close());

    test('cloud metadata and link-local addresses are refused, however they are written', async () => {
      const addresses = ['169.254.169.254', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', 'fe80::1', '0.0.0.0', '2852039166', '0xa9fea9fe'];
      for (const address of addresses) {
        const reply = await service.post(PATH, {
          type: 'files',
          config: { url: `http://${address.includes(':') ? `[${address}]` : address}/a.csv` },
        });
        assert.equal(reply.body.data.error.field, 'config.url', 'a field that there is');
        for (const [type, config] of networked(address))
          assert.equal(await codeOf(service, type, config), 'ADDRESS_REFUSED', `${type} ${address}`);
      }
    });

    test('loopback is allowed: databases live there', async () => {
      for (const host of ['127.0.0.1', 'localhost']) {
        for (const [type, config] of networked(host)) assert.equal(await codeOf(service, type, config), 'PORT_CLOSED', `${type} ${host}`);
      }
    });

    test("files outside, links that lead out, and Syncline's own database and keys are refused", async () => {
      const { dataDir } = service.place;
      const files = join(dataDir, 'files');
      mkdirSync(files, { recursive: true });
      symlinkSync('/etc/passwd', join(files, 'passwd.csv'));
      symlinkSync(join(dataDir, 'syncline.db'), join(files, 'own.db'));
      writeFileSync(join(files, 'good.csv'), 'a\n1\n');
      const paths = ['/etc/passwd', '../../../../../../etc/passwd', 'passwd.csv', join(dataDir, 'admin-key'), join(dataDir, 'secret-key')];
      for (const path of paths) assert.equal(await codeOf(service, 'files', { path }), 'PATH_REFUSED', path);
      for (const path of ['/etc/passwd', join(dataDir, 'syncline.db'), join(dataDir, 'syncline.db-wal'), 'own.db'])
        assert.equal(await codeOf(service, 'sqlite', { path }), 'PATH_REFUSED', path);
      assert.equal(await codeOf(service, 'files', { path: 'good.csv' }), 'OK');
      const reply = await service.post(PATH, { type: 'files', config: { path: '/etc/passwd' } });
      assert.match(reply.body.data.error.hint, /SYNCLINE_FILE_ROOTS/);
    });
  });

  describe('with SYNCLINE_NETWORKS', () => {
    for (const [networks, host] of [
      ['public', '127.0.0.1'],
      ['public', 'localhost'],
      ['public', '::ffff:127.0.0.1'],
      ['10.0.0.0/8', '127.0.0.1'],
      ['10.0.0.0/8', '169.254.169.254'],
    ] as const) {
      test(`=${networks}, ${host} is refused`, async () => {
        const service = await startService('sqlite', { environment: { SYNCLINE_NETWORKS: networks } });
        try {
          for (const [type, config] of networked(host)) {
            const reply = await service.post(PATH, { type, config });
            assert.equal(reply.body.data.error?.code, 'ADDRESS_REFUSED', `${type}: ${reply.text}`);
          }
        } finally {
          await service.close();
        }
      });
    }

    test('that is no list of ranges, nothing starts', async () => {
      await assert.rejects(
        startService('sqlite', { environment: { SYNCLINE_NETWORKS: '10.0.0.0/99' } }),
        /SYNCLINE_NETWORKS.*10\.0\.0\.0\/99/,
      );
      await assert.rejects(startService('sqlite', { environment: { SYNCLINE_SECRET_KEY: 'short' } }), /SYNCLINE_SECRET_KEY/);
    });
  });
});
