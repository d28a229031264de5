// `npm run bench:find`: how long it takes to find orders among a million, on both databases. See bench/README.md.
import { parseArgs } from 'node:util';
import { findSection } from './sections/find.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const ENGINES = ['sqlite', 'postgres'] as const;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    only: { type: 'string', multiple: true },
    // A folder, or the address of a database: what is there already is not made again.
    at: { type: 'string' },
  },
});
const orders = Number(values.orders);
const asked = partsAsked(ENGINES, values.only ?? ENGINES, [orders >= 10_000], 'bench:find -- [--orders 1000000]');
await runParts(
  'bench:find',
  asked.map((engine) => ({ title: `Finding orders on ${engine}`, run: () => findSection(engine, orders, values.at) })),
);
