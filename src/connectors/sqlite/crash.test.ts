import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { database, folder } from './fixture.ts';

after(() => rmSync(folder, { recursive: true }));

const TOTAL = 1000;
const WORKER = fileURLToPath(new URL('crash-worker.ts', import.meta.url));

/** Runs a writer and kills it when it has said so many things; gives the last one. */
async function run(path: string, mode: string, token: number, killAfter: number): Promise<number> {
  const child = spawn(process.execPath, [WORKER, path, mode, String(token), String(TOTAL)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let [words, lines] = ['', 0];
  child.stdout.on('data', (chunk: Buffer) => {
    words += chunk.toString();
    lines = words.split('\n').length - 1;
    if (lines >= killAfter) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (killAfter === Infinity) assert.equal(code, 0);
  return Number(words.split('\n').at(-2) ?? 0);
}

for (const [journal, ...modes] of [
  ['delete', 'append', 'mirror'],
  ['wal', 'upsert'],
]) {
  test(`a writer that is killed again and again loses nothing and doubles nothing (${journal})`, async () => {
    for (const mode of modes) {
      const path = database(`pragma journal_mode = ${journal}; create table other (id)`, join(folder, `${journal}-${mode}.db`));
      for (let round = 1; round <= 2; round++) {
        const said = await run(path, mode, round, round * 7);
        const opened = new DatabaseSync(path);
        const kept = opened.prepare('select position, stage from _syncline_checkpoints').get() as {
          position: string;
          stage: string | null;
        };
        const { count, last } = opened.prepare(`select count(*) as count, max(id) as last from ${kept.stage ?? 't'}`).get() as {
          count: number;
          last: number;
        };
        opened.close();
        assert.ok(Number(kept.position) >= said, 'what was said to be written is there');
        assert.deepEqual([count, last], [Number(kept.position), Number(kept.position)], `${mode}: rows and position belong together`);
      }
      await run(path, mode, 9, Infinity);
      const opened = new DatabaseSync(path);
      const sums = opened.prepare('select count(*) as rows, count(distinct id) as ids, min(id) as first, max(id) as last from t').get();
      assert.deepEqual({ ...sums }, { rows: TOTAL, ids: TOTAL, first: 1, last: TOTAL }, mode);
      assert.deepEqual({ ...opened.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
      opened.close();
    }
  });
}
