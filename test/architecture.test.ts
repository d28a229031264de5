// Holds the arrow: which room of src/ may import which. ARCHITECTURE.md tells why.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { OWN_TABLES } from '../src/connectors/own-tables.ts';
import { typesThat } from '../src/connectors/registry.ts';
import { LETS_TIME_PASS } from './support/lets-time-pass.ts';

const BASE = ['lib', 'db', 'http'];
const TYPES = typesThat(() => true);
const CONNECTORS = TYPES.map((type) => `connectors/${type}`);
const SQL_TARGETS = typesThat(({ abilities }) => abilities.keepsTables === true).map((type) => `connectors/${type}`);
const inDatasync = (...rooms: string[]): string[] => rooms.map((room) => `datasync/${room}`);
const RESOURCES = [
  'assistants',
  'alerts',
  'audit',
  'configuration',
  'events',
  'keys',
  'nodes',
  'shop/customers',
  'shop/orders',
  'shop/products',
  'shop/hub',
  'outside',
  'connectors',
  'sample',
  ...inDatasync('access', 'connectors', 'sample', 'sources', 'syncs', 'releases', 'runs', 'logs', 'metrics', 'hooks'),
  'engine',
  'jobs',
  'traces',
  'webhooks',
];
const DATASYNC_OF_RUNS = inDatasync('access', 'logs', 'sources');
const DATASYNC_OF_ALERTS = inDatasync('access', 'runs', 'metrics'); // what is wrong, as their rows tell it
const DATASYNC_OF_WEBHOOKS = inDatasync('access', 'sources', 'metrics');
const DATASYNC_OF_CONFIGURATION = inDatasync('access', 'hooks', 'releases', 'runs', 'sources', 'syncs');
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  db: ['lib'],
  // Spans and where they go: it sees no request and no run, these tell it.
  traces: ['lib', 'outside'],
  http: ['lib', 'db', 'traces'],
  // Asks the API as any caller does, so it knows no room of a resource.
  assistants: ['lib', 'http'],
  audit: BASE,
  events: BASE,
  // Tokens of an issuer are checked with keys that are fetched from it.
  keys: [...BASE, 'audit', 'events', 'outside'],
  nodes: [...BASE, 'jobs'],
  alerts: [...BASE, 'audit', 'events', 'jobs', 'nodes', 'outside', 'webhooks', 'engine', ...DATASYNC_OF_ALERTS],
  // One node keeps the index of orders for all.
  // An order takes from the stock of products, which know nothing of orders.
  'shop/orders': [...BASE, 'events', 'jobs', 'shop/products'],
  // What orders say of those who ordered, and taking that out again.
  'shop/customers': [...BASE, 'audit', 'events', 'jobs', 'shop/orders'],
  'shop/products': [...BASE, 'audit', 'events'],
  'shop/hub': [...BASE, 'events', 'shop/orders', 'shop/products', 'shop/customers', 'outside', 'connectors'],
  // The registry alone knows them all; they do not know each other.
  connectors: ['lib', 'outside', ...CONNECTORS],
  ...Object.fromEntries(CONNECTORS.map((room) => [room, ['lib', 'outside', 'connectors']])),
  // What all databases that are written to have in common.
  'connectors/sql-target': ['lib', 'outside', 'connectors'],
  ...Object.fromEntries(SQL_TARGETS.map((room) => [room, ['lib', 'outside', 'connectors', 'connectors/sql-target']])),
  // The way out: sockets, files and requests, guarded. All that leaves the service leaves by here.
  outside: ['lib'],
  // People and things that do not exist, for users who want to try something.
  sample: [],
  'datasync/sample': ['outside', 'connectors', ...BASE, 'sample'],
  'datasync/connectors': [...BASE, 'outside', 'connectors'],
  // Who may do what where the shop is at one end.
  'datasync/access': [...BASE, 'connectors'],
  'datasync/sources': [...BASE, 'audit', 'events', 'outside', 'connectors', 'engine', 'datasync/access'],
  // What one run does: it knows neither HTTP nor our tables.
  engine: ['lib', 'outside', 'connectors'],
  // Where and when work runs, whatever it is.
  jobs: ['lib', 'db'],
  'datasync/logs': [...BASE, 'datasync/access'],
  'datasync/runs': [...BASE, 'audit', 'events', 'outside', 'connectors', 'engine', 'jobs', 'traces', ...DATASYNC_OF_RUNS],
  // What other systems call. A call may start a synchronization, and is a row of a source.
  'datasync/hooks': [...BASE, 'audit', 'events', 'connectors', 'jobs', 'datasync/access', 'datasync/sources', 'datasync/runs'],
  'datasync/syncs': [
    ...BASE,
    'audit',
    'events',
    'outside',
    'connectors',
    'engine',
    'jobs',
    'datasync/access',
    'datasync/sources',
    'datasync/runs',
    'datasync/hooks',
    'datasync/releases',
  ],
  'datasync/releases': [...BASE, 'outside', 'engine', 'jobs', 'datasync/logs', 'datasync/sources', 'datasync/metrics'],
  'datasync/metrics': [...BASE, 'datasync/runs', 'datasync/syncs'],
  // Endpoints that are told of events. Their conditions are expressions, understood and computed in threads.
  webhooks: [...BASE, 'audit', 'events', 'outside', 'connectors', 'engine', 'jobs', 'traces', 'version.ts', ...DATASYNC_OF_WEBHOOKS],
  // Everything that can be said in a file: it uses the rooms whose things these are, and none of them knows it.
  configuration: [...BASE, 'alerts', 'audit', 'connectors', 'jobs', 'keys', 'outside', 'webhooks', ...DATASYNC_OF_CONFIGURATION],
  'config.ts': ['lib', 'outside', 'connectors', 'nodes', 'traces'],
  'version.ts': [],
  'app.ts': [...BASE, ...RESOURCES, 'api-document.ts', 'config.ts', 'housekeeping.ts', 'other-figures.ts', 'version.ts'],
  'api-document.ts': [...BASE, 'version.ts'],
  'trace-figures.ts': ['traces', 'datasync/metrics'],
  'other-figures.ts': [...BASE, ...RESOURCES, 'shop-figures.ts', 'trace-figures.ts'],
  'shop-figures.ts': [...BASE, 'datasync/metrics', 'shop/orders'],
  'housekeeping.ts': [...BASE, ...RESOURCES, 'config.ts'],
  cli: [...BASE, ...RESOURCES, 'config.ts', 'version.ts', 'app.ts'],
  'main.ts': ['cli'],
};

