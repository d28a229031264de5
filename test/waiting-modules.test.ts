import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { test } from 'node:test';

// To end a thread whose modules still wait at their top level ends the whole process: V8 then fails a check of its own. Threads are ended at
// any moment, such as when a run is cancelled that has just begun.
test('no module waits at its top level but the one that the program begins with', () => {
  const files = globSync('src/**/*.ts', { exclude: ['**/*.test.ts'] });
  const script = new URL('support/waiting-modules.ts', import.meta.url).pathname;
  const found = execFileSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', script, ...files], { encoding: 'utf8' });
  assert.deepEqual(found.trim().split('\n'), ['src/main.ts']);
});
