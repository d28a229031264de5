import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import type { CanonicalType } from '../../canonical.ts';
import type { Incremental } from '../config/config.ts';
import { compare, MarkKeeper, sinceValue } from './mark.ts';

const { serve } = useApis();

interface Thing {
  id: number;
  at: string;
}

/** Gives what changed at `since` or later, two records a page, with cursors that it may forget. */
function things(all: Thing[], forgets: () => boolean = () => false): Handler {
  return ({ url }, response) => {
    const since = url.searchParams.get('since') ?? '';
    const cursor = url.searchParams.get('cursor');
    if (cursor !== null && forgets()) return sendJson(response, { message: 'cursor expired' }, 410);
    const from = Number(cursor ?? 0);
    const found = all.filter(({ at }) => at >= since).sort((a, b) => (a.at < b.at ? -1 : 1));
    return sendJson(response, { data: found.slice(from, from + 2), next: from + 2 < found.length ? from + 2 : null });
  };
}

async function open(handler: Handler, incremental: object = {}) {
  const api = await serve(handler);
  const stream = {
    name: 's',
    path: '/s',
    records: 'data',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int64' },
      { name: 'at', type: 'timestamptz' },
    ],
    paging: { type: 'cursor', next: 'next' },
    incremental: { field: 'at', param: 'since', ...incremental },
  };
  return { api, session: await openHttp({ base_url: api.url, streams: [stream] }) };
}

const request = { stream: 's', fields: ['id', 'at'], cursor: 'at', batchBytes: 1 };
const ids = (rows: readonly (readonly (string | null)[])[]): string => rows.map(([id]) => id).join(' ');