const page = globSync('dashboard/src/**/*.{ts,tsx}').sort();
const client = globSync('clients/*/src/**/*.ts').sort();
const everyFile = [...globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/*.ts']).sort(), ...page, ...client];
const sources = everyFile.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'));
const textOf = new Map(everyFile.map((file) => [file, readFileSync(file, 'utf8')]));
const importsOf = new Map([...sources, ...page, ...client].map((file) => [file, localImports(file)]));

/** Made from the interface, and as long as that. */
const GENERATED = new Set(['dashboard/src/api-types.ts', 'clients/typescript/src/api-types.ts']);
/** What a package that others install has to have: one file that says what belongs to it. */
const ENTRY = 'clients/typescript/src/syncline.ts';

function localImports(file: string): string[] {
  const statements = (textOf.get(file) ?? '').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g);
  return [...statements].map(([, path = '']) => join(dirname(file), path));
}

function containing(pattern: RegExp, files: readonly string[]): string[] {
  return files.filter((file) => pattern.test(textOf.get(file) ?? ''));
}

/** The room of a file: its folder; an area has one for each noun, and each connector is one. */
function roomOf(file: string): string {
  const [, first = '', second = '', third] = file.split('/');
  const isRoom = third !== undefined && second !== 'conformance';
  return ['shop', 'datasync', 'connectors'].includes(first) && isRoom ? `${first}/${second}` : first;
}

test('no file imports against the arrow', () => {
  const faults = sources.flatMap((file) => {
    const allowed = new Set([roomOf(file), ...(MAY_IMPORT[roomOf(file)] ?? [])]);
    return (importsOf.get(file) ?? []).filter((other) => !allowed.has(roomOf(other))).map((other) => `${file} imports ${other}`);
  });
  assert.deepEqual(faults, []);
  assert.deepEqual([...new Set(sources.map(roomOf))].sort(), Object.keys(MAY_IMPORT).sort(), 'every room has its line in the table');
});

test('no file imports itself by way of others', () => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `a circle: ${[...path, file].join(' → ')}`);
    if (!done.has(file)) for (const other of importsOf.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of [...sources, ...page]) visit(file, []);
  assert.deepEqual(importsOf.get('src/main.ts'), ['src/cli/cli.ts'], 'imports are found at all');
  assert.ok((importsOf.get('dashboard/src/main.tsx') ?? []).length > 0, 'those of the dashboard too');
});

