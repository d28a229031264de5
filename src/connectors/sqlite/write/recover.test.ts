import assert from 'node:assert/strict';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { database, folder, open } from '../../../../test/support/sqlite-files.ts';

for (const journal of ['delete', 'wal'] as const)
  test(`a file that a killed program has left in the middle of a transaction is put in order and read (${journal})`, async () => {
    const path = database(
      `pragma journal_mode = ${journal}; create table t (id integer primary key, v text); insert into t values (1, 'kept')`,
    );
    const writer = new DatabaseSync(path);
    // So small a cache writes to the file, or to its log, before the transaction is over.
    writer.exec(`pragma cache_size = 1; begin; update t set v = 'undone';
      with recursive s (i) as (select 2 union all select i + 1 from s where i < 5000) insert into t select i, hex(randomblob(100)) from s`);
    const left = join(folder, `left-${journal}.db`);
    const beside = journal === 'wal' ? '-wal' : '-journal';
    for (const end of ['', beside]) copyFileSync(`${path}${end}`, `${left}${end}`);
    writer.close();
    assert.ok(existsSync(`${left}${beside}`));
    const session = await open(left);
    const [stream] = await session.discover(['t']);
    assert.equal(stream?.name, 't');
    const rows: unknown[] = [];
    for await (const batch of session.read({ stream: 't', fields: ['id', 'v'], key: ['id'] })) rows.push(...batch.rows);
    assert.deepEqual(rows, [['1', 'kept']]);
    await session.close();
  });
