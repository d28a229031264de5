// `npm run bench:webhooks`: how fast events are delivered, what it costs others, and how fast calls of hooks are taken. See bench/README.md.
import { parseArgs } from 'node:util';
import { hooksSection } from './sections/hooks.ts';
import { latencySection, manySection, ordersSection, throughputSection } from './sections/webhooks.ts';
import type { Section } from './support/bench.ts';
import { clientName } from './support/load.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, { title: string; run: Section }> = {
  throughput: { title: 'Deliveries a second', run: throughputSection },
  latency: { title: 'From commit to arrival', run: latencySection },
  orders: { title: 'POST /orders with an endpoint', run: ordersSection },
  many: { title: '10,000 endpoints, of which 1,000 are dead', run: manySection },
  hooks: { title: 'Calls of hooks, on PostgreSQL', run: hooksSection },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string', multiple: true },
  },
});
const bench = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
const names = Object.keys(SECTIONS);
const asked = partsAsked(
  names,
  values.only ?? names,
  [bench.rounds >= 1, bench.seconds >= 1],
  'bench:webhooks -- [--rounds 5] [--seconds 4]',
);
await runParts(
  'bench:webhooks',
  asked.map((name) => ({ title: SECTIONS[name]?.title ?? '', run: async () => SECTIONS[name]?.run(bench) })),
  clientName,
);