test('files are small, well named, and say what they export', () => {
  const kebabCase = /^(\d{4}_)?[a-z0-9]+(-[a-z0-9]+)*(\.db)?(\.test)?(\.d)?\.tsx?$/;
  const longest = everyFile.filter((file) => !GENERATED.has(file) && (textOf.get(file) ?? '').split('\n').length > 401);
  const misnamed = everyFile.filter((file) => !kebabCase.test(basename(file)));
  const nameless = everyFile.filter((file) => /^(index|utils?|helpers?|types)\.tsx?$/.test(basename(file)));
  assert.deepEqual(longest, [], 'longer than 400 lines');
  assert.deepEqual(misnamed, [], 'not in kebab-case');
  assert.deepEqual(nameless, [], 'a name that says nothing');
  assert.deepEqual(containing(/^export default\b/m, everyFile), [], 'a default export');
  assert.deepEqual(containing(/^export (type )?(\*|\{[^}]*\}) from '\./m, everyFile), [ENTRY], 'a barrel');
});

test('tests wait for what is to come, and not for a while', () => {
  const tests = everyFile.filter((file) => file.endsWith('.test.ts') || file.startsWith('test/'));
  const waits = /setTimeout\b[^']*from 'node:timers\/promises'|=> setTimeout\(\w+, |waitForTimeout\(/;
  assert.deepEqual(containing(waits, tests), LETS_TIME_PASS);
});

test('no folder holds more than 40 files of code side by side', () => {
  const inFolder = Map.groupBy([...sources, ...page], (file) => dirname(file));
  const crowded = [...inFolder].filter(([, files]) => files.length > 40).map(([folder, files]) => `${folder}: ${files.length}`);
  assert.deepEqual(crowded, []);
  assert.ok((inFolder.get('src/lib')?.length ?? 0) > 10, 'files are counted at all');
});

test('a word means one thing: the name of a type is exported by one file only', () => {
  for (const files of [sources, page, client]) {
    const exported = files.flatMap((file) =>
      [...(textOf.get(file) ?? '').matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name = '']) => ({ name, file })),
    );
    assert.ok(exported.length > 50, 'types are found at all');
    const twice = [...Map.groupBy(exported, ({ name }) => name)].filter(([, found]) => found.length > 1);
    const told = twice.map(([name, found]) => `${name}: ${found.map(({ file }) => file).join(', ')}`);
    assert.deepEqual(told, [], 'give the new one a name that says more, or do not export it');
  }
});

test('comments and messages name who does something: the worker, the caller, the operator', () => {
  const guessed = /\b(?:whoever|somebody)\b/i;
  assert.deepEqual(containing(guessed, [...sources, ...page]), []);
});

test('the dashboard knows the service by its interface only', () => {
  const outside = page.flatMap((file) => (importsOf.get(file) ?? []).filter((other) => !other.startsWith('dashboard/src/')));
  assert.deepEqual(outside, []);
  assert.ok((importsOf.get('dashboard/src/main.tsx') ?? []).length > 0, 'imports are found at all');
  const ofService = sources.filter((file) => (importsOf.get(file) ?? []).some((other) => other.startsWith('dashboard/')));
  assert.deepEqual(ofService, []);
});

test('the environment is read in one place', () => {
  assert.deepEqual(containing(/process\.env|'node:process'/, sources), ['src/cli/cli.ts']);
  assert.equal(textOf.get('src/cli/cli.ts')?.split('process.env').length, 2, 'and once in it');
  assert.match(textOf.get('src/cli/cli.ts') ?? '', /readConfig\(process\.env\)/);
});

test('every table that a migration makes is known to connectors as ours', () => {
  const migrations = ['src/db/migrate.ts', ...sources.filter((file) => file.startsWith('src/db/migrations/'))];
  const made = migrations.flatMap((file) =>
    [...(textOf.get(file) ?? '').matchAll(/create table (?:if not exists )?(\w+)/g)].map(([, name]) => name),
  );
  assert.ok(made.length > 20, 'tables are found at all');
  const missing = made.filter((name) => !(OWN_TABLES as readonly (string | undefined)[]).includes(name));
  assert.deepEqual(
    missing,
    [],
    'tables that are missing in OWN_TABLES of src/connectors/own-tables.ts: every user could read and write them as a stream',
  );
});