describe('incremental reading over HTTP', () => {
  test('reads everything, then only what is new, and nothing twice', async () => {
    const all: Thing[] = [
      { id: 1, at: '2026-01-01T10:00:00.000Z' },
      { id: 2, at: '2026-01-02T10:00:00.000Z' },
      { id: 3, at: '2026-01-02T10:00:00.000Z' },
    ];
    const { api, session } = await open(things(all), { start: '2026-01-01' });
    const first = await readAll(session, request);
    assert.equal(ids(first.rows), '1 2 3');
    assert.equal(api.received[0]?.url.search, '?since=2026-01-01');
    const second = await readAll(session, { ...request, after: first.position });
    assert.equal(ids(second.rows), '', 'the API gives 2 and 3 again, as they are; nobody needs them');
    assert.equal(api.received.at(-1)?.url.searchParams.get('since'), '2026-01-02T10:00:00.000Z');
    // At the very instant that was read to, one more appears, and one of those that were read changes.
    all.push({ id: 4, at: '2026-01-02T10:00:00.000Z' });
    (all[1] as Thing & { note: string }).note = 'changed in the same millisecond';
    const third = await readAll(session, { ...request, after: second.position });
    assert.deepEqual(ids(third.rows).split(' ').sort(), ['2', '4']);
    all.push({ id: 5, at: '2026-01-03T10:00:00.000Z' });
    const fourth = await readAll(session, { ...request, after: third.position });
    assert.equal(ids(fourth.rows), '5');
    assert.equal(ids((await readAll(session, { ...request, after: fourth.position })).rows), '');
  });

  test('an interrupted read goes on by page, and when the page has expired by its mark if the order allows', async () => {
    const all = Array.from({ length: 9 }, (_, i) => ({ id: i + 1, at: `2026-01-0${i + 1}T00:00:00.000Z` }));
    const { session } = await open(things(all), { order: 'ascending' });
    const { batches } = await readAll(session, request);
    for (const [at, { position }] of batches.entries()) {
      const rest = ids(batches.slice(at + 1).flatMap(({ rows }) => rows));
      assert.equal(ids((await readAll(session, { ...request, after: position })).rows), rest);
      // This server has forgotten its cursors; the reader starts anew behind its mark, and the cursors it gets then are good.
      let times = position.includes('"page"') ? 1 : 0;
      const { session: other } = await open(
        things(all, () => times-- > 0),
        { order: 'ascending' },
      );
      assert.equal(ids((await readAll(other, { ...request, after: position })).rows), rest, position);
    }
    const { session: unordered } = await open(things(all, () => true));
    const position = batches[2]?.position ?? '';
    const error = await failureOf(readAll(unordered, { ...request, after: position }));
    assert.deepEqual([error.kind, error.code], ['config', 'POSITION_EXPIRED']);
  });

  test('the parameter is written as the API wants it', () => {
    const cases: [CanonicalType, string, string, Partial<Incremental>, string][] = [
      ['timestamptz', '2026-11-15 04:42:11.123456+00', '2026-11-15T05:42:11.123456+01:00', {}, '2026-11-15T05:42:11.123456+01:00'],
      ['timestamptz', '2026-11-15 04:42:11.123456+00', 'x', { format: 'iso' }, '2026-11-15T04:42:11.123456Z'],
      ['timestamptz', '2026-11-15 04:42:11.123456+00', 'x', { format: 'iso', overlap: 60 }, '2026-11-15T04:41:11.123456Z'],
      ['timestamptz', '2026-11-15 04:42:11.123456+00', 'x', { overlap: 1 }, '2026-11-15T04:42:10.123456Z'],
      ['timestamptz', '2026-11-15 04:42:11.9+00', 'x', { format: 'epoch_seconds' }, '1794717731'],
      ['timestamptz', '2026-11-15 04:42:11.9+00', 'x', { format: 'epoch_millis' }, '1794717731900'],
      ['timestamp', '2026-11-15 04:42:11', 'x', { overlap: 1 }, '2026-11-15T04:42:10'],
      ['date', '2026-11-15', '2026-11-15', { overlap: 1 }, '2026-11-14'],
      ['date', '2026-11-15', 'x', { format: 'iso' }, '2026-11-15'],
      ['int64', '9007199254740993', '9007199254740993', { overlap: 3 }, '9007199254740990'],
      ['text', 'abc', 'abc', { overlap: 1 }, 'abc'],
    ];
    for (const [type, value, raw, given, expected] of cases) {
      const incremental: Incremental = { field: 'f', param: 'p', format: 'as_is', order: 'unknown', overlap: 0, ...given };
      assert.equal(sinceValue({ value, raw, seen: [] }, type, incremental), expected);
    }
  });

  test('marks follow the order of their type', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        assert.equal(Math.sign(compare('int64', String(a), String(b))), a < b ? -1 : a > b ? 1 : 0);
        const decimals = [a, b].map((n) => `${n / 1000n}.${String(n < 0n ? -n % 1000n : n % 1000n).padStart(3, '0')}`);
        if (a / 1000n !== 0n && b / 1000n !== 0n)
          assert.equal(Math.sign(compare('decimal', decimals[0] ?? '', decimals[1] ?? '')), a < b ? -1 : a > b ? 1 : 0);
      }),
    );
    assert.ok(compare('timestamptz', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00.5+00') < 0);
    assert.equal(compare('timestamptz', '2026-01-01 00:00:00.50+00', '2026-01-01 00:00:00.5+00'), 0);
  });

  test('a mark remembers the records at its value, and no more than a thousand', () => {
    const keeper = new MarkKeeper('int64', undefined);
    keeper.add('5', '5', 'a');
    keeper.add('4', '4', 'b');
    keeper.add('5', '5', 'c');
    assert.deepEqual(keeper.mark, { value: '5', raw: '5', seen: ['a', 'c'] });
    for (let i = 0; i < 5000; i++) keeper.add('7', '7', `d${i}`);
    assert.equal(keeper.mark?.seen.length, 1000);
    keeper.add('10', '10', 'e');
    assert.deepEqual(keeper.mark?.seen, ['e']);
  });
});
