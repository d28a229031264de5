// `npm run bench:orders`: how fast and how large the service is, next to things that do less. See bench/README.md.
import { parseArgs } from 'node:util';
import { footprintSection } from './sections/footprint.ts';
import { importOrdersSection } from './sections/import-orders.ts';
import { listOrdersSection } from './sections/list-orders.ts';
import { postOrdersSection } from './sections/post-orders.ts';
import { postgresSection } from './sections/postgres.ts';
import { reserveOrdersSection } from './sections/reserve-orders.ts';
import { syncProductsSection } from './sections/sync-products.ts';
import type { Section } from './support/bench.ts';
import { clientName } from './support/load.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, { title: string; run: Section }> = {
  post: { title: 'POST /orders on SQLite', run: postOrdersSection },
  reserve: { title: 'POST /orders with reserve', run: reserveOrdersSection },
  import: { title: 'POST /orders/batch on SQLite', run: importOrdersSection },
  list: { title: 'GET /orders with 1,000,000 orders stored', run: listOrdersSection },
  products: { title: 'POST /products/sync/batch', run: syncProductsSection },
  postgres: { title: 'POST /orders on PostgreSQL', run: postgresSection },
  footprint: { title: 'Start and memory', run: footprintSection },
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
  'bench:orders -- [--rounds 5] [--seconds 4]',
);
await runParts(
  'bench:orders',
  asked.map((name) => ({ title: SECTIONS[name]?.title ?? '', run: async () => SECTIONS[name]?.run(bench) })),
  clientName,
);
