// `npm run bench:sync`: how fast whole synchronizations are, next to each system's own tools. See bench/README.md.
import { parseArgs } from 'node:util';
import { section as answers } from './sections/sync-answers.ts';
import { section as csv } from './sections/sync-csv.ts';
import { section as delivered } from './sections/sync-delivered.ts';
import { section as firstLoad } from './sections/sync-first-load.ts';
import { section as huge } from './sections/sync-huge.ts';
import { section as incremental } from './sections/sync-incremental.ts';
import { section as many } from './sections/sync-many.ts';
import { section as move } from './sections/sync-move.ts';
import { section as mirror } from './sections/sync-mirror.ts';
import { section as mysql } from './sections/sync-mysql.ts';
import type { SyncSection } from './support/bench.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, { title: string; run: SyncSection }> = {
  'first-load': { title: 'PostgreSQL to PostgreSQL, the first load', run: firstLoad },
  move: { title: 'PostgreSQL to PostgreSQL, a whole database with its structure', run: move },
  incremental: { title: 'PostgreSQL to PostgreSQL, incremental', run: incremental },
  mirror: { title: 'PostgreSQL to PostgreSQL, a mirror again', run: mirror },
  delivered: { title: 'PostgreSQL to an API that cannot be read, by what it has accepted', run: delivered },
  csv: { title: 'CSV to PostgreSQL and to SQLite', run: csv },
  mysql: { title: 'MariaDB to PostgreSQL and back', run: mysql },
  answers: { title: 'How quick the API is while a run copies', run: answers },
  many: { title: '1,000 small synchronizations at once', run: many },
  huge: { title: 'Ten times as many rows', run: huge },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string', multiple: true },
    huge: { type: 'boolean', default: false },
  },
});
const bench = { rounds: Number(values.rounds), rows: Number(values.rows) };
// Ten times as many rows take a long time, so they come only when asked for.
const names = Object.keys(SECTIONS);
const given = values.only ?? names.filter((name) => name !== 'huge' || values.huge);
const asked = partsAsked(names, given, [bench.rounds >= 1, bench.rows >= 1], 'bench:sync -- [--rounds 3] [--rows 1000000] [--huge]');
await runParts(
  'bench:sync',
  asked.map((name) => ({ title: SECTIONS[name]?.title ?? '', run: async () => SECTIONS[name]?.run(bench) })),
);
