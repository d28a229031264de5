// `npm run bench:orders`: how fast and how large the service is, next to things that do less. See bench/README.md.
import { parseArgs } from 'node:util';
import { footprintSection } from './sections/footprint.ts';
import { listOrdersSection } from './sections/list-orders.ts';
import { postOrdersSection } from './sections/post-orders.ts';
import { postgresSection } from './sections/postgres.ts';
import { syncProductsSection } from './sections/sync-products.ts';
import type { Section } from './support/bench.ts';
import { cleanUp, cleanUpOnSignals, isInterrupted } from './support/cleanup.ts';
import { clientName } from './support/load.ts';
import { missed, table } from './support/report.ts';

const SECTIONS: Record<string, { title: string; run: Section }> = {
  post: { title: 'POST /orders on SQLite', run: postOrdersSection },
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
const asked = values.only ?? Object.keys(SECTIONS);
const unknown = asked.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0 || !(bench.rounds >= 1) || !(bench.seconds >= 1)) {
  console.error(`Usage: npm run bench:orders -- [--rounds 5] [--seconds 4] [--only ${Object.keys(SECTIONS).join('|')}]…`);
  process.exit(2);
}

cleanUpOnSignals();
try {
  for (const name of asked) {
    const section = SECTIONS[name];
    console.log(`\n${section?.title}`);
    await section?.run(bench);
    await cleanUp();
  }
  console.log(`\n${table('bench:orders', clientName)}\n\n${missed() === 0 ? 'Every target was reached.' : `Targets MISSED: ${missed()}.`}`);
} catch (error) {
  if (!isInterrupted()) console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
