import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ApiServer, type Handler, startApi } from '../../test/support/api-server.ts';
import { sayOften, startRawServer } from '../../test/support/raw-server.ts';
import { issuerClient } from './issuer.ts';

const servers: { close(): Promise<void> }[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

async function serve(handler: Handler): Promise<ApiServer> {
  const server = await startApi(handler);
  servers.push(server);
  return server;
}

const ask = issuerClient();
const leadsTo =
  (location: string): Handler =>
  (_, response) =>
    void response.writeHead(302, { location }).end('elsewhere');

test('the issuer is asked as JSON, and followed only where that is wanted', async () => {
  const issuer = await serve(({ headers, url }, response) =>
    url.pathname === '/there' ? void response.end(headers.accept) : leadsTo('/there')({} as never, response),
  );
  const url = new URL(issuer.url);
  assert.deepEqual(await ask(url, { follows: true }), { status: 200, text: 'application/json' });
  assert.deepEqual(await ask(url, { follows: true, headers: { accept: 'application/jwk-set+json' } }), {
    status: 200,
    text: 'application/jwk-set+json',
  });
  assert.deepEqual(await ask(url, { follows: false }), { status: 302, text: 'elsewhere' });
});

test('it leads neither to metadata addresses, nor in a circle, nor out of the web', async () => {
  const metadata = 'http://169.254.169.254/latest/meta-data';
  await assert.rejects(ask(new URL(metadata), { follows: false }), { code: 'ADDRESS_REFUSED' });
  await assert.rejects(ask(new URL((await serve(leadsTo(metadata))).url), { follows: true }), { code: 'ADDRESS_REFUSED' });
  await assert.rejects(ask(new URL((await serve(leadsTo('/'))).url), { follows: true }), { code: 'REDIRECT_REFUSED' });
  for (const url of ['data:application/json,{"keys":[]}', 'file:///etc/passwd'])
    await assert.rejects(ask(new URL(url), { follows: false }), /no web address/, url);
});

test('it is not waited for longer than five seconds, nor listened to without end', async () => {
  const flood = await serve((_, response) => void response.end(Buffer.alloc(5_000_000, ' ')));
  await assert.rejects(ask(new URL(flood.url), { follows: true }), { code: 'RESPONSE_TOO_LARGE' });
  const dripping = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
    sayOften(socket, () => ' ', 500);
  });
  servers.push(dripping);
  const started = performance.now();
  await assert.rejects(ask(new URL(dripping.url), { follows: true }), { message: /did not answer within 5 s|more than 5 s/ });
  assert.ok(performance.now() - started < 7000);
});
