// `npm run bench:page`: how soon the page answers what a person does, among many orders and synchronizations. See bench/README.md.
import { parseArgs } from 'node:util';
import { pageSection } from './sections/page.ts';
import { partsAsked, runParts } from './support/run-sections.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    syncs: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
  },
});
const [orders, syncs, rounds] = [Number(values.orders), Number(values.syncs), Number(values.rounds)];
partsAsked(['page'], [], [orders >= 1000, syncs >= 500, rounds >= 1], 'bench:page -- [--orders 1000000] [--syncs 1000] [--rounds 3]');
await runParts('bench:page', [{ title: 'What a person does on the page', run: () => pageSection({ orders, syncs }, rounds) }]);
