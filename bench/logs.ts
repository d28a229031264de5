// `npm run bench:logs`: whether questions about logs cost the same with ten million entries as with a hundred thousand. See bench/README.md.
import { parseArgs } from 'node:util';
import { logsSection } from './sections/logs.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const ENGINES = ['sqlite', 'postgres'] as const;

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '100000' },
    many: { type: 'string', default: '10000000' },
    only: { type: 'string', multiple: true },
  },
});
const sizes = { few: Number(values.few), many: Number(values.many) };
const asked = partsAsked(
  ENGINES,
  values.only ?? ENGINES,
  [sizes.few >= 1000, sizes.many >= sizes.few],
  'bench:logs -- [--few 100000] [--many 10000000]',
);
await runParts(
  'bench:logs',
  asked.map((engine) => ({ title: `Logs on ${engine}`, run: () => logsSection(engine, sizes) })),
);
