import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDatabase } from '../../../../test/support/mysql-session.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field, Writer, WriteRequest } from '../../contract.ts';

const FIELDS: readonly Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];

describe('position and note', () => {
  const mysql = useDatabase();
  let token = 0n;

  const open = (options: Partial<WriteRequest> = {}): Promise<Writer> =>
    mysql.session.write({
      stream: 't',
      fields: FIELDS,
      key: ['id'],
      mode: 'upsert',
      owner: 'me',
      token: ++token,
      create: true,
      ...options,
    });
  const put = async (options: Partial<WriteRequest>): Promise<void> => {
    const writer = await open(options);
    const { fields = FIELDS } = options;
    await writer.write(Batch.ofRows([fields.map((_, at) => String(at))], { position: 'here' }), () => 'note');
    await writer.close();
  };
  const kept = async (options: Partial<WriteRequest>): Promise<(string | undefined)[]> => {
    const writer = await open(options);
    await writer.close();
    return [writer.checkpoint, writer.note];
  };

  test('those of an older Syncline, without room for notes, are gone on with', async () => {
    await mysql.database.query(
      'create table _syncline_checkpoints (owner varchar(512) not null primary key, token decimal(39,0) not null, position longtext null, ' +
        'state longtext null, writes bigint not null default 0, updated_at datetime(6) not null)',
    );
    await mysql.database.query('create table t (id bigint primary key, v longtext)');
    await mysql.database.query(`insert into _syncline_checkpoints values ('me', 0, 'old', '{"into":"t"}', 1, now(6))`);
    assert.deepEqual(await kept({}), ['old', undefined]);
    await put({});
    assert.deepEqual(await kept({}), ['here', 'note']);
    await mysql.database.query('drop table t, _syncline_checkpoints');
  });

  const stages = () =>
    mysql.database.query(
      String.raw`select table_name from information_schema.tables where table_schema = database() and table_name like '\_syncline\_stage%'`,
    );

  test('do not count for other work, nor for a table that is gone', async () => {
    const wider: readonly Field[] = [...FIELDS, { name: 'more', type: 'text', nullable: true }];
    await put({ mode: 'upsert' });
    assert.deepEqual(await kept({ mode: 'mirror' }), [undefined, undefined], 'what was written by key, for a mirror');
    await put({ mode: 'mirror' });
    assert.deepEqual(await kept({ mode: 'mirror', fields: wider }), [undefined, undefined], 'with other fields');
    await put({ mode: 'mirror' });
    assert.deepEqual(await kept({ mode: 'append' }), [undefined, undefined], 'what a mirror has collected, for others');
    assert.deepEqual(await stages(), [], 'nobody will ask for what it has collected any more');
    for (const mode of ['append', 'upsert', 'mirror'] as const) {
      await put({ mode });
      await mysql.database.query('drop table t');
      assert.deepEqual(await kept({ mode }), [undefined, undefined], `${mode} into a table that is gone`);
    }
  });

  test('a mirror goes straight into an empty table, and through a stage into another', async () => {
    const batch = Batch.ofRows(
      Array.from({ length: 100 }, (_, at): Row => [String(at), `value ${at}`]),
      { position: 'p' },
    );
    for (const key of [['id'], []]) {
      const request = { stream: `straight${key.length}`, owner: `straight${key.length}`, mode: 'mirror', key } as const;
      const first = await open(request);
      assert.equal((await first.write(batch)).inserted, 100);
      assert.deepEqual(await stages(), []);
      assert.deepEqual(await mysql.database.query(`select count(*) from ${request.stream}`), [['100']], 'there before the end');
      assert.equal((await first.finish(() => true)).inserted, 0);
      await first.close();
      const second = await open(request);
      await second.write(batch);
      assert.equal((await stages()).length, 1);
      const { rejects: _, ...changes } = await second.finish(() => true);
      await second.close();
      if (key.length > 0) assert.deepEqual(changes, { inserted: 0, updated: 0, unchanged: 100, deleted: 0 });
      assert.deepEqual(await stages(), []);
    }
  });

  test('what an earlier version has left of a mirror is taken up', async () => {
    await mysql.database.query('create table left_over (id bigint primary key, v longtext)');
    const [[id, v] = []] = await mysql.database.query(
      `select max(if(column_name = 'id', column_type, '')), max(if(column_name = 'v', column_type, '')) from information_schema.columns where table_schema = database() and table_name = 'left_over'`,
    );
    const state = `straight {"mirror":"left_over","columns":[["id","${id}"],["v","${v}"]]} 1`;
    await mysql.database.query(`insert into left_over values (1, 'a')`);
    await mysql.database.query(
      `insert into _syncline_checkpoints (owner, token, position, note, state, updated_at) values ('left', 1, 'here', 'noted', '${state}', now(6))`,
    );
    const writer = await open({ stream: 'left_over', owner: 'left', mode: 'mirror' });
    assert.deepEqual([writer.checkpoint, writer.note], ['here', 'noted']);
    await writer.write(Batch.ofRows([['2', 'b']], { position: 'there' }));
    let shown: number | undefined;
    await writer.finish(({ inserted }) => {
      shown = inserted;
      return true;
    });
    await writer.close();
    assert.equal(shown, 2);
  });

  test('rows that go by key stay where they are to be kept', async () => {
    await put({ stream: 'kept', deletes: 'keep' });
    const writer = await open({ stream: 'kept', deletes: 'keep' });
    const { deleted } = await writer.write(Batch.ofRows([['0']], { position: 'p', operation: 'delete' }));
    await writer.close();
    assert.deepEqual([deleted, await mysql.database.query('select count(*) from kept')], [0, [['1']]]);
  });
});
