import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatPart } from '../../dashboard/src/parts/words/format.ts';
import { logText } from '../../dashboard/src/views/logs/log-text.ts';
import { partsOf } from '../../dashboard/src/views/sources/config-form/schema.ts';
import { type SyncDraft, draftOf, EMPTY, streamInput } from '../../dashboard/src/views/syncs/builder/draft.ts';
import { cronOf, scheduleWords, weeklyOf } from '../../dashboard/src/views/syncs/schedule-words.ts';
import { manifests } from '../../src/connectors/registry.ts';
import { EXAMPLE_SYNC } from '../../src/datasync/syncs/schemas.ts';

test('a part is rounded, but never to all or nothing where it is neither', () => {
  for (const [part, text] of [
    [100 / 300, '33.3%'],
    [0.96, '96%'],
    [0, '0%'],
    [1, '100%'],
    [0.9996, '99.96%'],
    [0.99999, '99.999%'],
    [0.0001, '0.01%'],
  ] as const)
    assert.equal(formatPart(part), text);
});

describe('a schedule in words', () => {
  test('says when it runs', () => {
    for (const [schedule, words] of [
      [{ type: 'manual' }, 'Manual'],
      [{ type: 'on_change' }, 'On every change'],
      [{ type: 'after', sync_id: 'syn_1' }, 'After Orders'],
      [{ type: 'interval', every: '1h' }, 'Every hour'],
      [{ type: 'interval', every: '15m' }, 'Every 15 minutes'],
      [{ type: 'cron', expression: '30 6 * * *', timezone: 'UTC' }, 'At 06:30 every day (UTC)'],
      [{ type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' }, 'At 06:00 from Monday to Friday (Europe/Berlin)'],
      [{ type: 'cron', expression: '5 22 * * 0,6', timezone: 'UTC' }, 'At 22:05 on Saturday and Sunday (UTC)'],
      [{ type: 'cron', expression: '5 22 * * 7' }, 'At 22:05 on Sunday (UTC)'],
      [{ type: 'cron', expression: '*/5 * * * *', timezone: 'UTC' }, 'Cron */5 * * * * (UTC)'],
    ] as const)
      assert.equal(
        scheduleWords(schedule, () => 'Orders'),
        words,
      );
  });

  test('what is no time on some days stays an expression', () => {
    for (const expression of ['60 6 * * *', '0 24 * * *', '0 6 1 * *', '0 6 * * 5-1', '0 6 * * 1-2-3', '0 6 * * MON', '@daily', ''])
      assert.equal(weeklyOf(expression), undefined, expression);
  });

  test('a time and its days make the expression that they came from', () => {
    for (const expression of ['30 6 * * *', '0 0 * * 1', '59 23 * * 0,3,6'])
      assert.equal(cronOf(weeklyOf(expression) ?? { time: '', days: [] }), expression);
  });
});

test('a definition that nobody has changed is sent as it came', () => {
  const filter = [
    { field: 'town', op: 'in', value: ['Rome, Italy', 'Oslo'] },
    { field: 'age', op: '>', value: '3' },
    { field: 'name', op: 'not_null' },
  ];
  const fields = [
    { from: 'id', to: 'id' },
    { to: 'name', expression: 'first + last', type: 'text' },
  ];
  const stream = { ...EXAMPLE_SYNC.streams[0], cursor: 'id', filter, fields };
  const draft: SyncDraft = draftOf({ ...EXAMPLE_SYNC, streams: [stream] } as never);
  assert.deepEqual(streamInput(draft.streams[0] ?? assert.fail(), false), stream);
  assert.equal(EMPTY.guard.max_delete_percent, 20);
});

test('the form of a connector shows first what every user has to fill in', () => {
  const shown = Object.fromEntries(
    manifests.map(({ type, config }) => [type, partsOf(config as Parameters<typeof partsOf>[0]).main.map(([name]) => name)]),
  );
  for (const { type, config } of manifests)
    assert.deepEqual(
      config.required?.filter((name) => !shown[type]?.includes(name)),
      [],
      `${type}: what is mandatory`,
    );
  const known = {
    postgres: ['host', 'port', 'database', 'user', 'password'],
    mysql: ['host', 'port', 'database', 'user', 'password'],
    sqlite: ['path'],
    files: ['path', 'url', 'authorization', 'name'],
    http: ['base_url', 'auth', 'headers', 'streams'],
    hub: [],
  };
  for (const [type, members] of Object.entries(known)) assert.deepEqual(shown[type], members, type);
});

test('entries of the log that are copied as text hold no cell that is a formula, wherever they are pasted', () => {
  const entry = {
    id: 'log_1',
    time: '2026-11-01T09:30:00.000Z',
    level: 'error',
    sync_id: null,
    run_id: null,
    source_id: null,
    stream: null,
  };
  const text = logText([{ ...entry, level: 'error', message: 'a\t=1+1\n=2+2\n\t@SUM(A1)\r\n+3', data: { more: '=4\n-4' } }]);
  const cells = text.split(/[\t\n\r]/).filter((cell) => cell !== '');
  assert.deepEqual(
    cells.filter((cell) => /^\s*[=+\-@]/.test(cell)),
    [],
    text,
  );
  assert.ok(text.includes('    | =2+2'));
});
