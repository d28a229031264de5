import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { buildApp } from '../../src/app.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { createClient } from '../../src/cli/service/client.ts';
import { CliError } from '../../src/cli/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import { createPlace, onEitherEngine } from '../support/databases.ts';
import { gather, HALF_A_HELLO, hangs } from '../support/hostile-clients.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Service, startService } from '../support/service.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY, EXPIRED_CERTIFICATE, EXPIRED_KEY } from '../support/tls-certificates.ts';
import { until } from '../support/until.ts';

/** A folder with a certificate as Kubernetes and certbot leave it: links to what is in use at the moment. */
function createFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-tls-'));
  let version = 0;
  const files = { SYNCLINE_TLS_CERT: join(folder, 'now/cert.pem'), SYNCLINE_TLS_KEY: join(folder, 'now/key.pem') };
  const put = (cert: string, key: string): void => {
    const name = `v${version++}`;
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'cert.pem'), cert);
    writeFileSync(join(folder, name, 'key.pem'), key);
    symlinkSync(name, join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'now'));
  };
  return { files, put, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: string;
}

function ask(url: string, path: string, key: string, options: object = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { ca: AUTHORITY, agent: false, headers: { authorization: `Bearer ${key}` }, ...options });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      text(incoming).then((body) => resolve({ status: incoming.statusCode, headers: incoming.headers, body }), reject);
    });
    outgoing.end();
  });
}

