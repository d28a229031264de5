import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCollector } from '../../test/support/trace-collector.ts';
import { until } from '../../test/support/until.ts';
import { createLog } from '../lib/log.ts';
import { createExporter, type Exporter } from './exporter.ts';
import type { TracedSpan } from './span.ts';

const SPAN: TracedSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: undefined,
  name: 'x',
  kind: 'internal',
  start: Date.now(),
  end: Date.now() + 0.25,
  attributes: { text: 'a\ud800', whole: -7, part: 0.5, is: true, missing: undefined },
  error: undefined,
};

function exporterTo(url: string, log = createLog('silent')): Exporter {
  const resource = { 'service.name': 'tests' };
  return createExporter({ url: `${url}/v1/traces`, headers: { 'api-key': 'k' }, resource, version: '1', log });
}

const addMany = (exporter: Exporter, count: number): void => {
  for (let n = 0; n < count; n++) exporter.add({ ...SPAN, name: `span ${n}` });
};

test('spans arrive in batches, in order and as the standard has them', async () => {
  const collector = await startCollector();
  const exporter = exporterTo(collector.url);
  addMany(exporter, 1300);
  await exporter.close();
  await collector.close();
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    Array.from({ length: 1300 }, (_, n) => `span ${n}`),
  );
  assert.ok(collector.bodies.length >= 3);
  assert.equal(collector.headers[0]?.['api-key'], 'k');
  assert.deepEqual(collector.spans[0]?.attributes, { text: 'a\ufffd', whole: -7, part: 0.5, is: true });
  assert.equal(Number((collector.spans[0]?.end ?? 0n) - (collector.spans[0]?.start ?? 0n)), 250_000);
  assert.deepEqual(exporter.figures, { sent: 1300, dropped: 0 });
});

test('what a collector does not take is dropped and counted, and never more than so much waits', async (t) => {
  const collector = await startCollector();
  t.after(() => collector.close());
  const exporter = exporterTo(collector.url);
  let asked = 0;
  collector.rude = () => void asked++;
  addMany(exporter, 10_000);
  await until('a request', () => asked > 0);
  // One batch is on its way to a collector that does not answer, and so many wait.
  assert.deepEqual(exporter.figures, { sent: 0, dropped: 10_000 - 512 - 2048 });
  const began = performance.now();
  await exporter.close();
  assert.ok(performance.now() - began < 5_000, 'the end does not wait for it');
  assert.deepEqual(exporter.figures, { sent: 0, dropped: 10_000 });
});

test('what a collector refuses, or answers oddly, is not sent again', async (t) => {
  const collector = await startCollector();
  t.after(() => collector.close());
  const cases: [number, string, { sent: number; dropped: number }][] = [
    [400, '', { sent: 88, dropped: 512 }],
    [302, '', { sent: 88, dropped: 512 }],
    [200, '{"partialSuccess":{"rejectedSpans":"12"}}', { sent: 588, dropped: 12 }],
    [200, '<html>not json', { sent: 600, dropped: 0 }],
    [200, 'x'.repeat(200_000), { sent: 600, dropped: 0 }],
  ];
  for (const [status, text, figures] of cases) {
    const exporter = exporterTo(collector.url);
    const before = collector.spans.length;
    collector.rude = (response) => {
      collector.rude = undefined;
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(text);
    };
    addMany(exporter, 600);
    await exporter.close();
    assert.deepEqual(exporter.figures, figures, `${status} ${text.slice(0, 20)}`);
    assert.equal(collector.spans.length - before, 600 - 512, 'the first batch was sent once');
  }
});

test('a collector that is overloaded is tried again', async (t) => {
  const collector = await startCollector();
  t.after(() => collector.close());
  const exporter = exporterTo(collector.url);
  collector.rude = (response) => {
    collector.rude = undefined;
    response.writeHead(503).end();
  };
  addMany(exporter, 600);
  await until('all of them', () => exporter.figures.sent === 600);
  await exporter.close();
  assert.equal(collector.spans.length, 600);
});

test('a collector that never answers is told of as such, also when the service stops meanwhile', async (t) => {
  const collector = await startCollector();
  t.after(() => collector.close());
  const told: unknown[] = [];
  const log = createLog('silent');
  log.warn = (what: unknown) => void told.push(what);
  const exporter = exporterTo(collector.url, log);
  let asked = 0;
  collector.rude = () => void asked++;
  addMany(exporter, 600);
  await until('it is asked', () => asked === 1);
  await exporter.close();
  assert.deepEqual(told, [{ problem: 'The collector of traces did not answer in time.' }]);
  assert.deepEqual(exporter.figures, { sent: 0, dropped: 600 });
});
