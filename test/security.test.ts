// What SECURITY.md counts and names is counted and looked up here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SETTINGS } from '../src/config.ts';
import { hashOf, newSecret } from '../src/keys/format.ts';
import { startService } from './support/service.ts';

const ROOT = join(import.meta.dirname, '..');
const security = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').replaceAll(/\s+/g, ' ');
const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
NUMBERS.push('eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty');

function said(pattern: RegExp): string {
  const found = pattern.exec(security)?.[1];
  assert.ok(found, `SECURITY.md does not say ${pattern.source}`);
  return found;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

test('the dependencies: as many as are told, pinned, in the lock file, and without install scripts', () => {
  const { dependencies, devDependencies } = read('package.json') as Record<string, Record<string, string>>;
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { version: string; hasInstallScript?: boolean; integrity?: string }>;
  };
  const direct = Object.entries(dependencies ?? {});
  assert.equal(NUMBERS.indexOf(said(/(\w+) direct dependencies, pinned/).toLowerCase()), direct.length);
  for (const [name, version] of [...direct, ...Object.entries(devDependencies ?? {})]) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
    assert.equal(packages[`node_modules/${name}`]?.version, version, name);
  }
  for (const [path, { integrity }] of Object.entries(packages)) if (path.startsWith('node_modules/')) assert.ok(integrity, path);
  said(/(None runs an install script; the only one that does is the pinned Node of the clone)/);
  const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  assert.deepEqual(
    scripts.map(([path]) => path),
    ['node_modules/node'],
  );
});

test('a key: as many random bits as are told, and its hash', () => {
  const bits = Number(said(/A key has (\d+) random bits/));
  const body = newSecret('key_01kfa0v2m3f8rb4v3k7m2t9xqe').split('_')[2]?.slice(0, -7) ?? '';
  // Five bits in each of the 32 letters that there are.
  assert.match(body, /^[0-9a-hjkmnp-tv-z]+$/);
  assert.equal(body.length * 5, bits);
  const seen = new Set(
    Array.from({ length: 2000 }, () => newSecret('key_x').split('_')[2]?.slice(0, -7) ?? '').flatMap((text) => text.split('')),
  );
  assert.equal(seen.size, 32);
  said(/(Only its SHA-256 is stored)/);
  assert.equal(hashOf('a').length * 4, 256);
});

test('every setting that it names is one', () => {
  const named = [...security.matchAll(/`((?:SYNCLINE|DATABASE)_\w+|HOST|PORT)`/g)].map(([, name = '']) => name);
  assert.ok(named.length > 3);
  assert.deepEqual(
    named.filter((name) => !(name in SETTINGS)),
    [],
  );
});

test('what needs no key is what it lists, and sets no cookie and allows no other origin', async () => {
  const service = await startService('sqlite');
  try {
    const open = [...said(/- ((?:`\/\w*(?:\.\w+)?`,? ?(?:and )?)+)[^.]* need no key\./).matchAll(/`(\/[^`]*)`/g)].map(
      ([, path = '']) => path,
    );
    assert.ok(open.length >= 4, open.join());
    for (const path of open) assert.equal((await service.get(path, { key: null })).status, 200, path);
    const closed = service.app.routes.map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const);
    for (const [method, path] of [...closed, ['GET', '/api/v1/nothing'], ['GET', '/api']] as const) {
      const { status, headers } = await service.call(method, path, { key: null, headers: { origin: 'https://elsewhere.example' } });
      assert.equal(status, 401, `${method} ${path}`);
      assert.equal(headers.get('access-control-allow-origin'), null);
      assert.equal(headers.get('set-cookie'), null);
    }
  } finally {
    await service.close();
  }
});
