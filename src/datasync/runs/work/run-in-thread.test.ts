import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HookPort } from '../../../connectors/hook-port.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { RunOrder } from '../../../engine/run.ts';
import { createLog } from '../../../lib/log.ts';
import { madeUp } from '../../../../test/support/real-syncs.ts';
import { streamOf } from '../../../../test/support/engine-run.ts';
import { isBeingRead, withHeavyView } from '../../../../test/support/heavy-view.ts';
import { until } from '../../../../test/support/until.ts';
import { definitionOf } from '../../../../test/support/sync-fixture.ts';
import type { RunDesk } from './run-messages.ts';
import { createRunThreads } from './run-in-thread.ts';
import type { SourceSecrets } from '../../sources/kept-secrets.ts';

// It remembers nothing; the runs of this test have no need of it.
const desk = new Proxy({}, { get: () => async () => [] }) as RunDesk;

function orderOf(id: string, delay: number): RunOrder {
  const end = (name: string, config: unknown) => ({ id: `src_${name}`, name, type: 'fake', config: config as object });
  return {
    id,
    syncId: `syn_${id}`,
    mode: 'run',
    token: 1n,
    approved: false,
    source: end(`${id} source`, madeUp({ delay_ms: delay })),
    target: end(`${id} target`, { name: `${id} target`, streams: [], fail: [], delay_ms: 0 }),
    definition: definitionOf([streamOf('t')]),
    streams: [{ index: 0, generation: 1, fields: null, position: null, rows: null, openRejects: 0 }],
    sideBySide: 1,
  } as unknown as RunOrder;
}

/** Threads for one run at a time. */
function oneThread(folders: readonly string[] = []) {
  const log = createLog('silent');
  const threads = createRunThreads({ networks: 'any', roots: { folders, dataDir: '/nowhere' }, most: 1, memory: 256, log });
  const start = (order: RunOrder, progress = (): void => {}) =>
    threads.start(
      order,
      { desk, shop: {} as ShopPort, hooks: {} as HookPort, secrets: {} as SourceSecrets },
      { progress, lag: () => {}, log: () => {} },
    );
  return { threads, start };
}

test('to stop a run that is over does not stop the next one of its thread', async () => {
  const { threads, start } = oneThread();
  try {
    const first = start(orderOf('run_1', 0));
    assert.equal((await first.outcome).status, 'succeeded');
    let stops = 0;
    const second = start(orderOf('run_2', 20), () => {
      stops++;
      first.stop('fenced', 0);
    });
    const { status, error } = await second.outcome;
    assert.deepEqual([status, error], ['succeeded', null]);
    assert.ok(stops > 0, 'it was under way when the first one was stopped');
  } finally {
    await threads.close();
  }
});

test('a run that is stopped before it begins, or after it is over, leaves no clock behind that keeps the process from its end', async () => {
  const { threads, start } = oneThread();
  const clocks = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = clocks();
  try {
    const early = start(orderOf('run_1', 0));
    early.stop('handed_over', 60_000);
    assert.equal((await early.outcome).status, 'handed_over');
    const late = start(orderOf('run_2', 0));
    assert.equal((await late.outcome).status, 'succeeded');
    late.stop('handed_over', 60_000);
    assert.equal(clocks(), before);
  } finally {
    await threads.close();
  }
});

test('runs that read a view without end are ended when they are stopped, however many, and the next one works', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-runs-'));
  const { threads, start } = oneThread([folder]);
  t.after(async () => {
    await threads.close();
    rmSync(folder, { recursive: true });
  });
  const config = { path: withHeavyView(join(folder, 'heavy.db')), create: false, busy_timeout_ms: 0 };
  const reading = (id: string, stream: string): RunOrder => {
    const order = orderOf(id, 0);
    const source = { ...order.source, type: 'sqlite', config };
    return { ...order, source, definition: definitionOf([{ ...streamOf(stream), target: 't' }]) };
  };
  for (let i = 0; i < 3; i++) {
    const heavy = start(reading(`run_heavy_${i}`, 'heavy'));
    await until('the view to be read', () => isBeingRead(config.path));
    heavy.stop('cancelled', 0);
    const { status } = await heavy.outcome;
    assert.equal(status, 'cancelled');
  }
  const { status, error, streams } = await start(reading('run_next', 't')).outcome;
  assert.deepEqual([status, error, streams[0]?.report.error], ['succeeded', null, null]);
});
