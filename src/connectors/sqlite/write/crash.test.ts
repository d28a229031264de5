import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { database } from '../../../../test/support/sqlite-files.ts';

const TOTAL = 1000;
const WORKER = fileURLToPath(new URL('../../../../test/support/sqlite-crash-worker.ts', import.meta.url));

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

const OLD = 'create table t (id integer primary key, v text); insert into t values (5000, null), (3, null)';

for (const { journal, mode, before, name } of [
  { journal: 'delete', mode: 'append', before: '', name: 'append' },
  { journal: 'wal', mode: 'upsert', before: '', name: 'upsert' },
  { journal: 'delete', mode: 'mirror', before: '', name: 'mirror into a new table' },
  { journal: 'wal', mode: 'mirror', before: OLD, name: 'mirror into a table with rows' },
]) {
  test(`a writer that is killed again and again loses nothing and doubles nothing (${name}, ${journal})`, async () => {
    const path = database(`pragma journal_mode = ${journal}; create table other (id); ${before}`);
    for (let round = 1; round <= 2; round++) {
      const said = await run(path, mode, round, round * 7);
      const opened = new DatabaseSync(path);
      const kept = opened.prepare('select position, note from _syncline_checkpoints').get() as { position: string; note: string };
      const stage = opened.prepare(`select name from sqlite_schema where name glob '_syncline_stage_*' and type = 'table'`).get()?.['name'];
      assert.equal(stage !== undefined, before !== '', 'only a mirror into a table with rows needs a stage');
      const table = typeof stage === 'string' ? stage : 't';
      const { count, last } = { ...opened.prepare(`select count(*) as count, max(id) as last from ${table}`).get() };
      opened.close();
      assert.ok(Number(kept.position) >= said, 'what was said to be written is there');
      assert.deepEqual([count, last], [Number(kept.position), Number(kept.position)], 'rows and position belong together');
      assert.equal(kept.note, `${kept.position} rows`, 'and so does the note');
    }
    await run(path, mode, 9, Infinity);
    const opened = new DatabaseSync(path);
    const sums = opened.prepare('select count(*) as rows, count(v) as given, min(id) as first, max(id) as last from t').get();
    assert.deepEqual({ ...sums }, { rows: TOTAL, given: TOTAL, first: 1, last: TOTAL });
    assert.deepEqual({ ...opened.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    opened.close();
  });
}
