// `npm run test:airbyte -- <folder> [pattern of names]`: every manifest of a folder through the simulator, and a table of what came of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setClock } from '../../src/connectors/airbyte/interpolation/macros.ts';
import { nameOf } from '../../src/connectors/airbyte/described.ts';
import { TestClock } from '../support/airbyte-manifest.ts';
import { startSimulator } from '../support/airbyte/simulator.ts';
import { subjectOf, withSmallPages } from '../support/airbyte/subject.ts';
import { type StreamTrial, ManifestTrial } from '../support/airbyte/trial.ts';

const [folder, part = ''] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say which folder the manifests are in: npm run test:airbyte -- <folder>');
/** Of so many requests, one is refused at first. */
const REFUSES = 5;
/** Not a whole second, of which Python writes no fraction: that happens once in a million times. */
const NOW = '2026-11-10T12:34:56.789Z';

const columns = ['manifest', 'streams', 'custom', 'rows', 'requests', 'full', 'twice', 'resumed', 'seconds'] as const;
type Line = Record<(typeof columns)[number], number | string>;
const told: string[] = [];
const totals: Record<string, number> = {};
/** Streams that were read twice, of those that have a cursor. */
let twice: [number, number] = [0, 0];
const simulator = await startSimulator();
simulator.refuses = REFUSES;
write(Object.fromEntries(columns.map((column) => [column, column])) as Line);
for (const file of readdirSync(folder).filter((name) => /\.ya?ml$|\.json$/.test(name) && new RegExp(part).test(name))) {
  const line = await tryManifest(file);
  write(line);
  for (const fault of told.splice(0)) process.stdout.write(`  ${fault}\n`);
  for (const column of columns) if (typeof line[column] === 'number') totals[column] = (totals[column] ?? 0) + line[column];
  const [done, asked] = String(line.twice).split('/').map(Number);
  twice = [twice[0] + (done ?? 0), twice[1] + (asked ?? 0)];
}
write({ ...(totals as Line), manifest: 'all', twice: twice.join('/'), seconds: Math.round(totals['seconds'] ?? 0) });
await simulator.close();

async function tryManifest(file: string): Promise<Line> {
  const name = file.replace(/^source-|\.\w+$/g, '');
  const started = performance.now();
  const clock = new TestClock(NOW);
  setClock(() => clock.now());
  const trials: StreamTrial[] = [];
  const line: Line = { manifest: name, streams: 0, custom: 0, rows: 0, requests: 0, full: 0, twice: 0, resumed: 0, seconds: 0 };
  try {
    const trial = new ManifestTrial(
      simulator,
      subjectOf(withSmallPages(readFileSync(join(folder as string, file), 'utf8')), clock.now()),
      clock,
    );
    const manifest = trial.open();
    const { readable, unreadable } = await manifest.streams();
    line.streams = readable.length;
    line.custom = unreadable.size;
    for (const stream of readable.map(nameOf)) trials.push(await trial.of(stream));
    manifest.close();
  } catch (error) {
    told.push(`${name}: ${(error as Error).message}`);
  }
  const count = (counts: (trial: StreamTrial) => boolean): number => trials.filter(counts).length;
  for (const { stream, full, twice, resumed, notes } of trials) {
    for (const [how, why] of Object.entries({ full, twice, resumed }))
      if (typeof why === 'string' && why !== 'not tried') told.push(`${name} ${stream}: ${how}: ${why}`);
    for (const note of notes) told.push(`${name} ${stream}: note: ${note}`);
  }
  return {
    ...line,
    rows: trials.reduce((sum, { rows }) => sum + rows, 0),
    requests: trials.reduce((sum, { requests }) => sum + requests, 0),
    full: count(({ full }) => full === undefined),
    twice: `${count(({ twice }) => twice === undefined)}/${count(({ twice }) => twice !== null)}`,
    resumed: count(({ resumed }) => resumed === undefined),
    seconds: Math.round((performance.now() - started) / 100) / 10,
  };
}

function write(line: Line): void {
  process.stdout.write(
    `${columns.map((column, index) => (index === 0 ? String(line[column]).padEnd(30) : String(line[column] ?? '').padStart(9))).join('')}\n`,
  );
}
