import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSqlite } from './sqlite-connection.ts';
import { SqliteReads } from './sqlite-reads.ts';
import { sql } from './sql.ts';

const folder = mkdtempSync(join(tmpdir(), 'syncline-reads-'));
const file = join(folder, 'test.db');
const writer = openSqlite(file, 'write');
const database = openSqlite(file, 'read');
const reads = new SqliteReads(database);

before(() => {
  writer.exec('create table notes (text text)');
  // Another session's commit, at a moment of our choice: while a read is being done.
  database.function('write_note', () => {
    writer.exec("insert into notes values ('a note')");
    return 'written';
  });
});
after(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

const countNotes = sql`select count(*) as n from notes`;
const notes = async (): Promise<number | undefined> => (await reads.all<{ n: number }>(countNotes))[0]?.n;

test('reads that are asked for together see one moment, and the next one sees what came after', async () => {
  const together = await Promise.all([notes(), reads.all(sql`select write_note() as outcome`), notes()]);
  assert.deepEqual(together, [0, [{ outcome: 'written' }], 0]);
  assert.equal(await notes(), 1);
});

test('a read that fails fails alone', async () => {
  const expected = await notes();
  const together = await Promise.allSettled([notes(), reads.all(sql`select * from nowhere`), notes()]);
  assert.deepEqual(
    together.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
    [expected, 'Error: no such table: nowhere', expected],
  );
  assert.equal(await notes(), expected);
  assert.equal(database.isTransaction, false);
});

test('reads of a closed database are refused, alone or together', async () => {
  database.close();
  await assert.rejects(notes(), /not open|finalized/);
  for (const outcome of await Promise.allSettled([notes(), notes()])) assert.equal(outcome.status, 'rejected');
});
