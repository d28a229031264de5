import type { ClusterSection } from '../support/bench.ts';
import { drive } from '../support/load.ts';
import { coresUsed, prepareGround } from '../support/nodes.ts';
import { compare, measure } from '../support/report.ts';
import { postOrders } from '../support/shop.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { fillCatalogue } from '../support/syncline.ts';

const CONNECTIONS = 64;

/** POST /orders at two nodes against one, as many connections in all. */
export const section: ClusterSection = async ({ rounds, seconds }) => {
  const ground = await prepareGround();
  const nodes = [await ground.start('api'), await ground.start('api')] as const;
  await fillCatalogue(nodes[0]);
  const requests = postOrders(nodes[0].key);
  const send = async (to: readonly { url: string }[]) => {
    const load = { requests, connections: CONNECTIONS / to.length };
    const { result, cores } = await coresUsed(() => Promise.all(to.map(({ url }) => drive(url, load, seconds))));
    return { rate: result.reduce((sum, { rate }) => sum + rate, 0), p99: Math.max(...result.map(({ p99 }) => p99)), cores };
  };
  await send(nodes);
  const passes = await inTurns(
    rounds,
    () => send(nodes),
    () => send(nodes.slice(0, 1)),
  );
  compare(
    `POST /orders, ${CONNECTIONS} connections, two nodes against one`,
    '/s',
    mapPair(passes, ({ rate }) => rate),
    { atLeast: 1.5 },
  );
  compare(
    `POST /orders, ${CONNECTIONS} connections, two nodes against one, p99`,
    'ms',
    mapPair(passes, ({ p99 }) => p99),
  );
  compare(
    'Cores of the machine at work meanwhile, client and PostgreSQL included',
    'cores',
    mapPair(passes, ({ cores }) => cores),
  );
  measure(
    'Orders that one core takes, two nodes',
    '/s',
    passes.ours.map(({ rate, cores }) => rate / cores),
  );
};
