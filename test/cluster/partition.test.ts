import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import type { Cluster, Node } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import { untilTakenOver, whileBusy } from './bustle.ts';
import { howOften, TAKEN_OVER_WITHIN, waitsForLease } from './faults.ts';

const CUTS = howOften(3);
const NODES = 3;

// What the node that is cut off notices: nothing at all, or that nobody is there.
const WAYS: readonly ((proxy: ChaosProxy) => void | Promise<void>)[] = [
  (proxy) => {
    proxy.blackHole = true;
  },
  (proxy) => proxy.shut(),
  (proxy) => proxy.shut({ reset: true }),
];

test(`a node cut off from our database, not from the target, ${CUTS} times: it loses its runs and writes nothing any more`, async (t) => {
  const proxies = new Map<Node, ChaosProxy>();
  const start = async (cluster: Cluster): Promise<void> => {
    const { hostname, port } = new URL(cluster.place.databaseUrl ?? '');
    for (let started = 0; started < NODES; started++) {
      const proxy = await startChaosProxy({ host: hostname, port: Number(port) });
      proxies.set(await cluster.start({}, proxy.port), proxy);
    }
  };
  try {
    const outcome = await whileBusy({ start }, async ({ witnesses, busyNode }) => {
      for (let cut = 0; cut < CUTS; cut++) {
        const { node, runs } = await busyNode();
        const proxy = proxies.get(node) as ChaosProxy;
        node.isAway = true;
        await WAYS[cut % WAYS.length]?.(proxy);
        if (!waitsForLease(cut)) await witnesses.endLeases(runs);
        await untilTakenOver(witnesses, runs);
        await proxy.heal();
        await until('the node is ready again', async () => (await fetch(`${node.url}/readyz`)).ok, 40_000);
        node.isAway = false;
      }
    });
    t.diagnostic(JSON.stringify(outcome));
    assert.ok(outcome.slowest <= TAKEN_OVER_WITHIN, `a run waited for ${outcome.slowest} ms after its lease was over`);
    assert.ok(outcome.takeovers >= CUTS / 2, JSON.stringify(outcome));
  } finally {
    for (const proxy of proxies.values()) await proxy.close();
  }
});
