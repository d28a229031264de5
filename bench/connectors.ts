// `npm run bench:connectors`: how fast connectors read and write, next to each system's own tool. See bench/README.md.
import { parseArgs } from 'node:util';
import type { ConnectorSection } from './support/bench.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const SECTIONS: Record<string, string> = {
  postgres: 'postgres against psql',
  mysql: 'mysql against mariadb',
  sqlite: 'sqlite against the sqlite3 shell',
  csv: 'CSV files against csv-parse',
  http: 'http against fetch and JSON.parse',
  airbyte: 'manifests of Airbyte against fetch and JSON.parse',
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
const asked = partsAsked(
  names,
  values.only ?? names,
  [bench.rounds >= 1, bench.rows >= 1],
  'bench:connectors -- [--rounds 3] [--rows 1000000]',
);
await runParts(
  'bench:connectors',
  asked.map((name) => ({
    title: SECTIONS[name] ?? '',
    run: async () => ((await import(`./sections/connector-${name}.ts`)) as { section: ConnectorSection }).section(bench),
  })),
);
