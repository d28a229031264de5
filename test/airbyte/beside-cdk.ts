// `AIRBYTE_PYTHON=<python with airbyte-cdk> npm run test:airbyte-cdk -- <folder> [pattern of names] [streams of each]`: the same manifests,
// settings and simulated API for Airbyte's own CDK and for ours. Tells where requests or records differ, and what both took.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cursorFieldOf } from '../../src/connectors/airbyte/describe.ts';
import { nameOf } from '../../src/connectors/airbyte/described.ts';
import { realClock } from '../../src/connectors/airbyte/runtime/clock.ts';
import { partOf } from '../../src/connectors/airbyte/runtime/parts.ts';
import type { Part } from '../../src/connectors/airbyte/runtime/parts.ts';
import type { JsonObject } from '../../src/lib/exact-json.ts';
import type { OpenManifest } from '../../src/connectors/airbyte/open.ts';
import { startSimulator } from '../support/airbyte/simulator.ts';
import { openSubject, subjectOf, withSmallPages } from '../support/airbyte/subject.ts';
import { differences, type Seen } from './differences.ts';
import { cdkReader, ownReader, type Reader, type ReadOutcome } from './readers.ts';

const python = process.env['AIRBYTE_PYTHON'];
const [folder, pattern = '', most = 'Infinity'] = process.argv.slice(2);
if (folder === undefined || python === undefined)
  throw new Error(
    'Say which folder the manifests are in, and which Python has airbyte-cdk: AIRBYTE_PYTHON=… npm run test:airbyte-cdk -- <folder>',
  );
const columns = [
  'manifest',
  'streams',
  'same',
  'differ',
  'both fail',
  'only CDK fails',
  'only ours fails',
  'seconds',
  'CDK s',
  'MB',
  'CDK MB',
] as const;
type Line = Record<(typeof columns)[number], number | string>;
const place = mkdtempSync(join(tmpdir(), 'beside-cdk-'));
const simulator = await startSimulator();
simulator.refuses = 7;
// Both live in the time that is now, so what is new is put before it.
simulator.newAfter = 0;
const told: string[] = [];
const totals: Record<string, number> = {};
write(Object.fromEntries(columns.map((column) => [column, column])) as Line);
for (const file of readdirSync(folder).filter((name) => /\.ya?ml$|\.json$/.test(name) && new RegExp(pattern).test(name))) {
  const line = await compareManifest(folder, file);
  write(line);
  for (const fault of told.splice(0)) process.stdout.write(`  ${fault}\n`);
  for (const column of columns.slice(1)) totals[column] = (totals[column] ?? 0) + Number(line[column]);
}
write({
  ...(totals as Line),
  manifest: 'all',
  seconds: rounded(totals['seconds'] ?? 0),
  'CDK s': rounded(totals['CDK s'] ?? 0),
  MB: '',
  'CDK MB': '',
});
rmSync(place, { recursive: true });
await simulator.close();
process.exit();

async function compareManifest(from: string, file: string): Promise<Line> {
  const name = file.replace(/^source-|\.\w+$/g, '');
  const line: Line = {
    manifest: name,
    streams: 0,
    same: 0,
    differ: 0,
    'both fail': 0,
    'only CDK fails': 0,
    'only ours fails': 0,
    seconds: 0,
    'CDK s': 0,
    MB: 0,
    'CDK MB': 0,
  };
  const text = withSmallPages(readFileSync(join(from, file), 'utf8'));
  const files = [join(place, 'manifest.yaml'), join(place, 'settings.json')];
  const subject = subjectOf(text, Date.now());
  writeFileSync(files[0] as string, text);
  writeFileSync(files[1] as string, JSON.stringify(subject.settings));
  const args = [String(simulator.port), ...files];
  let cdk = cdkReader(python as string, args);
  let own = ownReader(args);
  const manifest = openSubject(subject, simulator.port, realClock);
  try {
    for (const part of (await manifest.streams()).readable.slice(0, Number(most))) {
      if (cdk.isGone) cdk = cdkReader(python as string, args);
      if (own.isGone) own = ownReader(args);
      count(line, name, part, await compareStream(manifest, part, own, cdk));
    }
  } catch (error) {
    told.push(`${name}: ${(error as Error).message}`);
  }
  own.close();
  cdk.close();
  manifest.close();
  return {
    ...line,
    seconds: rounded(line.seconds),
    'CDK s': rounded(line['CDK s']),
    MB: Math.round(Number(line.MB)),
    'CDK MB': Math.round(Number(line['CDK MB'])),
  };
}

