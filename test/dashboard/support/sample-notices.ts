import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { sql } from '../../../src/db/sql.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { newId } from '../../../src/lib/ids.ts';
import { runStatement } from '../../support/commands.ts';
import { ask } from '../../support/real-syncs.ts';
import type { Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { HOSTILE } from './sample-shop.ts';

const HOUR = 3_600_000;
/** Nothing answers there. */
const NOWHERE = 'http://127.0.0.1:1/webhooks';

/** What the views of webhooks, hooks and alerts show. */
export interface SampleNotices {
  /** An endpoint with deliveries of every status. */
  webhook: string;
  /** One of them that waits for its next attempt. */
  delivery: number;
  /** A hook with calls that were taken and one that was refused. */
  hook: string;
  /** An alert that has something to tell and does not reach anybody. */
  alert: string;
}

/** `failing` is a synchronization that fails. */
export async function makeSampleNotices(service: Service, failing: string): Promise<SampleNotices> {
  const webhook = await makeWebhooks(service);
  return { ...webhook, hook: await makeHook(service, failing), alert: await makeAlerts(service) };
}

async function post(service: Service, path: string, body: unknown) {
  const answer = await service.post(path, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** Deliveries of some days, which nobody could wait for. */
async function makeWebhooks(service: Service): Promise<Pick<SampleNotices, 'webhook' | 'delivery'>> {
  const { id } = await post(service, '/api/v1/webhooks', {
    name: 'ERP',
    url: NOWHERE,
    types: ['order.*', 'product.updated'],
    condition: 'data.total > 10.0',
    headers: { 'X-Api-Key': 'k-7f3' },
  });
  const other = await post(service, '/api/v1/webhooks', {
    name: HOSTILE,
    url: `${NOWHERE}/${'x'.repeat(90)}`,
    signature: 'ed25519',
    types: ['key.*'],
  });
  assert.equal((await service.call('POST', `/api/v1/webhooks/${other.id}/pause`)).status, 200);
  const events = await service.app.db.read.all<{ seq: number; type: string; object_id: string }>(
    sql`select seq, type, object_id from events where type in ('order.created', 'order.status_changed') order by seq desc limit 30`,
  );
  const log = JSON.stringify([
    {
      at: isoTime(Date.now() - HOUR),
      duration_ms: 15_000,
      response_status: null,
      response_body: null,
      error: 'There was no answer within 15 s.',
    },
    { at: isoTime(Date.now() - HOUR / 2), duration_ms: 31, response_status: 503, response_body: '{"error":"down"}', error: null },
  ]);
  const rows = events.map(({ seq, type, object_id }, place) => {
    const at = isoTime(Date.now() - (place + 1) * HOUR);
    const status = place % 10 === 0 ? 'waiting' : place % 10 === 3 ? 'failed' : 'delivered';
    const next = status === 'waiting' ? `'${isoTime(Date.now() + 2 * HOUR)}'` : 'null';
    const answer =
      status === 'delivered' ? `204, ${20 + place}, null, '[]'` : `503, 31, 'The receiver answered with status 503.', '${log}'`;
    return `('${id}', ${seq}, '${type}', '${object_id}', '${status}', ${status === 'failed' ? 10 : 2}, '${at}', '${at}', ${next}, ${answer})`;
  });
  await service.app.db.write(
    runStatement,
    `insert into webhook_deliveries (webhook_id, seq, type, object_id, status, attempts, created_at, updated_at, next_at, response_status, duration_ms, error, log)
      values ${rows.join(', ')}`,
  );
  return { webhook: id, delivery: events[0]?.seq ?? assert.fail('there are orders') };
}

async function makeHook(service: Service, sync: string): Promise<string> {
  const secret = 'a secret of the shop';
  await ask(service, 'POST', '/hooks', { name: HOSTILE, scheme: 'token' });
  const { id, url } = await ask(service, 'POST', '/hooks', { name: 'Web shop', scheme: 'shopify', secret, sync_id: sync });
  const send = (place: number, body: string, signed: string): Promise<Response> =>
    fetch(new URL(url, service.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': 'orders/create',
        'x-shopify-webhook-id': `b54557e4-bdd9-4b37-8a5f-bf7d70bcd04${place}`,
        'x-shopify-hmac-sha256': createHmac('sha256', signed).update(body).digest('base64'),
      },
      body,
    });
  for (const place of [1, 2, 3]) assert.equal((await send(place, JSON.stringify({ id: place, note: HOSTILE }), secret)).status, 200);
  assert.equal((await send(4, '{}', 'another secret')).status, 401);
  return id;
}

async function makeAlerts(service: Service): Promise<string> {
  const rules = [
    { type: 'failing' },
    { type: 'needs_approval' },
    { type: 'rejects', over: 2 },
    { type: 'lag', seconds: 5400 },
    { type: 'late' },
  ];
  await post(service, '/api/v1/alerts', {
    name: HOSTILE,
    channel: { type: 'slack', url: NOWHERE },
    rules: [{ type: 'endpoint_paused' }],
    quiet_hours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
  });
  const { id } = await post(service, '/api/v1/alerts', {
    name: 'Operations',
    channel: { type: 'webhook', url: NOWHERE },
    rules,
    remind_every: '4h',
  });
  await until('incidents', async () => (await service.get('/api/v1/incidents?status=open')).body.total > 0);
  const [began, over] = [isoTime(Date.now() - 30 * HOUR), isoTime(Date.now() - 27 * HOUR)];
  await service.app.db.write(
    runStatement,
    `insert into incidents (id, rule, object_id, object_name, opened_at, closed_at, summary, details)
      values ('${newId('inc', Date.now() - 30 * HOUR).id}', 'disk_full', 'node-1', 'node-1', '${began}', '${over}', 'The disk of node-1 has 4% free.', '{}')`,
  );
  return id;
}
