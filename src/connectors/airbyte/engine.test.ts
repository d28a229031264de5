import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { declared } from '../../../test/support/airbyte-manifest.ts';
import { sendJson, startApi } from '../../../test/support/api-server.ts';
import { countsOf, definitionOf, engineRuns, NOTHING, streamOf } from '../../../test/support/engine-run.ts';

test('a manifest runs through the engine like any other source: incrementally, with rejects, and on from where it broke off', async () => {
  const all = Array.from({ length: 25 }, (_, index) => ({
    id: index + 1,
    name: `n${index + 1}`,
    at: `2024-01-01T00:00:${String(index + 10)}Z` as unknown,
  }));
  let isBroken = false;
  const api = await startApi(({ url }, response) => {
    const start = Number(url.searchParams.get('offset') ?? 0);
    if (isBroken && start >= 10) return sendJson(response, {}, 404);
    const since = url.searchParams.get('since') ?? '';
    return sendJson(response, { data: all.filter(({ at }) => String(at) >= since).slice(start, start + 5) });
  });
  const option = (field_name: string): object => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
  const stream = declared(api.url, {
    properties: { id: { type: 'integer' }, name: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
    retriever: {
      paginator: {
        type: 'DefaultPaginator',
        pagination_strategy: { type: 'OffsetIncrement', page_size: 5 },
        page_token_option: option('offset'),
      },
    },
    stream: {
      incremental_sync: {
        type: 'DatetimeBasedCursor',
        cursor_field: 'at',
        datetime_format: '%Y-%m-%dT%H:%M:%SZ',
        start_datetime: '2024-01-01T00:00:00Z',
        start_time_option: option('since'),
      },
    },
  });
  const manifest = JSON.stringify({
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['things'] },
    streams: [stream],
  });
  const folder = mkdtempSync(join(tmpdir(), 'syncline-manifest-'));
  const path = join(folder, 'target.db');
  const target = new DatabaseSync(path);
  const runs = engineRuns({
    definition: definitionOf([streamOf('things', { mode: 'incremental', cursor: 'at' })]),
    ends: {
      source: { id: 'src_a', name: 'a', type: 'airbyte', config: { manifest, settings: {} } },
      target: { id: 'src_b', name: 'b', type: 'sqlite', config: { path } },
    },
    folder,
  });
  const ids = (): number[] => (target.prepare('select id from things order by id').all() as { id: number }[]).map(({ id }) => id);

  isBroken = true;
  const first = await runs.run();
  assert.equal(first.status, 'failed', JSON.stringify(first));
  assert.equal(ids().length, 10, 'what came before the fault is there');
  isBroken = false;
  api.received.length = 0;
  const second = await runs.run();
  assert.equal(second.status, 'succeeded', JSON.stringify(second));
  assert.equal(api.received[0]?.url.searchParams.get('offset'), '10', 'it goes on at the page where it broke off');
  assert.equal(ids().length, 25);

  all.push({ id: 26, name: 'n26', at: '2024-01-02T00:00:00Z' }, { id: 27, name: 'n27', at: { not: 'a time' } });
  const third = await runs.run();
  assert.deepEqual(countsOf(third.first), { ...NOTHING, read: 2, inserted: 1, rejected: 1 });
  assert.equal(runs.openRejects().length, 1);

  target.close();
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});
