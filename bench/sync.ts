// `npm run bench:sync`: how fast whole synchronizations are, next to each system's own tools. See bench/README.md.
import { parseArgs } from 'node:util';
import { section as answers } from './sections/sync-answers.ts';
import { section as csv } from './sections/sync-csv.ts';
import { section as firstLoad } from './sections/sync-first-load.ts';
import { section as huge } from './sections/sync-huge.ts';
import { section as incremental } from './sections/sync-incremental.ts';
import { section as many } from './sections/sync-many.ts';
import { section as mirror } from './sections/sync-mirror.ts';
import { section as mysql } from './sections/sync-mysql.ts';
import type { SyncSection } from './support/bench.ts';
import { cleanUp, cleanUpOnSignals, isInterrupted } from './support/cleanup.ts';
import { missed, table } from './support/report.ts';

const SECTIONS: Record<string, { title: string; run: SyncSection }> = {
  'first-load': { title: 'PostgreSQL to PostgreSQL, the first load', run: firstLoad },
  incremental: { title: 'PostgreSQL to PostgreSQL, incremental', run: incremental },
  mirror: { title: 'PostgreSQL to PostgreSQL, a mirror again', run: mirror },
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
const asked = values.only ?? Object.keys(SECTIONS).filter((name) => name !== 'huge' || values.huge);
const unknown = asked.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0 || !(bench.rounds >= 1) || !(bench.rows >= 1)) {
  console.error(`Usage: npm run bench:sync -- [--rounds 3] [--rows 1000000] [--huge] [--only ${Object.keys(SECTIONS).join('|')}]…`);
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
  console.log(`\n${table('bench:sync')}\n\n${missed() === 0 ? 'Every target was reached.' : `Targets MISSED: ${missed()}.`}`);
} catch (error) {
  if (!isInterrupted()) console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
