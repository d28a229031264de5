// `npm run bench:logs`: whether questions about logs cost the same with ten million entries as with a hundred thousand. See bench/README.md.
import { parseArgs } from 'node:util';
import { logsSection } from './sections/logs.ts';
import { cleanUp, cleanUpOnSignals, isInterrupted } from './support/cleanup.ts';
import { missed, table } from './support/report.ts';

const ENGINES = ['sqlite', 'postgres'] as const;

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '100000' },
    many: { type: 'string', default: '10000000' },
    only: { type: 'string', multiple: true },
  },
});
const sizes = { few: Number(values.few), many: Number(values.many) };
const asked = ENGINES.filter((engine) => values.only === undefined || values.only.includes(engine));
if (asked.length === 0 || !(sizes.few >= 1000) || !(sizes.many >= sizes.few)) {
  console.error(`Usage: npm run bench:logs -- [--few 100000] [--many 10000000] [--only ${ENGINES.join('|')}]…`);
  process.exit(2);
}

cleanUpOnSignals();
try {
  for (const engine of asked) {
    console.log(`\nLogs on ${engine}`);
    await logsSection(engine, sizes);
    await cleanUp();
  }
  console.log(`\n${table('bench:logs')}\n\n${missed() === 0 ? 'Every target was reached.' : `Targets MISSED: ${missed()}.`}`);
} catch (error) {
  if (!isInterrupted()) console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
