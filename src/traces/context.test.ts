import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../config.ts';
import { contextBelow, readTraceparent, samplerOf, traceparentOf } from './context.ts';
import { readHeaderList } from './settings.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('traceparent is read as the standard has it, and anything else is no trace', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, isSampled: true });
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled, false);
  // A later version may say more.
  assert.equal(readTraceparent(`01-${TRACE}-${SPAN}-03-more`)?.isSampled, true);
  for (const nonsense of [
    undefined,
    '',
    ['x'],
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
  ]) {
    assert.equal(readTraceparent(nonsense), undefined, String(nonsense));
  }
  const context = contextBelow(undefined, () => true);
  assert.deepEqual(readTraceparent(traceparentOf(context)), context);
  fc.assert(fc.property(fc.string(), (text) => void readTraceparent(text)));
});

test('samplers decide as the standard says', () => {
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
  const decide = (name: Parameters<typeof samplerOf>[0]['name'], ratio: number, of?: typeof parent): boolean =>
    samplerOf({ name, ratio })(TRACE, of);
  assert.deepEqual(
    [decide('always_on', 0), decide('always_off', 1), decide('traceidratio', 1), decide('traceidratio', 0)],
    [true, false, true, false],
  );
  assert.equal(decide('always_off', 1, parent), false);
  assert.equal(decide('parentbased_always_off', 1, parent), true);
  assert.equal(decide('parentbased_always_on', 1, { ...parent, isSampled: false }), false);
  assert.equal(decide('parentbased_traceidratio', 0), false);
  const half = samplerOf({ name: 'traceidratio', ratio: 0.5 });
  const taken = Array.from({ length: 2000 }, () => contextBelow(undefined, half)).filter(({ isSampled }) => isSampled).length;
  assert.ok(taken > 800 && taken < 1200, `${taken} of 2000`);
});

test('headers for the collector are read, and not repeated when they are wrong', () => {
  assert.deepEqual(readHeaderList('Api-Key=a%20b%3D, x-other = c=d'), { 'api-key': 'a b=', 'x-other': 'c=d' });
  for (const wrong of ['secret', '=secret', 'a=secret%0d%0ab', 'a=secret%zz']) {
    assert.throws(
      () => readHeaderList(wrong),
      (error: Error) => error.message.startsWith('must ') && !error.message.includes('secret'),
      wrong,
    );
  }
});

test('settings are judged where there is a collector, and all faults are told', () => {
  assert.equal(readConfig({ OTEL_TRACES_SAMPLER: 'xray', OTEL_EXPORTER_OTLP_HEADERS: 'x' }).traces, undefined);
  assert.deepEqual(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/a/', OTEL_TRACES_SAMPLER_ARG: '.25' }).traces, {
    url: 'http://c:4318/a/v1/traces',
    headers: {},
    serviceName: 'syncline',
    sampler: { name: 'parentbased_always_on', ratio: 0.25 },
  });
  const whole = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://b/in',
    OTEL_EXPORTER_OTLP_HEADERS: 'k=v',
  };
  assert.partialDeepStrictEqual(readConfig(whole).traces, { url: 'https://b/in', headers: { k: 'v' } });
  const wrong = { ...whole, OTEL_TRACES_SAMPLER: 'xray', OTEL_TRACES_SAMPLER_ARG: '2', OTEL_EXPORTER_OTLP_HEADERS: 'secret' };
  assert.throws(
    () => readConfig(wrong),
    ({ message }: Error) =>
      /SAMPLER must be one of/.test(message) &&
      /ARG must be/.test(message) &&
      /HEADERS must be/.test(message) &&
      !message.includes('secret'),
  );
  assert.throws(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }), /must be an http or https URL/);
});
