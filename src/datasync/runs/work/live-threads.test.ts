import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUp } from '../../../../test/support/real-syncs.ts';
import { definitionOf, streamOf } from '../../../../test/support/sync-fixture.ts';
import { until } from '../../../../test/support/until.ts';
import type { HookPort } from '../../../connectors/hook-port.ts';
import type { SourceSecrets } from '../../sources/kept-secrets.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { RunOrder, RunOutcome } from '../../../engine/run.ts';
import { createLog } from '../../../lib/log.ts';
import { createLiveThreads } from './live-threads.ts';
import type { RunUnderWay } from './run-in-thread.ts';
import type { RunDesk } from './run-messages.ts';

// It remembers nothing; the runs of this test have no need of it.
const desk = new Proxy({}, { get: () => async () => [] }) as RunDesk;
/** More than there are threads on any machine, so that each has several. */
const MANY = 8;

function orderOf(id: string, fail: unknown[] = []): RunOrder {
  const end = (name: string, config: unknown) => ({ id: `src_${name}`, name, type: 'fake', config });
  return {
    id,
    syncId: `syn_${id}`,
    mode: 'run',
    token: 1n,
    approved: false,
    source: end(`${id} source`, madeUp({ fail })),
    target: end(`${id} target`, { name: `${id} target`, streams: [], fail: [], delay_ms: 0 }),
    definition: definitionOf([{ ...streamOf('t'), mode: 'cdc', cursor: null }]),
    streams: [{ index: 0, generation: 1, fields: null, position: null, rows: null, openRejects: 0 }],
    sideBySide: 1,
    rollAfter: 3_600_000,
    splitRows: 0,
  } as unknown as RunOrder;
}

interface Followed extends RunUnderWay {
  isLive: boolean;
  over: RunOutcome | undefined;
}

test('the end of a thread that live runs share ends those in it and no others; they can be begun again', async () => {
  const threads = createLiveThreads({
    networks: 'any',
    roots: { folders: [], dataDir: '/nowhere' },
    memory: 256,
    log: createLog('silent'),
  });
  const begin = (order: RunOrder): Followed => {
    const followed: Followed = Object.assign(
      threads.start(
        order,
        { desk, shop: {} as ShopPort, hooks: {} as HookPort, secrets: {} as SourceSecrets },
        {
          progress: (_, report) => {
            followed.isLive = report.live === 'live';
          },
          lag: () => {},
          log: () => {},
        },
      ),
      { isLive: false, over: undefined },
    );
    void followed.outcome.then((outcome) => (followed.over = outcome));
    return followed;
  };
  const areLive = (runs: readonly Followed[]): Promise<unknown> =>
    until('all to be live', () => {
      assert.deepEqual(
        runs.flatMap(({ over }) => over ?? []),
        [],
      );
      return runs.every(({ isLive }) => isLive);
    });
  try {
    const runs = Array.from({ length: MANY }, (_, n) => begin(orderOf(`run_${n}`)));
    await areLive(runs);
    const deadly = begin(orderOf('run_deadly', [{ at: 'follow', kind: 'bug', ends: true }]));
    const { status, error } = await deadly.outcome;
    assert.deepEqual([status, error?.kind, error?.code], ['failed', 'transient', 'THREAD_ENDED']);
    const ended = runs.filter(({ over }) => over !== undefined);
    assert.ok(ended.length > 0 && ended.length < MANY, `${ended.length} of ${MANY} were in the thread`);
    for (const { over } of ended) {
      assert.deepEqual([over?.status, over?.error?.kind, over?.error?.code], ['failed', 'transient', 'THREAD_ENDED']);
      assert.deepEqual([over?.streams[0]?.report.status, over?.streams[0]?.report.live], ['failed', 'live']);
    }
    const again = ended.map((_, n) => begin(orderOf(`run_again_${n}`)));
    const others = runs.filter(({ over }) => over === undefined);
    await areLive([...others, ...again]);
    for (const run of [...others, ...again]) run.stop('handed_over', 10_000);
    for (const run of [...others, ...again]) assert.equal((await run.outcome).status, 'handed_over');
  } finally {
    await threads.close();
  }
});

test('a thread that was made ready is used, and goes when nobody comes', async () => {
  const threads = createLiveThreads({
    networks: 'any',
    roots: { folders: [], dataDir: '/nowhere' },
    memory: 256,
    log: createLog('silent'),
  });
  try {
    assert.equal(threads.isWarm(), false);
    // One that is not known is found out about by the run.
    threads.warm(['fake', 'none']);
    assert.equal(threads.isWarm(), true);
    const run = threads.start(
      orderOf('run_warm'),
      { desk, shop: {} as ShopPort, hooks: {} as HookPort, secrets: {} as SourceSecrets },
      { progress: () => {}, lag: () => {}, log: () => {} },
    );
    run.stop('handed_over', 10_000);
    assert.equal((await run.outcome).status, 'handed_over');
  } finally {
    await threads.close();
  }
  assert.equal(threads.isWarm(), false);
});
