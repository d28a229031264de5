import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

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
