import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ApiServer, type Handler, startApi } from '../../../test/support/api-server.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from '../../../test/support/tls-certificates.ts';
import { OutsideError } from '../errors.ts';
import { reachOf } from '../reach.ts';
import { readText } from './body.ts';
import { createHttpClient } from './client.ts';
import { explainWith } from './words.ts';
import { follow } from './redirects.ts';

const servers: ApiServer[] = [];
const client = createHttpClient({
  reach: reachOf('any'),
  tls: { verify: true, ca: AUTHORITY },
  keepsConnections: true,
  unpacks: true,
  bounds: { timeout: 5000, bytesPerSecond: 256, pace: 'so far' },
  explain: explainWith({
    who: 'The server',
    address: 'url',
    addressInWords: 'the address',
    authority: 'ca',
    slowHint: '',
    large: { field: 'url', hint: '' },
  }),
});
after(async () => {
  client.close();
  await Promise.all(servers.map((server) => server.close()));
});

async function serve(handler: Handler, tls?: { key: string; cert: string }): Promise<ApiServer> {
  const server = await startApi(handler, tls);
  servers.push(server);
  return server;
}

/** Asks with a key that is for the first place alone; answers the text, or the code of the failure. */
async function ask(address: string, method = 'GET'): Promise<string> {
  const url = new URL(address);
  const signal = new AbortController().signal;
  try {
    const answer = await follow({
      method,
      url,
      home: url.origin,
      send: (to, isHome) => client.send({ method, url: to, headers: isHome ? { authorization: 'key' } : {} }, signal),
      refused: (why) => new OutsideError('config', why, ''),
    });
    return await readText(answer, 1000);
  } catch (error) {
    assert.ok(error instanceof OutsideError, String(error));
    return error.code;
  }
}

const leadsTo =
  (location: string, status = 302): Handler =>
  (_, response) =>
    void response.writeHead(status, { location }).end('Look elsewhere.');

test('what is private goes home only: not to another port, name or scheme, and again when it leads back', async () => {
  const keys: [string, string | undefined][] = [];
  const tell =
    (name: string, then: Handler): Handler =>
    (request, response) => {
      keys.push([name, request.headers.authorization]);
      return then(request, response);
    };
  let home = '';
  const other = await serve(tell('other', (request, response) => leadsTo(`${home}/back`)(request, response)));
  const first = await serve(
    tell('home', (request, response) => {
      if (request.url.pathname === '/back') return void response.end('found');
      return leadsTo(request.url.pathname === '/start' ? '/next' : `http://user:word@127.0.0.1:${other.port}/#x`)(request, response);
    }),
  );
  home = first.url;
  assert.equal(await ask(`${first.url}/start`), 'found');
  assert.deepEqual(keys, [
    ['home', 'key'],
    ['home', 'key'],
    ['other', undefined],
    ['home', 'key'],
  ]);
  keys.length = 0;
  assert.equal(await ask(`http://localhost:${first.port}/start`), 'found');
  assert.deepEqual(keys.at(-1), ['home', undefined], 'another name is another place');
});

test('circles end after five', async () => {
  const circle = await serve(({ url }, response) => leadsTo(`/${Number(url.pathname.slice(1)) + 1}`)({ url } as never, response));
  assert.equal(await ask(`${circle.url}/0`), 'endless');
  assert.equal(circle.received.length, 6);
  const self = await serve(leadsTo(''));
  assert.equal(await ask(self.url), 'endless');
});

test('nothing but web addresses, and never out of safety', async () => {
  for (const location of ['file:///etc/passwd', 'gopher://x/', 'javascript:0', 'data:,x', 'http://', 'http://[::1'])
    assert.equal(await ask((await serve(leadsTo(location))).url), 'no web address', location);
  const open = await serve((_, response) => void response.end('open'));
  const secure = await serve(leadsTo(open.url), { key: CERTIFICATE_KEY, cert: CERTIFICATE });
  assert.equal(await ask(secure.url), 'unsafe');
  assert.equal(open.received.length, 0);
});

test('every place is judged by its address', async () => {
  const places = ['http://169.254.169.254/latest/meta-data', '//169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://2852039166/'];
  for (const place of places) assert.equal(await ask((await serve(leadsTo(place))).url), 'ADDRESS_REFUSED', place);
});

test('only reading is sent on; more only within its origin and where the server says to send the same again', async () => {
  const target = await serve(({ method }, response) => void response.end(method));
  for (const method of ['GET', 'HEAD'])
    for (const status of [301, 302, 303, 307, 308])
      assert.equal(await ask((await serve(leadsTo(target.url, status))).url, method), method === 'GET' ? 'GET' : '', `${method} ${status}`);
  for (const status of [301, 302, 303, 307, 308])
    assert.equal(await ask((await serve(leadsTo(target.url, status))).url, 'POST'), 'not reading', String(status));
  const within = await serve(({ url, method }, response) =>
    url.pathname === '/there' ? void response.end(method) : leadsTo('/there', Number(url.pathname.slice(1)))({} as never, response),
  );
  assert.equal(await ask(`${within.url}/302`, 'POST'), 'not reading');
  assert.equal(await ask(`${within.url}/307`, 'POST'), 'POST');
});

test('a redirect that leads nowhere is an answer', async () => {
  const server = await serve((_, response) => void response.writeHead(302).end('Look elsewhere.'));
  assert.equal(await ask(server.url), 'Look elsewhere.');
  assert.equal(await ask((await serve(leadsTo('/there', 300))).url), 'Look elsewhere.');
});
