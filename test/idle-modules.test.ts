import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createPlace } from './support/databases.ts';
import { startProcess } from './support/process.ts';

// What is loaded at the start takes memory for as long as the service runs, and time of every start.

/** Packages that are for what an idle service on SQLite does not do. */
const FOR_LATER = [
  '@duckdb',
  '@marcbachmann/cel-js',
  '@scalar',
  'croner',
  'hyparquet',
  'hyparquet-compressors',
  'hyparquet-writer',
  'jose',
  'light-my-request',
  'mysql2',
  'nodemailer',
  'pg',
  'pg-boss',
  'yaml',
];
/** What Node itself loads late: a whole HTTP client with WebSockets, and what turns TypeScript into JavaScript. */
const OF_NODE = ['internal/deps/undici/undici', 'internal/deps/amaro/dist/index'];

test('an idle service has loaded nothing that it may never need', async (t) => {
  const place = await createPlace('sqlite');
  t.after(() => place.remove());
  const probe = fileURLToPath(new URL('support/loaded-modules.cjs', import.meta.url));
  const list = `${place.dataDir}/loaded`;
  const environment = { NODE_OPTIONS: `--max-semi-space-size=16 --require ${probe}`, LOADED_MODULES: list };
  // The first start on a machine fills the compile cache, and needs for it what others do not.
  for (let start = 0; start < 2; start++) await (await startProcess(place, { environment })).stop();
  const loaded = readFileSync(list, 'utf8').split('\n');
  assert.ok(loaded.some((name) => name.includes('/node_modules/fastify/')) && loaded.includes('http'), 'what is loaded is seen at all');
  for (const name of FOR_LATER)
    assert.deepEqual(
      loaded.filter((file) => file.includes(`/node_modules/${name}/`)),
      [],
      name,
    );
  assert.deepEqual(
    OF_NODE.filter((name) => loaded.includes(name)),
    [],
  );
});

test('nobody imports what Node loads a second client for', () => {
  const takes = /^import\s+(?!type\b)[^;']*from\s*'node:http2?'|\bimport\(\s*'node:http2?'|getBuiltinModule\(/m;
  const sources = globSync('src/**/*.ts', { exclude: ['**/*.test.ts'] });
  assert.deepEqual(
    sources.filter((file) => takes.test(readFileSync(file, 'utf8'))),
    ['src/lib/built-in/http.ts'],
  );
});
