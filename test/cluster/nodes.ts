import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import { clockOff } from '../support/cluster-clock.ts';
import { type Cluster, type Node, putToSleep, wakeUp } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import type { AtWork, Witnesses } from './witnesses.ts';

/** The clocks of the nodes are right, ten minutes ahead and ten minutes behind, in turns. */
const CLOCKS = [0, 600, -600];
const READY_WITHIN = 60_000;
const TAKEN_UP_WITHIN = 90_000;
const STOPPED_WITHIN = 25_000;

/** Nodes that reach our own database each by a wire of its own, which can be cut. */
export class WiredNodes {
  readonly #proxies = new Map<Node, ChaosProxy>();
  #started = 0;

  async start(cluster: Cluster): Promise<Node> {
    const { hostname, port } = new URL(cluster.place.databaseUrl ?? '');
    const seconds = CLOCKS[this.#started++ % CLOCKS.length] ?? 0;
    const proxy = await startChaosProxy({ host: hostname, port: Number(port) });
    const node = await cluster.start(seconds === 0 ? {} : clockOff(seconds), proxy.port);
    this.#proxies.set(node, proxy);
    return node;
  }

  wireOf(node: Node): ChaosProxy {
    return this.#proxies.get(node) as ChaosProxy;
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies.values()) await proxy.close();
  }
}

/** A node that works on runs, and what is needed to do something to it. */
interface Victim {
  readonly cluster: Cluster;
  readonly wired: WiredNodes;
  readonly node: Node;
  /** Resolves when others have gone on with all of its runs. */
  readonly untilTakenOver: () => Promise<void>;
}

/** What can happen to a node; in the end there are as many as before. */
export type Fault = (victim: Victim) => Promise<void>;

const cutOff =
  (how: (wire: ChaosProxy) => void | Promise<void>): Fault =>
  async ({ wired, node, untilTakenOver }) => {
    const wire = wired.wireOf(node);
    node.isAway = true;
    await how(wire);
    // The target can be reached all the time.
    await untilTakenOver();
    await wire.heal();
    await until('the node is ready again', async () => (await fetch(`${node.url}/readyz`)).ok, READY_WITHIN);
    node.isAway = false;
  };

export const FAULTS: Readonly<Record<string, Fault>> = {
  'is killed': async ({ cluster, wired, node, untilTakenOver }) => {
    await cluster.kill(node);
    await untilTakenOver();
    await wired.start(cluster);
  },
  'sleeps until its runs are not its own any more': async ({ node, untilTakenOver }) => {
    putToSleep(node);
    await untilTakenOver();
    wakeUp(node);
  },
  'is cut off from our database, and nothing tells it so': cutOff((wire) => {
    wire.blackHole = true;
  }),
  'is cut off from our database, which refuses it': cutOff((wire) => wire.shut({ reset: true })),
  'is told to stop': async ({ cluster, wired, node, untilTakenOver }) => {
    const told = performance.now();
    assert.deepEqual(await cluster.stop(node), { code: 0, signal: null }, node.logs());
    const took = performance.now() - told;
    assert.ok(took < STOPPED_WITHIN, `it took ${took} ms to stop`);
    await untilTakenOver();
    await wired.start(cluster);
  },
};

/** Waits for a node that works, and lets something happen to it when it has worked a little more. */
export async function strike(
  fault: Fault,
  place: { cluster: Cluster; witnesses: Witnesses; wired: WiredNodes },
  options: { after: number; waitsForLease: boolean },
): Promise<void> {
  const { cluster, witnesses, wired } = place;
  await pause(options.after);
  const { node, runs } = await busyNode(cluster, witnesses);
  const untilTakenOver = async (): Promise<void> => {
    // Nobody has to wait for a lease to be over that can be ended as well.
    if (!options.waitsForLease) await witnesses.endLeases(runs);
    for (const run of runs) await until(`another node to go on with ${run.id}`, () => witnesses.isTakenOver(run), TAKEN_UP_WITHIN);
  };
  await fault({ cluster, wired, node, untilTakenOver });
}

function busyNode(cluster: Cluster, witnesses: Witnesses): Promise<{ node: Node; runs: AtWork[] }> {
  return until(
    'a node that works on a run',
    async () => {
      const atWork = await witnesses.atWork();
      const node = cluster.present.find(({ name }) => atWork.some((run) => run.node === name));
      return node && { node, runs: atWork.filter((run) => run.node === node.name) };
    },
    READY_WITHIN,
  );
}
