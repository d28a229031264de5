// `npm run bench:undo`: what it costs to keep what runs replace. See bench/README.md.
import { parseArgs } from 'node:util';
import { undoSection } from './sections/undo.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS = {
  postgres: { title: 'PostgreSQL to PostgreSQL, with undo', run: undoSection('PostgreSQL') },
  sqlite: { title: 'PostgreSQL to SQLite, with undo', run: undoSection('SQLite') },
  mysql: { title: 'PostgreSQL to MariaDB, with undo', run: undoSection('MariaDB') },
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
const asked = partsAsked(names, values.only ?? names, [bench.rounds >= 1, bench.rows >= 1], 'bench:undo -- [--rounds 3] [--rows 1000000]');
await runParts(
  'bench:undo',
  asked.map((name) => {
    const { title, run } = SECTIONS[name as keyof typeof SECTIONS];
    return { title, run: () => run(bench) };
  }),
);
