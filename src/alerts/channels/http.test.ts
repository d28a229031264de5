import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type Handler, startApi } from '../../../test/support/api-server.ts';
import type { AlertChannel } from '../alert.ts';
import { createSender, type Sent } from './send.ts';
import type { AlertMessage } from './telling.ts';

const SECRET = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`;
const message: AlertMessage = {
  id: 'msg_1',
  kind: 'opened',
  alert: { id: 'alt_1', name: 'operations' },
  incident: {
    id: 'inc_1',
    rule: 'rejects',
    object_id: 'syn_1',
    object_name: 'orders',
    opened_at: '2026-11-16T10:00:00.000Z',
    closed_at: null,
    summary: '5 rows are rejected.',
    ending: null,
    details: '{"rejected":5}',
  },
  at: new Date().toISOString(),
};
const send = (channel: AlertChannel, { time = 3000, networks = 'any' } = {}): Promise<Sent> =>
  createSender({ networks, publicUrl: 'https://h', time }).send(channel, message, new AbortController().signal);

const answers = (status: number, text = 'ok', headers: Record<string, string> = {}): Handler => {
  return (_, response) => void response.writeHead(status, headers).end(text);
};

test('each chat gets its own shape, and a webhook one that its own library verifies', async () => {
  const api = await startApi(answers(200));
  try {
    for (const type of ['slack', 'teams', 'discord', 'mattermost'] as const)
      assert.deepEqual(await send({ type, url: `${api.url}/${type}?x=1` }), { delivered: true, remark: null });
    assert.deepEqual(await send({ type: 'webhook', url: api.url, secret: SECRET }), { delivered: true, remark: null });
    const bodies = api.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    const [slack, teams, discord, mattermost, webhook] = bodies;
    assert.ok(
      slack &&
        'blocks' in slack &&
        teams?.['type'] === 'message' &&
        discord &&
        'embeds' in discord &&
        mattermost &&
        'attachments' in mattermost,
    );
    const last = api.received.at(-1);
    const verified = new Webhook(SECRET).verify(last?.body ?? '', last?.headers as Record<string, string>) as {
      type: string;
      data: { incident: unknown; link: string };
    };
    assert.equal(last?.headers['webhook-id'], 'msg_1');
    assert.deepEqual(verified, webhook);
    assert.equal(verified.type, 'incident.opened');
    assert.partialDeepStrictEqual(verified.data, {
      alert: { id: 'alt_1' },
      link: 'https://h/syncs/syn_1',
      incident: { id: 'inc_1', details: { rejected: 5 } },
    });
    for (const { method, headers } of api.received) assert.deepEqual([method, headers['content-type']], ['POST', 'application/json']);
  } finally {
    await api.close();
  }
});

test('whatever the other side answers, it is told in words and in time', async () => {
  const cases: [Handler, RegExp, number?][] = [
    [answers(404, 'no_service'), /answered 404\. It said: no_service.*Check the address/],
    [answers(429, 'slow down', { 'retry-after': '77' }), /answered 429/, 77],
    [answers(503, ''), /answered 503/],
    [answers(302, '', { location: 'http://169.254.169.254/' }), /answered 302.*Redirects are not followed/],
    [(_, response) => void response.destroy(), /lost|failed/],
    [() => {}, /within 1\.5 s|longer than 1\.5 s/],
    [(_, response) => void setInterval(() => response.write('x'), 200).unref(), /longer than|more than|drop by drop|in the middle/],
  ];
  for (const [handler, words, wish = 0] of cases) {
    const api = await startApi(handler);
    const from = performance.now();
    const sent = await send({ type: 'slack', url: `${api.url}/secret-part` }, { time: 1500 });
    assert.ok(performance.now() - from < 4000);
    assert.ok(!sent.delivered);
    assert.match(sent.error, words);
    assert.ok(!sent.error.includes('secret-part'));
    assert.equal(sent.retryAfter, wish);
    assert.equal(api.received.length, 1, 'nothing is followed');
    await api.close();
  }
});

test('a message goes only to where connections may go', async () => {
  const api = await startApi(answers(200));
  for (const [host, networks] of [
    ['127.0.0.1', 'public'],
    ['localhost', 'public'],
    ['169.254.169.254', 'any'],
    ['[::ffff:a9fe:a9fe]', 'any'],
    ['0xa9fea9fe', 'any'],
  ] as const) {
    const sent = await send({ type: 'discord', url: `http://${host}:${api.port}/` }, { networks });
    assert.match(sent.delivered ? '' : sent.error, /may not connect/, host);
  }
  assert.deepEqual(api.received, []);
  await api.close();
});
