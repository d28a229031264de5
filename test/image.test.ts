// What the image holds works, as the container runs it. Docker is not needed.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { resolveConfig } from 'vite';
import { manifests } from '../src/connectors/registry.ts';
import { createPlace } from './support/databases.ts';
import { isWhole } from './support/whole.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Nodes that are given their secrets keep nothing on disk. */
const SHARED = {
  SYNCLINE_DATA_DIR: '/nonexistent/data',
  SYNCLINE_ADMIN_KEY: 'the-key-of-the-operator-of-images',
  SYNCLINE_SECRET_KEY: Buffer.alloc(32, 'image').toString('base64'),
};

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'syncline-image-'));
    // `npm run check` has looked at the types, and the page was built before the tests, from the sources that are there now. The whole builds it as
    // the package does.
    const tsc = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(folder, 'dist')];
    const built = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), tsc, { cwd: ROOT });
    assert.equal(built.status, 0, String(built.stdout));
    const builds = [
      'node_modules/vite/bin/vite.js',
      'build',
      'dashboard',
      '--logLevel',
      'warn',
      '--outDir',
      join(folder, 'dist/dashboard/dist'),
    ];
    const page = spawnSync(process.execPath, isWhole ? builds : ['scripts/setup.js'], { cwd: ROOT });
    assert.equal(page.status, 0, String(page.stderr));
    if (!isWhole) cpSync(join(ROOT, 'dashboard/dist'), join(folder, 'dist/dashboard/dist'), { recursive: true });
    for (const part of ['bin', 'package.json', 'README.md', 'LICENSE']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const entry of ['.', ...globSync('{bin,dist}{,/**}', { cwd: folder })]) chmodSync(join(folder, entry), 0o555);
  });
  after(() => {
    for (const entry of ['.', ...globSync('{bin,dist}{,/**}', { cwd: folder })]) chmodSync(join(folder, entry), 0o755);
    rmSync(folder, { recursive: true, force: true });
  });

  test('is built without install scripts, in stages, and ends as a user that is not root', () => {
    const installs = dockerfile.match(/npm (install|ci).*/g) ?? [];
    assert.equal(installs.length, 2);
    for (const install of installs) assert.match(install, /--ignore-scripts/);
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    assert.doesNotMatch(last, /npm |COPY (--from=\w+ )?\S*src/);
    assert.match(last, /^USER [1-9]\d*:[1-9]\d*$/m);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
    const allowed = new Set(
      read('.dockerignore')
        .match(/^!.*/gm)
        ?.map((line) => line.slice(1)),
    );
    assert.deepEqual(
      copied.filter((path) => !allowed.has(path)),
      [],
      'what is copied is not ignored',
    );
  });

  test('is for amd64 and arm64 alike: no package that it needs has a binary for one of them only', () => {
    type Locked = { dev?: true; optional?: true; cpu?: string[]; hasInstallScript?: true; optionalDependencies?: Record<string, string> };
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    const binaries = shipped.filter(([, { cpu }]) => cpu !== undefined);
    const names = new Set(shipped.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies)));
    for (const [path, { optional }] of binaries) {
      const name = path.replace('node_modules/', '');
      assert.ok(optional, `${name} is needed on one kind of processor only`);
      for (const cpu of ['x64', 'arm64']) assert.ok(names.has(name.replace(/x64|arm64/, cpu)), `${name} has one for ${cpu}, too`);
    }
    assert.ok(binaries.length > 0, 'binaries are found at all');
    const compiled = shipped
      .filter(([, { optional }]) => !optional)
      .flatMap(([path]) => globSync(`${path}/**/*.{node,so,dylib,dll,exe}`, { cwd: ROOT }));
    assert.deepEqual(compiled, []);
    assert.deepEqual(
      shipped.filter(([, { hasInstallScript }]) => hasInstallScript),
      [],
      'nothing is compiled when it is installed',
    );
    // What is built is the same for both; what is installed is asked for by the kind that the image is for.
    assert.deepEqual(
      [...dockerfile.matchAll(/^FROM (--platform=\S+ )?\S+( AS \w+)?$/gm)].map(([, platform = '', name = '']) => platform + name.trim()),
      ['--platform=$BUILDPLATFORM AS build', '--platform=$BUILDPLATFORM AS packages', ''],
    );
    assert.match(dockerfile, /--os=linux --libc=musl --cpu="\$\(echo "\$TARGETARCH" \| sed s\/amd64\/x64\/\)"/);
  });

  test('has the page where the program looks for it, and so has the package', async () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const text of [scripts['prepack'] ?? '', dockerfile]) {
      const [, root = '', outDir = ''] = /\bvite(?:\/bin\/vite\.js)? build (\S+) .*--outDir (\S+)/.exec(text) ?? [];
      // As Vite's command line takes them, with our own settings beneath: to a folder beside the program, which is emptied first.
      const { root: from, build } = await resolveConfig({ root: join(ROOT, root), build: { outDir }, logLevel: 'silent' }, 'build');
      assert.equal(resolve(from, build.outDir), join(ROOT, 'dist/dashboard/dist'), text);
      assert.equal(build.emptyOutDir, true);
    }
    const [, place = ''] = /new URL\('([^']+)', import\.meta\.url\)/.exec(read('src/http/pages/dashboard.ts')) ?? [];
    assert.equal(resolve(ROOT, 'dist/src/http/pages', place), join(ROOT, 'dist/dashboard/dist'));
  });

  test('has the program, and nothing of its tests', () => {
    const built = globSync('src/**', { cwd: join(folder, 'dist'), withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(folder, 'dist'), join(entry.parentPath, entry.name)));
    const textOf = (file: string): string => readFileSync(join(folder, 'dist', file), 'utf8');
    const needed = new Set<string>();
    const need = (file: string): void => {
      if (needed.has(file)) return;
      needed.add(file);
      const text = textOf(file);
      const beside = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+\.js)'/g)].map(([, path = '']) => path);
      const threads = [...text.matchAll(/\(import\.meta\.url, '([\w-]+-thread)'/g)].map(([, name]) => `${name}.js`);
      for (const path of [...beside, ...threads]) need(join(dirname(file), path));
    };
    need('src/main.js');
    for (const { type } of manifests) need(`src/connectors/${type}/connector.js`);
    // Nothing is left of a file that has types only.
    const isEmpty = (file: string): boolean => /^(\s|\/\/.*|\/\*[\s\S]*?\*\/)*export \{\};\s*$/.test(textOf(file));
    const idle = built.filter((file) => !needed.has(file) && !isEmpty(file)).sort();
    assert.deepEqual(idle, [], 'built, and needed by nothing');
    assert.ok(needed.has('src/datasync/runs/work/run-thread.js'), 'what is needed is found at all');
  });

  test('is what the package has, too', () => {
    const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder, encoding: 'utf8' });
    const [{ files }] = JSON.parse(packed.stdout) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    assert.deepEqual(
      paths.filter(
        (path) =>
          !/^(README\.md|LICENSE|(dist\/)?package\.json|bin\/syncline\.js|dist\/src\/.+\.(js|json)|dist\/dashboard\/dist\/.+)$/.test(path),
      ),
      [],
    );
    for (const path of ['README.md', 'LICENSE', 'bin/syncline.js', 'dist/src/main.js', 'dist/dashboard/dist/index.html'])
      assert.ok(paths.includes(path), path);
    assert.deepEqual(
      paths.filter((path) => path.startsWith('dist/src/connectors/fake') || path.startsWith('dist/src/connectors/conformance')),
      [],
    );
  });

  test('needs no packages but those that are installed with it', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
    const files = globSync('dist/src/**/*.js', { cwd: folder });
    const imported = files.flatMap((file) =>
      [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/^\s*(?:import|export)\b[^'"\n]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm),
      ].map(([, statically, later]) => statically ?? later ?? ''),
    );
    const packages = new Set(
      imported.filter((name) => !/^(node:|\.)/.test(name)).map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
    );
    assert.deepEqual([...packages.difference(installed)], []);
    assert.ok(packages.has('fastify') && packages.has('@duckdb/node-api'), 'imports are found at all');
  });

  for (const role of ['all', 'api', 'worker']) {
    const isEmbedded = role === 'all';
    const place = isEmbedded ? 'but to the data directory' : 'at all';
    test(`starts without the sources, as nobody, who can write to nothing ${place} (${role})`, { timeout: 60_000 }, async (t) => {
      const place = await createPlace(isEmbedded ? 'sqlite' : 'postgres');
      t.after(() => place.remove());
      const [, flags = ''] = /^ENTRYPOINT \["node", (.*)\]$/m.exec(dockerfile) ?? [];
      const entry = JSON.parse(`[${flags}]`) as string[];
      const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
      if (nobody) chownSync(place.dataDir, nobody.uid, nobody.gid);
      const child = spawn(process.execPath, [...entry, 'start', '--role', role], {
        cwd: folder,
        ...nobody,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          NODE_ENV: 'production',
          NODE_DISABLE_COMPILE_CACHE: '1',
          HOME: '/nonexistent',
          TMPDIR: '/nonexistent',
          PORT: '0',
          ...(isEmbedded ? { SYNCLINE_DATA_DIR: place.dataDir } : { ...SHARED, DATABASE_URL: place.databaseUrl }),
        },
      });
      t.after(() => child.kill('SIGKILL'));
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      const ended = once(child, 'close') as Promise<[number | null]>;
      const address = await new Promise<string>((found, failed) => {
        child.stdout.on('data', () => {
          const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(said) ?? [];
          if (url) found(url);
        });
        void ended.then(() => failed(new Error(`It ended: ${said}`)));
      });
      const paths = ['/healthz', '/readyz', ...(role === 'worker' ? [] : ['/', '/openapi.json', '/docs'])];
      for (const path of paths) assert.equal((await fetch(address + path)).status, 200, path);
      child.kill('SIGTERM');
      assert.deepEqual((await ended)[0], 0);
      assert.doesNotMatch(said, /"level":"(warn|error)"/);
    });
  }
});
