import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNewLog } from './entry.ts';

const NOW = Date.parse('2026-11-01T09:30:00.000Z');
const messageOf = (message: string): string => toNewLog({ level: 'info', message }, NOW).message;
const dataOf = (data: Record<string, unknown>) => JSON.parse(toNewLog({ level: 'info', message: '', data }, NOW).data ?? 'null');

test('an entry becomes a row', () => {
  const entry = { level: 'warn', syncId: 'syn_1', runId: 'run_1', sourceId: 'src_1', stream: 's', message: 'm', data: { n: 1 } } as const;
  assert.deepEqual(toNewLog(entry, NOW), {
    time: '2026-11-01T09:30:00.000Z',
    level: 'warn',
    sync_id: 'syn_1',
    run_id: 'run_1',
    source_id: 'src_1',
    stream: 's',
    message: 'm',
    data: '{"n":1}',
    shop: null,
  });
  assert.partialDeepStrictEqual(toNewLog({ level: 'info', message: '' }, NOW), { sync_id: null, run_id: null, stream: null, data: null });
});

test('a message has at most 4 KiB, and is cut between characters', () => {
  assert.equal(messageOf('x'.repeat(4096)), 'x'.repeat(4096));
  for (const sign of ['x', 'ä', '€', '🦄']) {
    const cut = messageOf(sign.repeat(5000));
    assert.ok(Buffer.byteLength(cut) <= 4096 && Buffer.byteLength(cut) > 4080, sign);
    assert.match(cut, new RegExp(`^(${sign})+…$`, 'u'));
  }
});

test('what no database takes is replaced', () => {
  assert.equal(messageOf('a\0b\ud800c'), 'a\ufffdb\ufffdc');
});

test('data has at most 16 KiB; what does not fit is named', () => {
  const data = dataOf({ first: 1, large: 'x'.repeat(20_000), last: 'y', circle: undefined });
  assert.deepEqual(data, { first: 1, last: 'y', left_out: ['large', 'circle'] });
  const many = dataOf(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`member${i}`, i])));
  assert.equal(many.member0, 0);
  assert.match(many.left_out.at(-1), /^and \d+ more$/);
  const text = toNewLog({ level: 'info', message: '', data: { a: '\0'.repeat(3000), b: 'x'.repeat(9000) } }, NOW).data ?? '';
  assert.ok(Buffer.byteLength(text) <= 16_384);
});

test('data that JSON cannot hold does no harm', () => {
  const circle: Record<string, unknown> = { n: 12345678901234567890n };
  circle['self'] = circle;
  assert.deepEqual(dataOf(circle), { n: '12345678901234567890', left_out: ['self'] });
});

test('texts that are made to be slow are not', () => {
  const start = performance.now();
  for (const text of ['x', 'a:', '://', '://a:', 'password=', 'password="', 'Bearer ', 'slk_', ' '])
    messageOf(text.repeat(1_000_000 / text.length));
  assert.ok(performance.now() - start < 2000);
});

test('what looks like a secret is masked', () => {
  for (const [given, kept] of [
    ['connecting to postgres://me:hunter2@host/db failed', 'connecting to postgres://me:********@host/db failed'],
    ['host=h password=hunter2 user=me', 'host=h password=******** user=me'],
    ['sent Authorization: Bearer abcdef123456', 'sent Authorization: Bearer ********'],
    ['key slk_01kfa0v2m3f8rb4v3k7m2t9xqe_0123456789abcdef', 'key slk_********'],
    ['POST /api/v1/hooks/slh_3k7m2t9xqe0v2m3f8rb4v3k7m2t9xqe01kfa0v2?a', 'POST /api/v1/hooks/slh_********?a'],
    ['token=abc;next', 'token=********;next'],
    ['12 rows read from public.customers', '12 rows read from public.customers'],
    ['see https://example.com/a:b', 'see https://example.com/a:b'],
  ] as const) {
    assert.equal(messageOf(given), kept);
  }
  const given = {
    password: 'a',
    api_key: 'b',
    apiKey: 'c',
    nested: { client_secret: 'd', url: 'mysql://u:p@h' },
    list: ['token=x'],
    rows: 3,
  };
  assert.deepEqual(dataOf(given), {
    password: '********',
    api_key: '********',
    apiKey: '********',
    nested: { client_secret: '********', url: 'mysql://u:********@h' },
    list: ['token=********'],
    rows: 3,
  });
});
