// `npm test`: gets what the tests need, runs them, and puts everything away again. Arguments are files to run instead.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { bundle } from './support/bundles.ts';
import { runInLanes } from './support/lanes.ts';
import { startMysql } from './support/mysql-server.ts';
import { startPostgres } from './support/postgres-server.ts';
import { makeTemplates } from './support/templates.ts';
import { takingTurns } from './support/turns.ts';
import { isWhole } from './support/whole.ts';

/** These start several processes each, kill them and look at the clock: one at a time, beside the others. */
const ALONE = /^test\/(cluster|crash|live)\//;
/**
 * More than there are processors: half of the time, files wait for what takes its time, such as a lease that runs out. On large machines,
 * not more than the connections of the database suffice for.
 */
const OTHERS_SIDE_BY_SIDE = Math.min(8, Math.max(3, 2 * availableParallelism()));
/** What takes longest begins first: a long one that begins last is waited for by all. Of each kind, the largest file does. */
const LONGEST_FIRST = [
  /^test\/e2e\/(parts|shop-scopes|hostile)\./,
  /^test\/dashboard\/every-view/,
  /^test\/dashboard\//,
  /^test\/e2e\//,
  /^test\//,
  /\/conformance\./,
  /\.db\.test\.ts$/,
];
/**
 * What takes long and has a sample beside it: kills and networks that fail, nodes, pages, gaps, and systems that take minutes for the whole suite of
 * connectors. `npm run test:whole` has all of it, and so have `test:crash`, `test:cluster`, `test:page` and `test:live` with what is theirs.
 */
const LEFT_OUT = [
  /^test\/crash\/(alerts|configuration|delivered|hooks|hub-orders|mirror|proof|structure|undo)-kill\./,
  /^test\/crash\/sync-(exact|http|network|places|servers)\./,
  /^test\/cluster\/(everywhere|live|live-parts|restarts|schedules)\./,
  /^test\/live\/(asleep|failover-postgres|gaps-mysql|gaps-postgres|ends-die|large-transaction)\./,
  // Of the page, a sample is what needs no browser, every view, and the way from nothing to a synchronization that runs.
  /^test\/dashboard\/(?!(api-types|every-view|grid-values|mends|new-sync|place-words|relative-time|served-files|sign-in|size|words)\.)/,
  /^test\/e2e\/(clock-set-back|hostile-horde|proof-live|rolling-upgrade|runner-trouble|undo|undo-slow)\./,
  /^src\/connectors\/(duckdb|files\/place\/(s3|sftp))\/conformance\./,
];
/**
 * What takes long and has siblings that look at the same things from other sides: each commit has half of each of these, and the next one others. So `npm test` stays
 * short; `npm run test:whole` has all of them.
 */
const BY_TURNS = [
  ALONE,
  /\/conformance\.(db\.)?test\.ts$/,
  /^src\/connectors\/[^/]+\/log\//,
  /^(src\/engine|test\/e2e)\/(live|proof|undo)/,
  /^src\/engine\/.*\.db\.test\.ts$/,
  /^src\/cli\/.*\.db\.test\.ts$/,
  // What starts services by the dozen, what is told to others, and what is set and shown. What guards (keys, scopes, secrets, hostile input) and the interface itself always run.
  /^test\/e2e\/(data-dir|idle-memory|opens-older|parts|roles|runner|starting|stopping)/,
  /^test\/e2e\/(alerts|hook|http-faults|traces|webhook)/,
  /^test\/e2e\/(assistants\.|audit|chains|changes|configuration|delivered|hub-streams|logs|metrics|own-|runs|saved-syncs|schedules|shares|sources|structure|sync)/,
  /^test\/dashboard\/(every-view|new-sync|sign-in)\./,
];
/** These can share a process with others; but not what turns clocks, as times are never given twice by a process, and what loads something before it can tell its tests. */
const BUNDLED = /^(src|test\/e2e)\/(?!.*\/conformance\.|.*\/idle-memory\.)/;
const BY_ITSELF = /\bclock\b|^(const .* = )?await /m;
const MOST_IN_A_BUNDLE = 10;
/** So many of the slowest files are told in the end, when many were run. */
const TOLD = 20;