/** The number of the certificate that new connections get. */
function shownAt(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connectTls({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

onEitherEngine('TLS without a proxy', (engine) => {
  const { files, put, remove } = createFiles();
  let service: Service;
  before(async () => {
    put(CERTIFICATE, CERTIFICATE_KEY);
    service = await startService(engine, { environment: files, timeouts: { headers: 1_000 } });
  });
  after(async () => {
    await service.close();
    remove();
  });

  test('answers over https, and tells browsers to stay with it', async () => {
    assert.match(service.url, /^https:/);
    const { status, headers, body } = await ask(service.url, '/api/v1/orders', service.adminKey);
    assert.equal(status, 200, body);
    assert.match(String(headers['strict-transport-security']), /^max-age=\d+$/);
  });

  test('tells how long the certificate is good', async () => {
    const { body } = await ask(service.url, '/api/v1/datasync/metrics', service.adminKey, {
      headers: { accept: 'text/plain', authorization: `Bearer ${service.adminKey}` },
    });
    assert.match(body, /^syncline_tls_certificate_days_left \d{3,}/m);
  });

  test('speaks nothing older than TLS 1.2', async () => {
    await assert.rejects(ask(service.url, '/healthz', '', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }), /protocol|version|EPROTO/i);
    assert.equal((await ask(service.url, '/healthz', '', { maxVersion: 'TLSv1.2' })).status, 200);
  });

  test('does not answer to plain HTTP', async () => {
    const reply = await rawRequest(service.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').catch(() => undefined);
    assert.ok(reply === undefined || Number.isNaN(reply.status));
  });

  test('a client that shakes hands and says nothing is cut off without a word', async () => {
    const { port, hostname } = new URL(service.url);
    const silent = connectTls({ port: Number(port), host: hostname, rejectUnauthorized: false });
    let heard = '';
    silent.on('data', (chunk: Buffer) => (heard += chunk));
    await once(silent, 'secureConnect');
    await once(silent, 'close');
    assert.equal(heard, '');
  });

  test('the command line finds it by the same settings, and talks to no other', async () => {
    const environment = { PORT: new URL(service.url).port, SYNCLINE_KEY: service.adminKey };
    const list = (more: Record<string, string>) =>
      createClient(readConfig({ ...environment, ...more })).call<{ success: boolean }>('GET', '/api/v1/orders');
    assert.equal((await list(files)).success, true);

    const fails = (settings: Record<string, string>, message: RegExp) =>
      assert.rejects(list(settings), (error: Error) => {
        assert.ok(error instanceof CliError);
        assert.match(error.message, message);
        return true;
      });
    const others = createFiles();
    others.put(EXPIRED_CERTIFICATE, EXPIRED_KEY);
    await fails(
      others.files,
      /cannot be reached at https:.*\(it shows another certificate than the one in .*cert\.pem\)\.\nIf it is the service/,
    );
    others.put('broken', EXPIRED_KEY);
    await fails(others.files, /^SYNCLINE_TLS_CERT: .*cert\.pem holds no certificate in PEM.*it goes on with the one before/s);
    others.remove();
    const SYNCLINE_URL = `https://127.0.0.1:${environment.PORT}`;
    await fails(
      { SYNCLINE_URL },
      /\nSomething listens there, but its certificate is not trusted\..*SYNCLINE_TLS_CERT.*NODE_EXTRA_CA_CERTS/,
    );
    await fails({}, /cannot be reached at http:.*\n.* If it speaks https, set SYNCLINE_TLS_CERT/);
  });

  test('handshakes that hang hold up nobody and are cut off', async () => {
    const horde = gather(Number(new URL(service.url).port), 100, hangs(HALF_A_HELLO), { comeBack: false });
    await horde.gathered;
    for (let n = 0; n < 10; n++) assert.equal((await ask(service.url, '/api/v1/orders', service.adminKey)).status, 200);
    await until('all are cut off', () => horde.cutOff === 100);
    const { body } = await ask(service.url, '/api/v1/datasync/metrics', service.adminKey, {
      headers: { accept: 'text/plain', authorization: `Bearer ${service.adminKey}` },
    });
    assert.match(body, /^syncline_http_clients_dropped_total\{reason="slow_handshake"\} 100$/m);
    assert.match(body, /^syncline_http_connections 1$/m);
  });

  test('takes a new certificate without a restart, keeps the old one while the new one is wrong', async () => {
    const [good, other] = [await shownAt(service.url), '01'];
    assert.notEqual(good, other);
    put(EXPIRED_CERTIFICATE, CERTIFICATE_KEY);
    put(EXPIRED_CERTIFICATE, EXPIRED_KEY);
    await until('the other one is shown', async () => (await shownAt(service.url)) === other);
    put('', '');
    put(CERTIFICATE, CERTIFICATE_KEY);
    await until('the first one is shown again', async () => (await shownAt(service.url)) === good);
  });
});

describe('a certificate that cannot be used', () => {
  const { files, put, remove } = createFiles();
  after(remove);

  const startWith = async (environment: Record<string, string>): Promise<void> => {
    const place = await createPlace('sqlite');
    try {
      const config = readConfig({ PORT: '0', SYNCLINE_DATA_DIR: place.dataDir, ...environment });
      await (await buildApp({ config, log: createLog('silent') })).close();
    } finally {
      await place.remove();
    }
  };

  test('is told before anything is started', async () => {
    await assert.rejects(startWith(files), /SYNCLINE_TLS_CERT: .*cert\.pem cannot be read: there is no such file\./);
    put('nothing', CERTIFICATE_KEY);
    await assert.rejects(startWith(files), /SYNCLINE_TLS_CERT: .*cert\.pem holds no certificate in PEM/);
    put(CERTIFICATE, 'nothing');
    await assert.rejects(startWith(files), /SYNCLINE_TLS_KEY: .*key\.pem holds no private key in PEM/);
    put(CERTIFICATE, EXPIRED_KEY);
    await assert.rejects(startWith(files), /does not belong to the first certificate/);
    put(EXPIRED_CERTIFICATE, EXPIRED_KEY);
    await startWith(files);
  });

  test('one setting without the other is a fault', async () => {
    const { SYNCLINE_TLS_CERT } = files;
    await assert.rejects(
      startWith({ SYNCLINE_TLS_CERT }),
      (error) => error instanceof ConfigError && /belong together: set both/.test(error.message),
    );
  });

  test('a key is not told to others by the way that it is wrong', async () => {
    put(CERTIFICATE, CERTIFICATE_KEY.replaceAll('G', 'g'));
    await assert.rejects(
      startWith(files),
      (error: Error) => !error.message.includes(readFileSync(files.SYNCLINE_TLS_KEY, 'utf8').slice(40, 80)),
    );
  });
});
