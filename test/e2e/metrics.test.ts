import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isoTime } from '../../src/lib/clock.ts';
import { runStatement } from '../support/commands.ts';
import { onBothEngines } from '../support/databases.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';
import { type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/datasync/metrics';
const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-10T12:00:30.000Z');
/** No worker begins a run before it. */
const FAR = '2099-01-01T00:00:00.000Z';
const SCRAPER = { accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1' };

interface GivenRun {
  sync: string;
  status: string;
  /** Milliseconds before now; null while it is not over. */
  ended: number | null;
  took?: number;
  mode?: string;
  rows?: number;
}

onBothEngines('metrics', (engine) => {
  let service: Service;
  let runs = 0;
  before(async () => {
    service = await startService(engine, { clock: () => NOW });
    const at = isoTime(NOW - 1000 * HOUR);
    const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
    const run = (statement: string) => service.app.db.write(runStatement, statement);
    await run(`insert into sources (id, name, type, config, status, version, created_at, updated_at)
      values ('src_a', 'a', 'fake', '{}', 'ok', 1, '${at}', '${at}')`);
    for (const [id, name, status] of [
      ['syn_busy', 'a "busy" one\\with\nlines', 'active'],
      ['syn_idle', 'idle', 'active'],
      ['syn_off', 'off', 'paused'],
    ] as const) {
      await run(`insert into syncs (id, name, source_id, target_id, definition, version, created_at, updated_at)
        values ('${id}', ${text(name)}, 'src_a', 'src_a', '{"streams": []}', 1, '${at}', '${at}')`);
      await run(
        `insert into sync_state (sync_id, status, status_at, token, failures, seen) values ('${id}', '${status}', '${at}', 0, 0, 0)`,
      );
    }
    for (const { sync, status, ended, took = 1000, mode = 'run', rows = 10 } of GIVEN.toSorted((a, b) => (b.ended ?? 0) - (a.ended ?? 0))) {
      const id = `run_${String(runs++).padStart(4, '0')}`;
      const finished = ended === null ? 'null' : `'${isoTime(NOW - ended)}'`;
      const started = status === 'skipped' || status === 'queued' ? 'null' : `'${isoTime(NOW - (ended ?? 0) - took)}'`;
      await run(`insert into runs (id, sync_id, status, "trigger", mode, attempt, retries, crashes, headway, created_at, not_before, started_at, finished_at,
          duration_ms, approved, cancelled, report, rows_read, inserted, updated, deleted, unchanged, rejected, bytes)
        values ('${id}', '${sync}', '${status}', 'manual', '${mode}', 1, 0, 0, 0, '${at}', '${status === 'queued' ? FAR : at}', ${started}, ${finished},
          ${status === 'skipped' ? 'null' : took}, 0, 0, '[]', ${rows}, 1, 2, 3, 4, 5, ${rows * 100})`);
    }
  });
  after(() => service.close());

  const GIVEN: GivenRun[] = [
    ...Array.from(
      { length: 20 },
      (_, i): GivenRun => ({ sync: 'syn_busy', status: 'succeeded', ended: (i + 1) * 60_000, took: (i + 1) * 100 }),
    ),
    { sync: 'syn_busy', status: 'partial', ended: 30 * 60_000 },
    { sync: 'syn_busy', status: 'failed', ended: 40 * 60_000 },
    { sync: 'syn_busy', status: 'skipped', ended: 50 * 60_000, rows: 0 },
    { sync: 'syn_busy', status: 'succeeded', ended: 1, mode: 'preview', rows: 1_000_000 },
    { sync: 'syn_busy', status: 'succeeded', ended: HOUR + 1, rows: 500 },
    { sync: 'syn_busy', status: 'running', ended: null },
    { sync: 'syn_idle', status: 'succeeded', ended: 3 * 24 * HOUR },
    { sync: 'syn_idle', status: 'queued', ended: null },
    { sync: 'syn_off', status: 'failed', ended: 20 * 24 * HOUR },
    { sync: 'syn_off', status: 'succeeded', ended: 25 * 24 * HOUR },
    { sync: 'syn_off', status: 'succeeded', ended: 31 * 24 * HOUR },
  ];

  const ask = async (query: string) => {
    const { status, body, text } = await service.get(`${PATH}?${query}`);
    assert.equal(status, 200, text);
    return body.data;
  };

  test('no key 401, wrong scope 403, bad parameters 400, an unknown synchronization 404', async () => {
    assert.equal((await service.get(PATH, { key: null })).status, 401);
    assert.equal((await service.get(PATH, { key: null, headers: SCRAPER })).status, 401);
    assert.equal((await service.get(PATH, { key: await service.keyWith('orders:read') })).status, 403);
    for (const [query, field] of [
      ['window=2h', 'window'],
      ['sync_id=x', 'sync_id'],
      ['from=1', 'from'],
    ] as const) {
      const { status, body } = await service.get(`${PATH}?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error.details.field, field);
    }
    assert.equal((await service.get(`${PATH}?sync_id=syn_nobody`)).status, 404);
  });

  test('an hour: runs, rows, speed, durations, lag and success', async () => {
    const data = await ask('window=1h');
    assert.equal(data.window, '1h');
    assert.equal(data.from, '2026-11-10T11:01:00.000Z', 'a whole minute');
    assert.equal(data.to, isoTime(NOW));
    assert.deepEqual(data.runs, {
      total: 23,
      succeeded: 20,
      partial: 1,
      failed: 1,
      cancelled: 0,
      skipped: 1,
      queued: 1,
      running: 1,
      retrying: 0,
      needs_approval: 0,
    });
    assert.deepEqual(data.rows, { read: 220, inserted: 23, updated: 46, deleted: 69, unchanged: 92, rejected: 115 });
    assert.equal(data.bytes, 22_000);
    // 100 + 200 + … + 2,000 ms, and two runs of a second.
    assert.deepEqual(data.throughput, { rows_per_second: 9.6, bytes_per_second: 956.5 });
    assert.deepEqual(data.duration_ms, { p50: 1000, p95: 1900, max: 2000 });
    assert.equal(data.success_rate, 0.9545);
    assert.equal(data.lag_seconds, (3 * 24 * HOUR + 1000) / 1000);
    assert.deepEqual(
      data.syncs.map((sync: { sync_id: string; runs: { total: number }; lag_seconds: number; success_rate: number }) => [
        sync.sync_id,
        sync.runs.total,
        sync.lag_seconds,
        sync.success_rate,
      ]),
      [
        ['syn_busy', 23, 60, 0.9545],
        ['syn_idle', 0, 259_201, null],
        ['syn_off', 0, null, null],
      ],
    );
    assert.deepEqual(data.syncs[1].duration_ms, { p50: null, p95: null, max: null });
    assert.deepEqual(data.syncs[1].throughput, { rows_per_second: 0, bytes_per_second: 0 });
  });

  test('every window has its series, which adds up to the whole', async () => {
    for (const [window, points, step, total] of [
      ['1h', 60, HOUR / 60, 23],
      ['24h', 48, HOUR / 2, 24],
      ['7d', 84, 2 * HOUR, 25],
      ['30d', 60, 12 * HOUR, 27],
    ] as const) {
      const { series, runs: counted, rows, bytes, from } = await ask(`window=${window}`);
      assert.equal(series.length, points);
      assert.equal(series[0].at, from);
      assert.equal(Date.parse(series[1].at) - Date.parse(series[0].at), step);
      assert.equal(counted.total, total, window);
      const sum = (pick: (point: { runs: { total: number }; rows: { read: number }; bytes: number }) => number): number =>
        series.map(pick).reduce((a: number, b: number) => a + b, 0);
      assert.equal(
        sum((point) => point.runs.total),
        total,
      );
      assert.equal(
        sum((point) => point.rows.read),
        rows.read,
      );
      assert.equal(
        sum((point) => point.bytes),
        bytes,
      );
    }
    assert.equal((await ask('')).window, '24h');
  });

  test('of one synchronization', async () => {
    const data = await ask('window=30d&sync_id=syn_off');
    assert.deepEqual(
      data.syncs.map(({ sync_id }: { sync_id: string }) => sync_id),
      ['syn_off'],
    );
    assert.equal(data.runs.total, 2);
    assert.equal(data.runs.running, 0);
    assert.equal(data.success_rate, 0.5);
    assert.equal(data.lag_seconds, null);
  });

  test('Prometheus gets its text format, all others JSON', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html, */*;q=0.8', 'application/json, text/plain;q=0.9', 'text/plain;q=0, */*']) {
      const { headers } = await service.get(PATH, { headers: { accept } });
      assert.match(headers.get('content-type') ?? '', /^application\/json/, accept);
      assert.equal(headers.get('vary'), 'Accept');
    }
    for (const accept of ['text/plain', 'text/*', 'text/plain;version=0.0.4, */*;q=0.1', SCRAPER.accept]) {
      const { status, headers } = await service.get(PATH, { headers: { accept } });
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8', accept);
    }
  });

  test('the text format is strictly what its specification says, and tells the same', async () => {
    await service.get('/api/v1/orders/ord_nothing');
    await service.get('/nowhere');
    const { text } = await service.get(`${PATH}?window=1h`, { headers: SCRAPER });
    const families = parsePrometheusText(text);
    const valueOf = (name: string, labels: Record<string, string> = {}): number | undefined =>
      families
        .get(name.replace(/_(bucket|count|sum)$/, ''))
        ?.samples.find((sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
        ?.value;
    const busy = { sync_id: 'syn_busy', sync: 'a "busy" one\\with\nlines', window: '1h' };
    assert.equal(valueOf('syncline_sync_runs', { ...busy, status: 'succeeded' }), 20);
    assert.equal(valueOf('syncline_sync_runs', { ...busy, status: 'running' }), 1);
    assert.equal(valueOf('syncline_sync_rows', { ...busy, kind: 'read' }), 220);
    assert.equal(valueOf('syncline_sync_run_duration_seconds', { ...busy, quantile: '0.95' }), 1.9);
    assert.equal(valueOf('syncline_sync_lag_seconds', busy), 60);
    assert.equal(valueOf('syncline_sync_success_ratio', busy), 0.9545);
    assert.equal(valueOf('syncline_sync_success_ratio', { sync_id: 'syn_idle' }), undefined);
    assert.equal(valueOf('syncline_queue_depth'), 1);
    assert.equal(valueOf('syncline_running_runs'), 1);
    const route = { method: 'GET', route: '/api/v1/orders/{id}' };
    assert.equal(valueOf('syncline_http_requests_total', { ...route, status: '404' }), 1);
    assert.equal(valueOf('syncline_http_request_duration_seconds_count', route), 1);
    assert.equal(valueOf('syncline_http_requests_total', { route: '', status: '404' }), 1);
    assert.ok((valueOf('syncline_http_requests_total', { route: '', status: '401' }) ?? 0) >= 2);
    assert.ok((valueOf('process_resident_memory_bytes') ?? 0) > 1e7);
    assert.ok(Math.abs((valueOf('process_start_time_seconds') ?? 0) - (Date.now() / 1000 - process.uptime())) < 5);
    assert.ok((valueOf('syncline_event_loop_lag_seconds', { quantile: '0.99' }) ?? -1) >= 0, 'from the second question on');
    for (const [name, { type, samples }] of families) {
      assert.ok(samples.length > 0, name);
      assert.equal(type === 'counter', name.endsWith('_total'), name);
    }
  });

  test('what is remembered of days that are over goes with the synchronization it is about', async () => {
    assert.equal((await ask('window=30d')).runs.total, 27);
    await service.app.db.write(runStatement, `delete from syncs where id = 'syn_off'`);
    const data = await ask('window=30d');
    assert.equal(data.runs.total, 25);
    assert.equal(data.syncs.length, 2);
  });
});
