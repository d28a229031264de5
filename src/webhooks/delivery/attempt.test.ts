// Every attempt, whether it is a delivery, a test or sent again, leaves by this one way.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { attempt, createDeliveryClient } from './attempt.ts';
import type { Outcome } from './parcel.ts';

// Both are this machine; only the first may be reached.
const [ALLOWED, FORBIDDEN] = ['127.0.0.2', '127.0.0.1'];
const NAME = 'changes.test';
const real = dns.lookup;
let answers: string[][] = [];
let port = 0;
let arrived: string[] = [];
let answer: (response: ServerResponse) => void;
const servers: Server[] = [];

before(async () => {
  // The name server of these tests: each look-up of the name takes the next answer, and the last one stays.
  const lookup = (name: string, options: dns.LookupAllOptions, done: (error: Error | null, found: dns.LookupAddress[]) => void): void => {
    if (name !== NAME) {
      real(name, options, done);
      return;
    }
    const found = ((answers.length > 1 ? answers.shift() : answers[0]) ?? []).map((address) => ({ address, family: 4 }));
    setImmediate(() => done(null, found));
  };
  dns.lookup = lookup as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  for (const address of [ALLOWED, FORBIDDEN]) {
    const server = createServer((request, response) => {
      arrived.push(address);
      request.resume().on('end', () => answer(response));
    });
    server.listen(port, address);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
});
beforeEach(() => {
  arrived = [];
  answer = (response) => void response.writeHead(200).end();
});
after(() => {
  dns.lookup = real;
  syncBuiltinESMExports();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const secrets = [{ id: 'sec_1', secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, expiresAt: null }];

async function sendTo(url: string, networks: string, timeout = 1_000): Promise<Outcome> {
  const client = createDeliveryClient(networks, timeout);
  try {
    const endpoint = { url, headers: {}, secrets, problem: null };
    const options = { now: Date.now, timeout, signal: new AbortController().signal };
    const outcome = await attempt(client, endpoint, { id: 'evt_1', body: '{"type":"a.b","timestamp":"","data":{}}' }, options);
    assert.ok(outcome);
    return outcome;
  } finally {
    client.close();
  }
}

const METADATA = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '100.100.100.200',
  '0.0.0.0',
  '0',
  '[::]',
];
const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '017700000001',
  'localhost',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fd12:3456::1]',
];

test('metadata and link-local addresses are refused, however they are written', async () => {
  for (const host of METADATA)
    for (const networks of ['any', 'public', '127.0.0.0/8']) {
      const { isDelivered, entry } = await sendTo(`http://${host}:${port}/`, networks);
      assert.ok(!isDelivered && entry.error?.includes('Syncline may not connect to'), `${host} under ${networks}: ${entry.error}`);
    }
  assert.deepEqual(arrived, []);
});

test('private addresses are refused where only public ones are allowed, however they are written', async () => {
  for (const host of PRIVATE) {
    const { isDelivered, entry } = await sendTo(`http://${host}:${port}/`, 'public');
    assert.ok(!isDelivered && /Syncline may not connect to .*SYNCLINE_NETWORKS=public/.test(entry.error ?? ''), `${host}: ${entry.error}`);
  }
  assert.deepEqual(arrived, []);
});

test('a name that leads elsewhere between looking and connecting arrives nowhere, nor one of whose addresses some are forbidden', async () => {
  for (const [found, isAllowed] of [
    [[[ALLOWED]], true],
    [[[FORBIDDEN]], false],
    [[[ALLOWED, FORBIDDEN]], false],
    [[[FORBIDDEN, ALLOWED]], false],
    [[[FORBIDDEN], [ALLOWED]], false],
    [[[ALLOWED], [FORBIDDEN]], true],
  ] as const) {
    answers = found.map((addresses) => [...addresses]);
    const { isDelivered } = await sendTo(`http://${NAME}:${port}/`, `${ALLOWED}/32`);
    assert.equal(isDelivered, isAllowed, JSON.stringify(found));
  }
  assert.ok(!arrived.includes(FORBIDDEN));
});

test('a connection that is kept leads where it was allowed to; a new one is judged anew', async () => {
  const client = createDeliveryClient(`${ALLOWED}/32`, 1_000);
  const endpoint = { url: `http://${NAME}:${port}/`, headers: {}, secrets, problem: null };
  const send = () => attempt(client, endpoint, { id: 'evt_1', body: '{}' }, { now: Date.now, signal: new AbortController().signal });
  answers = [[ALLOWED]];
  assert.equal((await send())?.isDelivered, true);
  answers = [[FORBIDDEN]];
  answer = (response) => void response.writeHead(200, { connection: 'close' }).end();
  assert.equal((await send())?.isDelivered, true, 'on the connection that there is');
  assert.match((await send())?.entry.error ?? '', /may not connect/);
  assert.deepEqual(arrived, [ALLOWED, ALLOWED]);
  client.close();
});

