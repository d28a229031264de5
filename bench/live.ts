// `npm run bench:live`: how fast a live synchronization follows, next to PostgreSQL's own subscription. See bench/README.md.
import { parseArgs } from 'node:util';
import { section as catchUp } from './sections/live-catch-up.ts';
import { section as idle } from './sections/live-idle.ts';
import { section as latency } from './sections/live-latency.ts';
import { section as mariadb } from './sections/live-mariadb.ts';
import type { LiveSection } from './support/bench.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, { title: string; run: LiveSection }> = {
  'catch-up': { title: 'What has gathered, PostgreSQL to PostgreSQL', run: catchUp },
  latency: { title: 'From commit to commit', run: latency },
  mariadb: { title: 'What has gathered, MariaDB to PostgreSQL', run: mariadb },
  idle: { title: '100 live synchronizations without changes', run: idle },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    transactions: { type: 'string', default: '200000' },
    only: { type: 'string', multiple: true },
  },
});
const bench = { rounds: Number(values.rounds), transactions: Number(values.transactions) };
const names = Object.keys(SECTIONS);
const usage = 'bench:live -- [--rounds 3] [--transactions 200000]';
const asked = partsAsked(names, values.only ?? names, [bench.rounds >= 1, bench.transactions >= 1], usage);
await runParts(
  'bench:live',
  asked.map((name) => ({ title: SECTIONS[name]?.title ?? '', run: async () => SECTIONS[name]?.run(bench) })),
);