interface Pair {
  run: string;
  ours: Seen;
  theirs: Seen;
}

/** In full; and where there is a cursor, a first run and a second one that has something new to find. */
async function compareStream(manifest: OpenManifest, part: Part, own: Reader, cdk: Reader): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const isIncremental = cursorFieldOf(manifest.session, part) !== undefined;
  simulator.become(manifest.session, part);
  const both = async (run: string, states: readonly (JsonObject | undefined)[], incremental: boolean): Promise<Pair> => {
    const ours = await seen(() => own.read(nameOf(part), incremental, states[0]));
    const theirs = await seen(() => cdk.read(nameOf(part), incremental, states[1]));
    const pair = { run, ours, theirs };
    pairs.push(pair);
    return pair;
  };
  const first = await both('first run', [], isIncremental);
  if (!isIncremental || first.ours.error !== undefined || first.theirs.error !== undefined) return pairs;
  simulator.generation = 2;
  await both('second run', [first.ours.state ?? undefined, first.theirs.state ?? undefined], true);
  return pairs;
}

async function seen(read: () => Promise<ReadOutcome>): Promise<Seen> {
  simulator.begin();
  const outcome = await read();
  return { ...outcome, requests: simulator.watch.requests, logins: simulator.watch.logins };
}

function count(line: Line, name: string, part: Part, pairs: readonly Pair[]): void {
  const add = (column: (typeof columns)[number], much: number): void => {
    line[column] = Number(line[column]) + much;
  };
  add('streams', 1);
  const faults: string[] = [];
  const failed = new Set<string>();
  for (const { run, ours, theirs } of pairs) {
    add('seconds', ours.seconds);
    add('CDK s', theirs.seconds);
    line.MB = Math.max(Number(line.MB), ours.megabytes);
    line['CDK MB'] = Math.max(Number(line['CDK MB']), theirs.megabytes);
    if (ours.error !== undefined) failed.add('ours');
    if (theirs.error !== undefined) failed.add('CDK');
    faults.push(...differences(ours, theirs, fleeting(part)).map((fault) => `${name} ${nameOf(part)}, ${run}: ${fault}`));
  }
  if (failed.size === 2) add('both fail', 1);
  else if (failed.size === 1) add(failed.has('ours') ? 'only ours fails' : 'only CDK fails', 1);
  else add(faults.length === 0 ? 'same' : 'differ', 1);
  told.push(...faults);
}

/** Fields that are filled with the time or with chance. */
function fleeting(part: Part): ReadonlySet<string> {
  const text = JSON.stringify([part['transformations'], partOf(part['full_refresh_stream'])?.['transformations']]);
  const found = [...text.matchAll(/"path":\["([^"]+)"[^{}]*?"value":"[^"]*(?:now_|today|uuid|random)/g)].map(([, name]) => name ?? '');
  return new Set(found);
}

function rounded(seconds: number | string): number {
  return Math.round(Number(seconds) * 10) / 10;
}

function write(line: Line): void {
  const cells = columns.map((column, index) => {
    const value = String(line[column] ?? '');
    return index === 0 ? value.padEnd(30) : value.padStart(Math.max(8, column.length + 2));
  });
  process.stdout.write(`${cells.join('')}\n`);
}