test('redirects are not followed, wherever they lead', async () => {
  for (const status of [301, 302, 303, 307, 308])
    for (const location of [`http://${FORBIDDEN}:${port}/`, 'http://169.254.169.254/latest', '/here', 'file:///etc/passwd', '//x']) {
      arrived = [];
      answer = (response) => void response.writeHead(status, { location }).end();
      const { isDelivered, entry } = await sendTo(`http://${ALLOWED}:${port}/`, `${ALLOWED}/32`);
      assert.ok(!isDelivered && entry.error?.includes(`redirects (${status})`), `${status} ${location}: ${entry.error}`);
      assert.deepEqual(arrived, [ALLOWED]);
    }
  answer = (response) => void response.writeHead(304).end();
  assert.equal((await sendTo(`http://${ALLOWED}:${port}/`, 'any')).entry.error, 'The receiver answered 304.', 'leads nowhere');
});

test('answers are bounded in time and size, and only their beginning is kept', async () => {
  answer = (response) => void response.writeHead(500).end(Buffer.alloc(5_000_000, 'x'));
  const large = await sendTo(`http://${ALLOWED}:${port}/`, 'any');
  assert.deepEqual([large.entry.response_status, large.entry.response_body?.length], [500, 1024]);
  answer = () => undefined;
  const mute = await sendTo(`http://${ALLOWED}:${port}/`, 'any', 100);
  assert.match(mute.entry.error ?? '', /did not answer within 0.1 s/);
  answer = (response) => {
    response.writeHead(200).flushHeaders();
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  };
  const dripping = await sendTo(`http://${ALLOWED}:${port}/`, 'any', 200);
  assert.ok(dripping.isDelivered && dripping.entry.duration_ms < 1_000, `${dripping.entry.duration_ms} ms`);
});

test('an answer says what is to be done', async () => {
  const answered = async (status: number, headers = {}): Promise<Outcome> => {
    answer = (response) => void response.writeHead(status, headers).end('why');
    return sendTo(`http://${ALLOWED}:${port}/`, 'any');
  };
  assert.ok((await answered(202)).isDelivered);
  const { isGone, isDelivered } = await answered(410);
  assert.deepEqual([isGone, isDelivered], [true, false]);
  const { retryAfter, holdsAll, entry } = await answered(429, { 'retry-after': '7' });
  assert.deepEqual([retryAfter, holdsAll, entry.response_body], [7_000, true, 'why']);
  assert.equal((await answered(500, { 'retry-after': '7' })).holdsAll, false);
});

test('endpoints at one place do not wait for each other, however many hang there; of what they leave, few connections are kept', async () => {
  const client = createDeliveryClient('any', 20_000);
  const ending = new AbortController();
  const hanging: ServerResponse[] = [];
  const send = (id: string): Promise<Outcome | undefined> =>
    attempt(
      client,
      { url: `http://${ALLOWED}:${port}/${id}`, headers: {}, secrets, problem: null },
      { id, body: '{"type":"a.b","timestamp":"","data":{}}' },
      { now: Date.now, signal: ending.signal },
    );
  try {
    answer = (response) => void hanging.push(response);
    const stuck = Array.from({ length: 150 }, (_, place) => send(`evt_${place}`));
    await until('as many to hang as one endpoint may have', () => hanging.length >= 64);
    const late = setTimeout(() => ending.abort(), 5_000);
    answer = (response) => void (response.req.url === '/evt_other' ? response.writeHead(200).end() : hanging.push(response));
    const outcome = await send('evt_other');
    clearTimeout(late);
    assert.equal(outcome?.isDelivered, true, 'it waited for those that hang');
    for (const response of hanging) response.writeHead(200).end();
    assert.ok((await Promise.all(stuck)).every((one) => one?.isDelivered));
    const kept = (): Promise<number> =>
      new Promise((resolve, reject) => servers[0]?.getConnections((error, count) => (error ? reject(error) : resolve(count))));
    await until('most of them to be closed', async () => (await kept()) <= 64);
  } finally {
    ending.abort();
    client.close();
  }
});
