import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bundle } from './support/bundles.ts';

const LANES = JSON.stringify(new URL('support/lanes.ts', import.meta.url).href);
const BEFORE = "import { test } from 'node:test'; import { setImmediate as turn } from 'node:timers/promises';";

describe('the runner of the tests', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'syncline-lanes-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What it says of a file with this test; and whether it takes it for a failure. */
  const run = (body: string, tellsCauses: boolean): { told: string; hasFailed: boolean } => {
    const file = join(folder, 'one.test.mjs');
    writeFileSync(file, `${BEFORE} test('the one', async () => { ${body} });`);
    return runFile(file, tellsCauses);
  };

  const runFile = (file: string, tellsCauses: boolean): { told: string; hasFailed: boolean } => {
    const options = `{ timeout: 60_000, tellsCauses: ${tellsCauses}, signal: new AbortController().signal }`;
    const script = `import { runInLanes } from ${LANES};
      const { hasFailed } = await runInLanes([{ files: [${JSON.stringify(file)}], sideBySide: 1 }], ${options});
      process.exitCode = hasFailed ? 3 : 0;`;
    const program = join(folder, 'run.mjs');
    writeFileSync(program, script);
    // Inside of a test, it would run nothing.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    assert.ok(status === 0 || status === 3, stderr);
    return { told: stdout, hasFailed: status === 3 };
  };

  /** The same of files that share a process. */
  const runTogether = (...texts: string[]): { told: string; hasFailed: boolean } => {
    const files = texts.map((text, at) => {
      const file = join(folder, `${at}.test.ts`);
      writeFileSync(file, `import { after, before, beforeEach, test } from 'node:test'; import assert from 'node:assert/strict'; ${text}`);
      return file;
    });
    const [entry, ...more] = bundle(files, files.length, join(folder, 'bundles'));
    assert.deepEqual(more, []);
    return runFile(entry ?? '', false);
  };

  test('files that share a process have their own hooks, and are told by their names', () => {
    const own = (name: string): string =>
      `let mine = 0; before(() => { globalThis.open = '${name}'; }); beforeEach(() => { mine++; });
       test('${name}', () => { assert.equal(globalThis.open, '${name}'); assert.equal(mine, 1); }); after(() => { globalThis.open = ''; });`;
    const { told, hasFailed } = runTogether(own('first'), own('second'));
    assert.equal(hasFailed, false, told);
    assert.match(told, /0\.test\.ts[\s\S]*✔ first[\s\S]*1\.test\.ts[\s\S]*✔ second/);
  });

  test('one of them that fails, or cannot be loaded, is a failure, and the others are run', () => {
    for (const broken of ["test('broken', () => assert.fail('it broke'));", "throw new Error('it broke');"]) {
      const { told, hasFailed } = runTogether(broken, "test('whole', () => {});");
      assert.ok(hasFailed, told);
      assert.match(told, /it broke/);
      assert.match(told, /✔ whole/);
    }
  });

  for (const tellsCauses of [true, false]) {
    test(`takes what passes for passed, and what fails for failed (${tellsCauses ? 'with' : 'without'} causes)`, () => {
      assert.equal(run('await turn();', tellsCauses).hasFailed, false);
      const { told, hasFailed } = run("await turn(); throw new Error('it broke');", tellsCauses);
      assert.ok(hasFailed);
      assert.match(told, /✖ the one[\s\S]*it broke/);
    });

    test(`an error that no test waits for is a failure, and is told (${tellsCauses ? 'with' : 'without'} causes)`, () => {
      for (const stray of ["void Promise.reject(new Error('it strayed'))", "setImmediate(() => { throw new Error('it strayed'); })"]) {
        const { told, hasFailed } = run(`await turn(); ${stray}; await turn(); await turn();`, tellsCauses);
        assert.ok(hasFailed, told);
        assert.match(told, /it strayed/);
      }
    });
  }
});