const asked = process.argv.slice(2);
const found = globSync(asked.length > 0 ? asked : ['src/**/*.test.ts', 'test/**/*.test.ts']).map((file) => relative('.', resolve(file)));
const isLeftOut = (file: string): boolean => LEFT_OUT.some((pattern) => pattern.test(file));
const takesAll = asked.length > 0 || isWhole;
const usual = takesAll ? found : found.filter((file) => !isLeftOut(file));
const files = takesAll ? found : takingTurns(usual, BY_TURNS, commit());
if (files.length === 0) throw new Error(`There is no such file: ${asked.join(' ')}`);
const textOf = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const rank = (file: string): number => [...LONGEST_FIRST, /./].findIndex((pattern) => pattern.test(file));
const size = (file: string): number => textOf.get(file)?.length ?? 0;
files.sort((one, other) => rank(one) - rank(other) || size(other) - size(one));

// The page is tested as it is built: from the sources that are there now.
if (files.some((file) => file.startsWith('test/dashboard/'))) execFileSync(process.execPath, ['scripts/setup.js'], { stdio: 'inherit' });
// A single file should not wait for a server that it does not ask for.
const needsMysql = files.some((file) => /mysql-(database|session)\.ts'/.test(textOf.get(file) ?? ''));
const [mysql, postgres] = await Promise.all([
  needsMysql ? startMysql() : undefined,
  // Nothing kills this one, so it need not wait for a disk, which took two minutes of the whole. Tests that kill one start their own.
  startPostgres(undefined, '-c fsync=off -c full_page_writes=off'),
]);
const needsTemplates = files.some((file) => /\/support\//.test(textOf.get(file) ?? ''));
const templates = needsTemplates ? await makeTemplates(postgres.url) : undefined;
Object.assign(process.env, templates?.environment, {
  // Every file is a process of its own, and most load the whole program: what one has compiled the next ones need not.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compiled'),
  TEST_POSTGRES_URL: postgres.url,
  ...(mysql && { TEST_MYSQL_URL: mysql.url }),
});

const enough = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => enough.abort());
const isBundled = (file: string): boolean => asked.length === 0 && BUNDLED.test(file) && !BY_ITSELF.test(textOf.get(file) ?? '');
const bundles = bundle(files.filter(isBundled), MOST_IN_A_BUNDLE, join(import.meta.dirname, '../node_modules/.cache/bundles'));
const others = files.filter((file) => !ALONE.test(file) && !isBundled(file));
const lanes = [
  { files: files.filter((file) => ALONE.test(file)), sideBySide: 1 },
  { files: [...bundles, ...others], sideBySide: OTHERS_SIDE_BY_SIDE },
].filter((lane) => lane.files.length > 0);
// Enough for a bundle with the longest of all files, on a slow machine.
const timeout = Number(process.env['TEST_TIMEOUT'] ?? 1_800_000);
// A file that was asked for by its name is looked at closely.
const { hasFailed, seconds } = await runInLanes(lanes, { timeout, tellsCauses: asked.length > 0, signal: enough.signal });
if (files.length > TOLD) {
  const slowest = [...seconds]
    .filter(([file]) => !bundles.includes(file))
    .sort(([, one], [, other]) => other - one)
    .slice(0, TOLD);
  const lines = slowest.map(([file, took]) => `${took.toFixed(1).padStart(7)} ${relative('.', resolve(file))}\n`);
  process.stdout.write(`\nThe slowest files, in seconds:\n${lines.join('')}`);
  const left = found.length - files.length;
  if (left > 0)
    process.stdout.write(
      `\nOf ${found.length} files, ${left} were left to \`npm run test:whole\`: ${usual.length - files.length} of them have their turn with another commit.\n`,
    );
}
await templates?.remove();
postgres.stop();
mysql?.stop();
process.exitCode = hasFailed || enough.signal.aborted ? 1 : 0;

/** The one that is checked out; where there is none, as in a copy of the files, the turn is always the same. */
function commit(): string {
  return spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() ?? '';
}
