// `npm run bench:connectors`: how fast connectors read and write, next to each system's own tool. See bench/README.md.
import { parseArgs } from 'node:util';
import type { ConnectorSection } from './support/bench.ts';
import { cleanUp, cleanUpOnSignals, isInterrupted } from './support/cleanup.ts';
import { missed, table } from './support/report.ts';

const SECTIONS: Record<string, string> = {
  postgres: 'postgres against psql',
  mysql: 'mysql against mariadb',
  sqlite: 'sqlite against the sqlite3 shell',
  csv: 'CSV files against csv-parse',
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string', multiple: true },
  },
});
const bench = { rounds: Number(values.rounds), rows: Number(values.rows) };
const asked = values.only ?? Object.keys(SECTIONS);
const unknown = asked.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0 || !(bench.rounds >= 1) || !(bench.rows >= 1)) {
  console.error(`Usage: npm run bench:connectors -- [--rounds 3] [--rows 1000000] [--only ${Object.keys(SECTIONS).join('|')}]…`);
  process.exit(2);
}

cleanUpOnSignals();
try {
  for (const name of asked) {
    console.log(`\n${SECTIONS[name]}`);
    const section = (await import(`./sections/connector-${name}.ts`)) as { section: ConnectorSection };
    await section.section(bench);
    await cleanUp();
  }
  console.log(`\n${table('bench:connectors')}\n\n${missed() === 0 ? 'Every target was reached.' : `Targets MISSED: ${missed()}.`}`);
} catch (error) {
  if (!isInterrupted()) console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
