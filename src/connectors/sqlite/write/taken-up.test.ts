import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Batch } from '../../batch.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import { database, open } from '../../../../test/support/sqlite-files.ts';

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];
const STAGE = '_syncline_stage_2744ccd10c7533bd736ad890';
const TABLES = `create table t (id INTEGER not null, v TEXT, primary key (id));
  create table _syncline_checkpoints (owner text primary key, token integer not null, position text, note text, state text, updated_at text not null);`;

/** What a run of an earlier version has left when it was broken off, and what becomes of it when the rest is written. */
const LEFT = [
  {
    name: 'a mirror that loads straight into a table that was empty',
    mode: 'mirror',
    made: `insert into t values (1, 'a')`,
    state: 'straight {"mirror":"t","columns":[["id","INTEGER"],["v","TEXT"]]} 1',
    rows: ['1 a', '2 b'],
  },
  {
    name: 'a mirror that collects in a stage',
    mode: 'mirror',
    made: `insert into t values (9, 'gone'), (3, 'spared'); create table ${STAGE} ("id" INTEGER, "v" TEXT, primary key ("id")); insert into ${STAGE} values (1, 'a');
      create table ${STAGE}_spared ("id" INTEGER, primary key ("id")); insert into ${STAGE}_spared values (3)`,
    state: `{"mirror":"${STAGE}","columns":[["id","INTEGER"],["v","TEXT"]]}`,
    rows: ['1 a', '2 b', '3 spared'],
  },
  { name: 'an upsert', mode: 'upsert', made: `insert into t values (1, 'a')`, state: '{"into":"t"}', rows: ['1 a', '2 b'] },
] as const satisfies readonly { name: string; mode: WriteRequest['mode']; made: string; state: string; rows: readonly string[] }[];

for (const { name, mode, made, state, rows } of LEFT)
  test(`what an earlier version has left is taken up: ${name}`, async () => {
    const path = database(`${TABLES} ${made};
      insert into _syncline_checkpoints values ('me', 1, 'here', 'noted', '${state}', '2026-01-01')`);
    const session = await open(path);
    const writer = await session.write({ stream: 't', fields: FIELDS, key: ['id'], mode, owner: 'me', token: 2n, create: true });
    assert.deepEqual([writer.checkpoint, writer.note], ['here', 'noted']);
    await writer.write(Batch.ofRows([['2', 'b']], { position: 'there' }));
    await writer.finish();
    await session.close();
    const opened = new DatabaseSync(path);
    const found = opened.prepare(`select id || ' ' || v as row from t order by id`).all();
    assert.deepEqual(
      found.map(({ row }) => row),
      rows,
    );
    assert.deepEqual(opened.prepare(`select name from sqlite_schema where name glob '_syncline_stage_*' and type = 'table'`).all(), []);
    opened.close();
  });
