// What is published of the client: built as for npm, and its README, whose examples are run as they stand there.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { VERSION } from '../../src/version.ts';
import { onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

const HERE = 'clients/typescript';
/** What runs the examples; `CLIENT_RUNTIME='bun run'` or `'deno run -A'` lets others do so. */
const [RUNTIME = '', ...RUNTIME_ARGS] = process.env['CLIENT_RUNTIME']?.split(' ') ?? [process.execPath];
const readme = readFileSync(`${HERE}/README.md`, 'utf8');
const EXAMPLES = [...readme.matchAll(/```ts\n([^]*?)```\n```text\n([^]*?)```/g)].map(([, code = '', expected = '']) => ({
  code,
  expected,
}));

test('it needs nothing but the platform: fetch, streams and WebCrypto', () => {
  const files = globSync(`${HERE}/src/*.ts`).map((file) => readFileSync(file, 'utf8'));
  const imported = files.flatMap((text) => [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, path = '']) => path));
  assert.ok(imported.length > 5, 'imports are found at all');
  assert.deepEqual(
    imported.filter((path) => !/^\.\/[a-z-]+\.ts$/.test(path)),
    [],
  );
  for (const text of files) assert.doesNotMatch(text, /\bprocess\.|\bBuffer\b/);
  const { dependencies, version } = JSON.parse(readFileSync(`${HERE}/package.json`, 'utf8')) as Record<string, unknown>;
  assert.equal(dependencies, undefined);
  assert.equal(version, VERSION, 'it is released with the service');
});

onEitherEngine('the package of the client', (engine) => {
  let service: Service;
  let folder: string;
  before(async () => {
    service = await startService(engine);
    folder = mkdtempSync(join(tmpdir(), 'syncline-client-'));
    const installed = join(folder, 'node_modules/@syncline/client');
    mkdirSync(installed, { recursive: true });
    execFileSync('node_modules/.bin/tsc', ['-p', `${HERE}/tsconfig.build.json`, '--outDir', join(installed, 'dist')]);
    writeFileSync(join(installed, 'package.json'), readFileSync(`${HERE}/package.json`));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('every example of its README compiles strictly against it, and prints what it says', async () => {
    assert.equal(EXAMPLES.length, readme.split('```ts\n').length - 1, 'each has its output below it');
    assert.ok(EXAMPLES.length >= 6);
    EXAMPLES.forEach(({ code }, place) => writeFileSync(join(folder, `example-${place}.ts`), code));
    const files = EXAMPLES.map((_, place) => join(folder, `example-${place}.ts`));
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--lib', 'es2024,dom,dom.iterable'];
    const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
    const checked = promisify(execFile)('node_modules/.bin/tsc', [...options, ...types, '--ignoreConfig', ...files]);
    await checked.catch((error: { stdout: string }) => assert.fail(error.stdout));
    for (const [place, { code, expected }] of EXAMPLES.entries()) {
      const env = { ...process.env, SYNCLINE_URL: service.url, SYNCLINE_KEY: service.adminKey };
      const { stdout } = await promisify(execFile)(RUNTIME, [...RUNTIME_ARGS, `example-${place}.ts`], {
        cwd: folder,
        env,
        timeout: 60_000,
      });
      const lines = expected.trim().split('\n');
      const printed = stdout.trim().split('\n');
      assert.deepEqual(
        lines[0] === '…' ? printed.slice(1 - lines.length) : printed,
        lines.filter((line) => line !== '…'),
        code,
      );
    }
  });
});
