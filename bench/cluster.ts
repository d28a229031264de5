// `npm run bench:cluster`: what several nodes on one PostgreSQL do, and what an idle one costs. See bench/README.md.
import { parseArgs } from 'node:util';
import { section as idle } from './sections/cluster-idle.ts';
import { section as latency } from './sections/cluster-latency.ts';
import { section as orders } from './sections/cluster-orders.ts';
import { section as queue } from './sections/cluster-queue.ts';
import { section as split } from './sections/cluster-split.ts';
import type { ClusterSection } from './support/bench.ts';
import { clientName } from './support/load.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, { title: string; run: ClusterSection }> = {
  orders: { title: 'POST /orders at two nodes', run: orders },
  queue: { title: 'Many queued runs', run: queue },
  latency: { title: 'From one node to another', run: latency },
  idle: { title: 'An idle node', run: idle },
  split: { title: 'A large table in parts', run: split },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    runs: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string', multiple: true },
  },
});
const bench = { rounds: Number(values.rounds), seconds: Number(values.seconds), runs: Number(values.runs), rows: Number(values.rows) };
const names = Object.keys(SECTIONS);
const asked = partsAsked(
  names,
  values.only ?? names,
  Object.values(bench).map((number) => number >= 1),
  'bench:cluster -- [--rounds 5] [--seconds 4] [--runs 10000] [--rows 1000000]',
);
await runParts(
  'bench:cluster',
  asked.map((name) => ({ title: SECTIONS[name]?.title ?? '', run: async () => SECTIONS[name]?.run(bench) })),
  clientName,
);
