// `npm run bench:proof`: how long it takes to compare both ends, next to our own first load of the same table. See bench/README.md.
import { parseArgs } from 'node:util';
import { mariadb, postgres, sqlite } from './sections/proof.ts';
import { link } from './sections/proof-link.ts';
import type { SyncSection } from './support/bench.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, { title: string; run: SyncSection }> = {
  postgres: { title: 'PostgreSQL and PostgreSQL', run: postgres },
  mariadb: { title: 'PostgreSQL and MariaDB', run: mariadb },
  sqlite: { title: 'PostgreSQL and SQLite', run: sqlite },
  link: { title: 'PostgreSQL and PostgreSQL, over a link of 10 MB/s', run: link },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string', multiple: true },
  },
});
const bench = { rounds: Number(values.rounds), rows: Number(values.rows) };
const names = Object.keys(SECTIONS);
const asked = partsAsked(names, values.only ?? names, [bench.rounds >= 1, bench.rows >= 1], 'bench:proof -- [--rounds 3] [--rows 1000000]');
await runParts(
  'bench:proof',
  asked.map((name) => ({ title: SECTIONS[name]?.title ?? '', run: async () => SECTIONS[name]?.run(bench) })),
);
