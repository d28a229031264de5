import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { installPackage } from '../support/debian-package.ts';
import { freePort } from '../support/postgres-server.ts';
import { type Family, parsePrometheusText } from '../support/prometheus-text.ts';
import { addSource, ask, madeUp, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const PROMETHEUS = '/usr/bin/prometheus';
const PROMTOOL = '/usr/bin/promtool';
const DEPLOY = new URL('../../deploy/', import.meta.url);

function metric(families: ReadonlyMap<string, Family>, name: string, labels: Record<string, string>): number | undefined {
  const family = families.get(name.replace(/_(bucket|count|sum)$/, ''));
  return family?.samples.find((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    ?.value;
}

/** A synchronization that has never run, from made-up rows into a file. */
async function addSync(service: Service, name: string): Promise<string> {
  const source = await addSource(service, 'fake', madeUp({ count: 25 }), `${name} source`);
  const target = await addSource(service, 'sqlite', { path: sqliteFile(service.place, `${name}.db`) }, `${name} target`);
  const streams = [{ source: 't', target: 't', mode: 'mirror', key: ['id'] }];
  const { id } = await ask(service, 'POST', '/sync', { name, source_id: source, target_id: target, schedule: { type: 'manual' }, streams });
  return id as string;
}

onEitherEngine('GET /metrics', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const scrape = async () => parsePrometheusText((await service.get('/metrics')).text);

  test('is for programs with a key; a browser gets the page', async () => {
    assert.equal((await service.get('/metrics', { key: null })).status, 401);
    assert.equal((await service.get('/metrics', { key: await service.keyWith('orders:read') })).status, 403);
    const { status, headers } = await service.get('/metrics', { key: await service.keyWith('datasync:read') });
    assert.deepEqual(
      [status, headers.get('content-type'), headers.get('vary')],
      [200, 'text/plain; version=0.0.4; charset=utf-8', 'Accept'],
    );
    for (const path of ['/metrics', '/metrics?window=7d', '/metrics/']) {
      const page = await service.get(path, { key: null, headers: { accept: HTML } });
      assert.equal(page.status, 200, path);
      assert.match(page.text, /^<!doctype html>/i, path);
    }
  });

  test('has counters that only go up, whatever becomes of runs, and a series for what has never run', async () => {
    const id = await addSync(service, 'counted');
    const labels = { sync_id: id, sync: 'counted' };
    const fresh = await scrape();
    assert.equal(metric(fresh, 'syncline_runs_total', { ...labels, status: 'succeeded' }), 0);
    assert.equal(metric(fresh, 'syncline_rows_total', { ...labels, kind: 'inserted' }), 0);
    assert.equal(metric(fresh, 'syncline_run_duration_seconds_count', labels), 0);
    assert.equal(metric(fresh, 'syncline_sync_health', { ...labels, health: 'pending' }), 1);
    assert.equal(metric(fresh, 'syncline_sync_last_success_timestamp_seconds', labels), 0);
    assert.equal(metric(fresh, 'syncline_verify_timestamp_seconds', labels), 0);
    assert.equal(metric(fresh, 'syncline_sync_open_rejects', labels), 0);
    assert.ok((metric(fresh, 'syncline_sync_age_seconds', labels) ?? -1) >= 0);

    await runToEnd(service, id);
    await runToEnd(service, id);
    await runToEnd(service, id, { mode: 'preview' });
    const ran = await scrape();
    assert.equal(metric(ran, 'syncline_runs_total', { ...labels, status: 'succeeded' }), 2);
    assert.equal(metric(ran, 'syncline_rows_total', { ...labels, kind: 'read' }), 50);
    assert.equal(metric(ran, 'syncline_rows_total', { ...labels, kind: 'inserted' }), 25);
    assert.equal(metric(ran, 'syncline_run_duration_seconds_count', labels), 2);
    assert.equal(metric(ran, 'syncline_run_duration_seconds_bucket', { ...labels, le: '+Inf' }), 2);
    assert.equal(metric(ran, 'syncline_sync_health', { ...labels, health: 'synced' }), 1);
    assert.ok((metric(ran, 'syncline_sync_last_success_timestamp_seconds', labels) ?? 0) > 1.7e9);

    await ask(service, 'POST', `/sync/${id}/pause`);
    await ask(service, 'POST', `/sync/${id}/reset`);
    const paused = await scrape();
    assert.equal(metric(paused, 'syncline_sync_paused', labels), 1);
    assert.equal(metric(paused, 'syncline_sync_health', { ...labels, health: 'paused' }), 1);
    assert.equal(metric(paused, 'syncline_runs_total', { ...labels, status: 'succeeded' }), 2);
    assert.ok((metric(paused, 'syncline_sync_age_seconds', labels) ?? -1) >= 0);

    await ask(service, 'DELETE', `/sync/${id}`);
    assert.equal(metric(await scrape(), 'syncline_runs_total', { ...labels, status: 'succeeded' }), undefined);
  });
});

onEitherEngine('Prometheus itself', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-prometheus-'));
  let service: Service;
  let metricsUrl: string;
  before(async () => {
    if (!existsSync(PROMTOOL)) installPackage('prometheus', 'The tests of metrics need Prometheus: install the Debian package prometheus.');
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    service = await startService(engine, { environment: { SYNCLINE_METRICS_PORT: String(port) } });
    await runToEnd(service, await addSync(service, 'shown'));
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test('a port of its own needs no key, and has nothing else', async () => {
    const answer = await fetch(metricsUrl);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /^syncline_runs_total\{.*sync="shown".*status="succeeded"\} 1$/m);
    for (const [method, path] of [
      ['GET', '/api/v1/orders'],
      ['GET', '/'],
      ['POST', '/metrics'],
      ['GET', '/metrics/x'],
    ] as const) {
      const refused = await fetch(new URL(path, metricsUrl), { method });
      assert.equal(refused.status, 404, `${method} ${path}`);
      await refused.body?.cancel();
    }
  });

  test('finds nothing to complain about, and the rules of alerts are right', async () => {
    const { text } = await service.get('/metrics');
    const complaints = execFileSync(PROMTOOL, ['check', 'metrics'], { input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
    assert.equal(complaints, '');
    execFileSync(PROMTOOL, ['check', 'rules', new URL('prometheus/rules.yaml', DEPLOY).pathname], { stdio: 'pipe' });
    execFileSync(PROMTOOL, ['test', 'rules', new URL('prometheus/rules.test.yaml', DEPLOY).pathname], { stdio: 'pipe' });
  });

  test('scrapes, evaluates the rules, and knows what the dashboard of Grafana asks for', async () => {
    const port = await freePort();
    const settings = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [new URL('prometheus/rules.yaml', DEPLOY).pathname],
      scrape_configs: [
        {
          job_name: 'syncline',
          authorization: { credentials: await service.keyWith('datasync:read') },
          static_configs: [{ targets: [new URL(service.url).host] }],
        },
      ],
    };
    // Whatever is JSON is YAML, too.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(settings));
    const program = spawn(
      PROMETHEUS,
      [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
      { stdio: 'ignore' },
    );
    try {
      const api = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
        return answer?.headers.get('content-type')?.startsWith('application/json')
          ? ((await answer.json()) as { status: string; error?: string; data: unknown })
          : undefined;
      };
      const query = async (text: string) => {
        const answer = await api(`query?query=${encodeURIComponent(text)}`);
        assert.equal(answer?.status, 'success', `${text}: ${answer?.error}`);
        return (answer as { data: { result: { value: [number, string] }[] } }).data.result;
      };
      await until(
        'the first scrape',
        async () => (await api('query?query=up'))?.status === 'success' && (await query('up == 1')).length === 1,
      );
      assert.equal((await query('syncline_runs_total{sync="shown", status="succeeded"}'))[0]?.value[1], '1');
      const rules = (await api('rules'))?.data as { groups: { rules: { health: string; lastError?: string }[] }[] };
      assert.ok(rules.groups.flatMap((group) => group.rules).length >= 10);

      const dashboard = JSON.parse(readFileSync(new URL('grafana/syncline.json', DEPLOY), 'utf8')) as {
        panels: { targets: { expr: string }[] }[];
      };
      const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      for (const expression of asked) await query(expression.replaceAll('$sync', '.*').replaceAll('$__rate_interval', '1m'));
      const names = new Set((await api('label/__name__/values'))?.data as string[]);
      const used = asked.flatMap((expression) => expression.match(/\b(?:syncline|process)_\w+/g) ?? []);
      // Those of what is live, and of endpoints, are there when there is one.
      const absent = used.filter((name) => !names.has(name) && !/^syncline_(lag_seconds|retained_bytes|webhook_lag_seconds)$/.test(name));
      assert.deepEqual(absent, []);
    } finally {
      program.kill();
    }
  });
});
