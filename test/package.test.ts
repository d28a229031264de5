// The package, as a user has it who installs it into an empty folder. `npm run test:package` packs and installs it; test/image.test.ts looks into it.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from './support/until.ts';
import { isWhole } from './support/whole.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'bin/syncline.js');
const { version, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string; engines: { node: string } };
/** What a user downloads for the program itself; 2.9 MB when this was written, half of it the page. */
const MOST_PACKED = 4_000_000;

const run = promisify(execFile);

describe('a Node that is', () => {
  /** Runs the program as if this were the version of Node. */
  const runOn = (node: string) => {
    const pretended = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`;
    const preload = `data:text/javascript,${encodeURIComponent(pretended)}`;
    return spawnSync(process.execPath, ['--import', preload, PROGRAM, '--version'], { encoding: 'utf8', env: {} });
  };
  const [, major = 0, minor = 0] = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.map(Number) ?? [];

  for (const node of [`${major}.${minor - 1}.9`, `${major - 1}.99.0`, '20.20.2', '9.0.0']) {
    test(`too old is told in words (${node})`, () => {
      const { status, stdout, stderr } = runOn(node);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(
        stderr,
        new RegExp(
          `^Syncline needs Node\\.js ${major}\\.${minor} or newer, and this is ${RegExp.escape(node)} \\(/.*\\)\\.\nIn a clone .*npm start.* Elsewhere install .*\n$`,
        ),
      );
    });
  }

  for (const node of [`${major}.${minor}.0`, `${major}.${minor + 5}.1`, `${major + 1}.0.0`, '100.0.0']) {
    test(`new enough is used (${node})`, () => {
      const { status, stdout, stderr } = runOn(node);
      assert.deepEqual([status, stdout, stderr], [0, `${version}\n`, '']);
    });
  }

  // Where `node` is the old one of the system, the real thing.
  const { stdout: installed, error } = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' });
  const isOld = error === undefined && Number(installed.slice(1, 3)) < major;
  test('too old on this machine is told, too', { skip: !isOld && 'there is none' }, () => {
    const { status, stderr } = spawnSync('/usr/bin/node', [PROGRAM, 'start'], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^Syncline needs Node\.js/);
  });
});

test('the first line of the program is one that every `env` understands', () => {
  // BusyBox, which Alpine has, knows no -S, and takes all the rest for one name.
  assert.equal(readFileSync(PROGRAM, 'utf8').split('\n')[0], '#!/usr/bin/env node');
});

describe('the package', { skip: !isWhole && 'npm run test:package and npm run test:whole pack and install it' }, () => {
  let folder: string;
  let packed: { filename: string; size: number; files: { path: string; mode: number }[] };
  const empty = (): string => join(folder, 'empty');

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'syncline-package-')));
    // Not in the clone: what is built there would stay.
    const sources = join(folder, 'sources');
    for (const part of [
      'bin',
      'src',
      'package.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'README.md',
      'LICENSE',
      'docs',
      'test/fixtures',
    ])
      cpSync(join(ROOT, part), join(sources, part), { recursive: true });
    cpSync(join(ROOT, 'dashboard'), join(sources, 'dashboard'), {
      recursive: true,
      filter: (path) => path !== join(ROOT, 'dashboard/dist'),
    });
    symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
    const { stdout } = await inFolder(sources, 'npm', ['pack', '--json', '--pack-destination', folder]);
    [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [typeof packed];
    mkdirSync(empty());
    await inFolder(empty(), 'npm', ['install', '--no-audit', '--no-fund', join(folder, packed.filename)]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('has the program, the page, the README and the licence, and nothing else', () => {
    const others = packed.files.filter(
      ({ path }) =>
        !/^(README\.md|LICENSE|package\.json|docs\/config\.schema\.json|bin\/syncline\.js|dist\/package\.json|dist\/src\/.+\.(js|json)|dist\/dashboard\/dist\/.+)$/.test(
          path,
        ),
    );
    assert.deepEqual(others, []);
    const paths = new Set(packed.files.map(({ path }) => path));
    for (const path of [
      'README.md',
      'LICENSE',
      'docs/config.schema.json',
      'bin/syncline.js',
      'dist/src/main.js',
      'dist/dashboard/dist/index.html',
    ])
      assert.ok(paths.has(path), path);
    assert.ok(packed.size < MOST_PACKED, `${packed.size} bytes`);
  });

  test('is installed without what only its developers need', () => {
    const installed = readdirSync(join(empty(), 'node_modules'));
    for (const name of ['typescript', 'vite', 'react', 'node', 'playwright-core']) assert.ok(!installed.includes(name), name);
    assert.ok(installed.includes('fastify'));
  });

  test('tells what it can do', async () => {
    assert.match(
      (await inFolder(empty(), 'npx', ['syncline', '--help'])).stdout,
      /^Syncline keeps systems in sync\.\n\n {2}syncline start /,
    );
    assert.equal((await inFolder(empty(), 'npx', ['syncline', '--version'])).stdout, `${version}\n`);
  });

  test('starts where the user stands, says where its data is, takes an order, and ends with npx', { timeout: 120_000 }, async (t) => {
    const child = spawn('npx', ['syncline', 'start'], { cwd: empty(), env: userOf({ PORT: '0' }), stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const closed = once(child, 'close');
    t.after(() => child.kill('SIGTERM'));
    const url = await until('the address', () => /^ +Data /m.test(said) && /API +(\S+)\/api\/v1\n/.exec(said)?.[1]);
    assert.match(said, new RegExp(`^ +Data +${RegExp.escape(join(empty(), 'data'))}$`, 'm'));
    assert.ok(existsSync(join(empty(), 'data/syncline.db')));
    for (const path of ['/healthz', '/readyz', '/', '/docs', '/openapi.json']) assert.equal((await fetch(url + path)).status, 200, path);

    const [, key = ''] = /Admin key +(slk_\w+)/.exec(said) ?? [];
    const answer = await fetch(`${url}/api/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ customer_id: 'c', items: [{ product_id: 'mug', quantity: 3, price: 19.99 }] }),
    });
    assert.equal(((await answer.json()) as { data: { total: number } }).data.total, 59.97);
    const listed = await inFolder(empty(), 'npx', ['syncline', 'orders', 'find', '--json'], { PORT: new URL(url).port });
    assert.match(listed.stdout, /"total": ?59\.97/);

    child.kill('SIGTERM');
    // npm does not wait for the service; but the service has its output, and so `close` does.
    await closed;
    assert.match(said, /"msg":"stopped"/);
    assert.doesNotMatch(said, /"level":"(warn|error)"/);
    await assert.rejects(fetch(`${url}/healthz`));
  });
});

function inFolder(cwd: string, program: string, args: string[], settings: Record<string, string> = {}): Promise<{ stdout: string }> {
  return run(program, args, { cwd, env: userOf(settings), maxBuffer: 64 * 1024 * 1024 });
}

/** The environment of a user whose Node is ours, and nothing of the `npm` that runs the tests: it would say which folder is meant. */
function userOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_registry)|NODE_(?!EXTRA_CA)|SYNCLINE_|INIT_CWD$)/.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), ...settings };
}
