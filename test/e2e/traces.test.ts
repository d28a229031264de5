import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendJson, startApi } from '../support/api-server.ts';
import { connectAssistant } from '../support/assistant.ts';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { startService } from '../support/service.ts';
import { type CollectedSpan, startCollector } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const CANARY = 'canary-5up3r-53cr3t';

onEitherEngine('traces', (engine) => {
  test('tell of requests, runs with their streams, and deliveries; others are told where they belong; nothing secret is in them', async (t) => {
    const collector = await startCollector();
    const receiver = await startReceiver();
    const api = await startApi((_, response) => sendJson(response, { data: [{ id: 1, name: CANARY }] }));
    t.after(() => Promise.all([receiver.close(), api.close()]));
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=the%20key',
      OTEL_SERVICE_NAME: 'shop sync',
    };
    const service = await startService(engine, { environment });
    t.after(() => service.close().catch(() => undefined));
    await service.post('/api/v1/webhooks', { name: 'told', url: `${receiver.url}/${CANARY}?key=${CANARY}`, types: ['order.created'] });
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    await service.get(`/api/v1/orders?q=${CANARY}`, { headers });
    await service.get('/api/v1/orders', { headers: { traceparent: `00-${'a'.repeat(32)}-${CALLER}-00` } });
    await service.get(`/nothing/${CANARY}`);
    await service.post(`/hooks/${CANARY}`, {});
    await service.post('/api/v1/orders', { customer_id: CANARY, items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    await until('the delivery', () => receiver.received.length > 0);

    const fields = [
      { name: 'id', type: 'int64' },
      { name: 'name', type: 'text' },
    ];
    const stream = { name: 'people', path: '/people', records: 'data', key: ['id'], fields };
    const auth = { type: 'bearer', token: CANARY };
    const source_id = await addSource(service, 'http', { base_url: api.url, auth, streams: [stream] });
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.db') });
    const body = { name: CANARY, source_id, target_id, streams: [{ source: 'people', target: 'persons' }], schedule: { type: 'manual' } };
    const sync = await ask(service, 'POST', '/sync', body);
    const asked = api.received.length;
    const run = await runToEnd(service, sync.id);
    assert.equal(run.status, 'succeeded', JSON.stringify(run));
    const assistant = await connectAssistant(service, service.adminKey);
    await assistant.call('find', { what: 'orders' });
    await assistant.close();
    assert.match((await service.get('/metrics')).text, /syncline_trace_spans_total\{result="dropped"\} 0\n/);
    // The last ones are handed over when the service stops.
    await service.close();
    await collector.close();

    const spans = collector.spans;
    const named = (name: string): CollectedSpan[] => spans.filter((span) => span.name === name);
    const listed = named('GET /api/v1/orders');
    const own = listed.find(({ traceId }) => traceId === TRACE);
    assert.partialDeepStrictEqual(own, {
      parentSpanId: CALLER,
      kind: 2,
      service: 'shop sync',
      attributes: { 'http.request.method': 'GET', 'http.route': '/api/v1/orders', 'http.response.status_code': 200 },
    });
    assert.ok(
      listed.every(({ traceId }) => traceId !== 'a'.repeat(32)),
      'what the caller does not record is not recorded',
    );
    assert.partialDeepStrictEqual(named('GET')[0], { attributes: { 'http.response.status_code': 404 } });
    const [mcp] = named('POST /mcp').slice(-1);
    assert.ok(
      listed.some(({ parentSpanId, traceId }) => parentSpanId === mcp?.spanId && traceId === mcp?.traceId),
      'what a tool asks is below its call',
    );

    const [delivery] = named('webhook');
    const [message] = receiver.received;
    assert.equal(message?.headers['traceparent'], `00-${delivery?.traceId}-${delivery?.spanId}-01`);
    assert.partialDeepStrictEqual(delivery, {
      kind: 3,
      attributes: { 'server.address': '127.0.0.1', 'syncline.event.id': message?.id, 'http.response.status_code': 204 },
    });

    const [work] = named('run');
    assert.partialDeepStrictEqual(work, {
      kind: 1,
      parentSpanId: undefined,
      attributes: {
        'syncline.run.id': run.id,
        'syncline.sync.id': sync.id,
        'syncline.run.status': 'succeeded',
        'syncline.rows.inserted': 1,
      },
    });
    const [part] = named('stream');
    assert.partialDeepStrictEqual(part, {
      parentSpanId: work?.spanId,
      traceId: work?.traceId,
      attributes: { 'syncline.stream': 'people', 'syncline.stream.target': 'persons', 'syncline.rows.read': 1 },
    });
    assert.ok(work && part && work.start <= part.start && part.end <= work.end);
    const outgoing = api.received.slice(asked).map((request) => request.headers['traceparent']);
    assert.ok(outgoing.length > 0);
    assert.deepEqual([...new Set(outgoing)], [`00-${work.traceId}-${work.spanId}-01`]);

    assert.equal(collector.headers[0]?.['x-collector-key'], 'the key');
    for (const text of collector.bodies) assert.ok(!text.includes(CANARY) && !text.includes('slk_') && !text.includes('the key'));
  });

  test('cost no request anything where the collector is away', async () => {
    const service = await startService(engine, { environment: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' } });
    for (let n = 0; n < 20; n++) assert.equal((await service.get('/api/v1/products')).status, 200);
    await service.close();
  });
});