/** Words that are also the type of a connector. What is not on the list is in a manifest. */
const OTHER_MEANINGS: readonly { of: RegExp; in: RegExp; because: string }[] = [
  { of: /^(sqlite|postgres)$/, in: /\bengine\W+$|compile\(query, $/, because: 'the engines of our own database' },
  { of: /^http$/, in: /'https' : $/, because: 'how an address begins' },
  { of: /^hook$/, in: /\bnotFound\($|\b(one|hooks): $/, because: 'what people look for: an address that other systems call' },
  { of: /^hook$/, in: /\(\{ $|\}: \{ $/, because: 'the same on the page, handed to the parts of a view' },
  { of: /^hook$/, in: /'run'(,| \|) $/, because: 'what has started a run: a call of it, or the run before in a chain' },
  { of: /^files$/, in: /FILES_FOLDER = $/, because: 'a folder of the data directory' },
];
/** Files that make a source of one type. */
const MAKES_SOURCES: Readonly<Record<string, string>> = {
  'dashboard/src/views/welcome/sample.ts': 'sets up the sample, from CSV files into a file of SQLite',
  'src/cli/prove/kit-ends.ts': 'the proof kit makes databases of its own, by the addresses that it is given',
  'src/cli/prove/mysql-end.ts': 'the same',
  'src/cli/prove/postgres-end.ts': 'the same',
  'src/datasync/sources/schemas.ts': 'the example in the documentation of the API',
};

test('what is known of a connector is in its manifest: nobody else asks for its name', () => {
  // As text, also within SQL; and as the key of a table of rules, where it is no word for anything else.
  const name = new RegExp(
    `(['"])(?<text>${TYPES.join('|')})\\1|\\b(?<key>${TYPES.filter((type) => !/files|http/.test(type)).join('|')})\\??: `,
    'g',
  );
  const named = [...sources, ...page].flatMap((file) => {
    // The engines of our database have their room, and what is released there stays as it is.
    if (file.startsWith('src/db/') || file === 'src/connectors/registry.ts' || file in MAKES_SOURCES) return [];
    const code = (textOf.get(file) ?? '').replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
    return [...code.matchAll(name)].flatMap(({ index, groups }) => {
      const type = groups?.['text'] ?? groups?.['key'] ?? '';
      const before = code.slice(Math.max(0, index - 40), index);
      const isOther = OTHER_MEANINGS.some((meaning) => meaning.of.test(type) && meaning.in.test(before));
      return isOther || file.split('/').includes(type) ? [] : [`${file} names "${type}": …${before.trimStart()}`];
    });
  });
  assert.deepEqual(
    named,
    [],
    'where a connector is meant, say it in the manifest (src/connectors/contract.ts), and ask that; a mere word is spelled otherwise, or has its line in OTHER_MEANINGS',
  );
  for (const code of [`where type = 'hub'`, '{ mysql: 64 }']) assert.notEqual(code.search(name), -1, 'names are found at all');
});

/** Tables that only one room writes: the others ask that room for a change. */
const WRITTEN_BY: Record<string, string> = { syncs: 'datasync/syncs', sync_state: 'datasync/runs' };

test('definitions of synchronizations are written by their room alone, and what becomes of them by that of runs', () => {
  const isMigration = (file: string): boolean => file.startsWith('src/db/migrations/');
  for (const [table, room] of Object.entries(WRITTEN_BY)) {
    const writers = containing(new RegExp(`\\b(update|insert into|delete from) ${table}\\b`), sources).filter((file) => !isMigration(file));
    assert.ok(writers.length > 0, 'statements are found at all');
    assert.deepEqual([...new Set(writers.map(roomOf))], [room], `who writes ${table}`);
  }
});

/** What computes for users: it may take its time, so it belongs into threads, which are started by name. */
const FOR_THREADS = [
  'src/connectors/load.ts',
  'src/engine/expression/condition.ts',
  'src/engine/expression/expression.ts',
  'src/engine/expression/pattern.ts',
  'src/engine/mapping/mapping.ts',
  'src/engine/plan/plan.ts',
];

test('no connector, expression, pattern or plan is within reach of the thread that answers requests', () => {
  const reached = new Map<string, string>();
  const visit = (file: string, by: string): void => {
    if (reached.has(file)) return;
    reached.set(file, by);
    for (const other of valueImports(file)) visit(other, `${by} → ${other}`);
  };
  visit('src/main.ts', 'src/main.ts');
  assert.ok(reached.has('src/app.ts'), 'imports are found at all, also those that come late');
  assert.ok(FOR_THREADS.every((file) => sources.includes(file)));
  assert.deepEqual(
    FOR_THREADS.flatMap((file) => reached.get(file) ?? []),
    [],
  );
});

/** Those that are there when it runs: not of types alone. */
function valueImports(file: string): string[] {
  const statements = (textOf.get(file) ?? '').matchAll(
    /^(?:import|export)\s+(?!type\b)([^;']*)from\s*'(\.[^']+\.ts)'|\bimport\(\s*'(\.[^']+\.ts)'/gm,
  );
  return [...statements]
    .filter(([, names = '']) => !/^\{(\s*type \w+,?)+\s*\}\s*$/.test(names))
    .map(([, , path = '', late = '']) => join(dirname(file), path || late));
}

/** Who else may open connections or ask name servers, each with its reason. Everybody else leaves by `outside/`, which judges where to. */
const OTHER_WAYS_OUT: Readonly<Record<string, string>> = {
  'src/cli/service/client.ts': 'the command line calls the service that it belongs to',
  'src/cli/service/own-certificate.ts': 'the same, by the certificate of that service',
  'src/connectors/conformance/proxy.ts': 'the conformance suite stands between a connector and its system, to cut them off',
  'src/http/metrics-port.ts': 'a second port of the service: connections come in here, none goes out',
  'src/http/server.ts': 'the server: connections come in here, none goes out',
};

/** Packages that open connections by themselves, and the only files that may load them. */
const DRIVERS: Readonly<Record<string, readonly string[]>> = {
  // Of connectors, over sockets of `reach`; elsewhere to the database that Syncline itself lives in.
  pg: [
    'src/cli/backup/note-backup.ts',
    'src/cli/backup/snapshot.ts',
    // The proof kit has its own way into the databases that it has made, so that connectors are held against something else.
    'src/cli/prove/plain-client.ts',
    'src/connectors/postgres/wire/connect.ts',
    'src/db/postgres-listener.ts',
    'src/db/postgres.ts',
  ],
  // Over sockets of `reach`.
  mysql2: ['src/connectors/mysql/wire/connect.ts'],
  // As above.
  'mysql2/promise': ['src/cli/prove/plain-client.ts'],
  // Over our own pool.
  'pg-boss': ['src/jobs/pg-boss.ts'],
  // Over a socket of `reach`.
  nodemailer: ['src/alerts/channels/email.ts'],
  // Its access to everything but its file is switched off.
  '@duckdb/node-api': ['src/connectors/duckdb/database/open.ts'],
  // Fetches keys by the function that it is given.
  jose: ['src/keys/oidc.ts'],
};

/** Where Node's HTTP is taken from. */
const NODE_HTTP = 'src/lib/built-in/http.ts';
const NETWORK = ['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns', 'dns/promises'];
/** What these modules have that opens nothing. */
const HARMLESS = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'STATUS_CODES']);

test('nobody leaves the service but by the way out', () => {
  const openers = sources.filter((file) => {
    const taken = [...NETWORK.flatMap((name) => loaded(file, `node:${name}`)), ...loaded(file, relative(dirname(file), NODE_HTTP))];
    const code = (textOf.get(file) ?? '').replace(/\/\*[^]*?\*\/|(^|\s)\/\/.*/gm, '');
    return taken.some((name) => !HARMLESS.has(name)) || /(?<![\w.#'"`])fetch(?=[(,;)])|\bnew (WebSocket|EventSource)\b/.test(code);
  });
  assert.deepEqual(
    openers.filter((file) => !file.startsWith('src/outside/')),
    Object.keys(OTHER_WAYS_OUT),
    'sockets come from src/outside/reach.ts, requests from src/outside/http/client.ts',
  );
  assert.ok(openers.includes('src/outside/reach.ts') && openers.includes('src/outside/http/exchange.ts'), 'they are found at all');
  for (const [driver, files] of Object.entries(DRIVERS))
    assert.deepEqual(
      sources.filter((file) => loaded(file, driver).length > 0),
      files,
      `who loads ${driver}`,
    );
});

/** The names that a file takes from a module to use them, not as types alone; `*` when it takes all of it. */
function loaded(file: string, module: string): string[] {
  const imports = (textOf.get(file) ?? '').matchAll(/^import\s+(?!type\b)([^;']*)from\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm);
  return [...imports]
    .filter(([, , name, late]) => name === module || late === module)
    .flatMap(([, names = '*']) => names.replace(/[{}\s]+/g, ' ').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
