// docs/upgrading.md is true: the trial that it tells to make is made here as it stands there, with what 0.1.0 has left behind.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { answersOf, fixtureOf, partOf } from '../support/release/fixtures.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

test('a copy of what 0.1.0 has can be looked at beside it, and nothing of it runs', { timeout: 180_000 }, async (t) => {
  const fixture = fixtureOf('0.1.0', 'sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'syncline-upgrading-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(partOf(fixture, 'dataDir'), join(folder, 'data'), { recursive: true });
  cpSync(partOf(fixture, 'backup'), join(folder, 'before-upgrade.backup'));
  writeFileSync(join(folder, 'syncline'), `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/syncline.js" "$@"\n`, { mode: 0o755 });

  const [, trial = ''] = /^ +```bash\n([^]*?)^ +```/m.exec(readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8')) ?? [];
  assert.match(trial, /SYNCLINE_MAX_RUNS=0/);
  const env = { PATH: [folder, process.env['PATH']].join(delimiter), HOME: folder };
  const script = `set -euo pipefail\n${trial.replaceAll('8099', String(await freePort()))}`;
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, timeout: 120_000 });

  const [, orders] = Object.entries(answersOf(fixture)).find(([path]) => path.startsWith('/orders?')) ?? assert.fail('no orders');
  assert.match(stdout, new RegExp(`^Restored ${orders.total} orders, `, 'm'));
  assert.match(stdout, /^syn_\w+ +people +queued .* A run waits for its turn\.$/m, 'it still waits');
  for (const kind of ['ord', 'src', 'syn']) assert.match(stdout, new RegExp(`^${kind}_`, 'm'));
  const log = readFileSync(join(folder, 'trial.log'), 'utf8');
  assert.match(log, /"msg":"stopped"/);
  assert.doesNotMatch(log, /"level":"error"/);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
