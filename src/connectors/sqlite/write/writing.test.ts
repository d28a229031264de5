import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Batch } from '../../batch.ts';
import { CANONICAL_TYPES, type CanonicalType, type Row } from '../../canonical.ts';
import { sum } from '../../conformance/write.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import { database, folder, open } from '../../../../test/support/sqlite-files.ts';

const field = (name: string, type: CanonicalType): Field => ({ name, type, nullable: true });
const batch = (...rows: Row[]): Batch => Batch.ofRows(rows, { position: '{"p":1}' });

function writing(fields: Field[], options: Partial<WriteRequest> = {}): WriteRequest {
  return { stream: 't', fields, key: ['id'], mode: 'upsert', owner: 'me', token: 1n, create: true, ...options };
}

function query(path: string, sql: string): unknown[][] {
  const opened = new DatabaseSync(path);
  const statement = opened.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const rows = statement.all() as unknown as unknown[][];
  opened.close();
  return rows;
}

test('a missing file is made for writing only, and only when it may be', async () => {
  const path = join(folder, 'new.db');
  await assert.rejects((await open(path)).discover(), { kind: 'config', code: 'FILE_MISSING' });
  assert.equal(existsSync(path), false);
  await assert.rejects((await open(path, { create: false })).write(writing([field('id', 'int64')])), { code: 'FILE_MISSING' });
  assert.match((await (await open(path)).check()).warnings.join(), /made when something is written/);
  assert.equal(existsSync(path), false);
  const nowhere = await open(join(folder, 'no', 'folder', 'new.db'));
  await assert.rejects(nowhere.check(), { kind: 'config', code: 'FILE_MISSING' });
  await assert.rejects(nowhere.write(writing([field('id', 'int64')])), { kind: 'config', code: 'FILE_MISSING' });
  const writer = await (await open(path)).write(writing([field('id', 'int64')]));
  await writer.write(batch(['1']));
  await writer.close();
  assert.deepEqual(query(path, 'select * from t'), [[1n]]);
});

test('the columns of a new table keep every type, and SQLite can work with them', async () => {
  const path = database('');
  const fields = CANONICAL_TYPES.map((type) => field(`a_${type}`, type));
  const writer = await (await open(path)).write(writing([field('id', 'int64'), ...fields]));
  const uuid = '6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4f';
  const values = [
    'x',
    '5',
    '1.50',
    '1.5',
    't',
    '2026-11-15',
    '04:42:11',
    '2026-11-15 04:42:11',
    '2026-11-15 04:42:11.5+00',
    uuid,
    '1.0',
    '\\x00',
  ];
  assert.deepEqual((await writer.write(batch(['1', ...values]))).rejects, []);
  await writer.close();
  const kinds = query(path, `select ${fields.map(({ name }) => `typeof(${name})`).join(', ')} from t`)[0];
  assert.deepEqual(kinds, ['text', 'integer', 'text', 'real', 'integer', 'text', 'text', 'text', 'text', 'text', 'text', 'blob']);
  assert.deepEqual(query(path, `select datetime(a_timestamptz), a_json, a_decimal from t`), [['2026-11-15 04:42:11', '1.0', '1.50']]);
  assert.deepEqual(query(path, `select name from pragma_table_info('t') where pk > 0`), [['id']]);
});

test('a value that an existing column would change is a reject', async () => {
  const path = database(`create table t (id integer primary key, n numeric, i integer, f real, s string, x, st text);`);
  const fields = [
    field('id', 'int64'),
    field('n', 'decimal'),
    field('i', 'text'),
    field('f', 'int64'),
    field('s', 'text'),
    field('x', 'int64'),
    field('st', 'boolean'),
  ];
  const writer = await (await open(path)).write(writing(fields));
  const { rejects } = await writer.write(
    batch(
      ['1', '12345.67', 'words', '9007199254740991', 'abc', '9223372036854775807', 't'],
      ['2', '1234567890.1234567', null, null, null, null, null],
      ['3', null, '007', null, null, null, null],
      ['4', null, null, '9007199254740993', null, null, null],
      ['5', null, null, null, '1e3', null, null],
      ['6', '9007199254740993', '42', null, ' ', '1', 'f'],
    ),
  );
  await writer.close();
  assert.deepEqual(
    rejects.map(({ index, field: name }) => [index, name]),
    [
      [1, 'n'],
      [2, 'i'],
      [3, 'f'],
      [4, 's'],
    ],
  );
  assert.equal(rejects[2]?.reason, 'The value of "f" cannot be kept as int64 in this column: "9007199254740993".');
  assert.deepEqual(query(path, 'select * from t'), [
    [1n, 12345.67, 'words', 9007199254740991, 'abc', 9223372036854775807n, 't'],
    [6n, 9007199254740993n, 42n, null, ' ', 1n, 'f'],
  ]);
});

test('what the table itself refuses is a reject too: strict types, checks, not null, foreign keys', async () => {
  const path = database(`
    create table parent (id integer primary key); insert into parent values (1);
    create table t (id integer primary key, n integer not null, s text check (length(s) < 5), p integer references parent) strict;`);
  const fields = [field('id', 'int64'), field('n', 'text'), field('s', 'text'), field('p', 'int64')];
  for (const mode of ['upsert', 'mirror'] as const) {
    const writer = await (await open(path)).write(writing(fields, { mode, owner: mode }));
    const rows: Row[] = [
      ['1', '1', 'ok', '1'],
      ['2', 'two', 'ok', null],
      ['3', null, 'ok', null],
      ['4', '4', 'too long', null],
      ['5', '5', null, '9'],
      ['6', '6', '', null],
    ];
    const written = await writer.write(batch(...rows));
    const { rejects, ...changes } = await writer.finish();
    await writer.close();
    const refused = [...written.rejects, ...rejects].map(({ row }) => String(row['id'])).sort((a, b) => a.localeCompare(b));
    assert.deepEqual(refused, ['2', '3', '4', '5'], mode);
    for (const { reason } of [...written.rejects, ...rejects]) assert.match(reason, /refuses it/);
    if (mode === 'mirror') assert.deepEqual(changes, { inserted: 0, updated: 0, unchanged: 2, deleted: 0 });
    assert.deepEqual(query(path, 'select id from t'), [[1n], [6n]]);
  }
});

test('a key needs a unique index: it is made, or the reason is told', async () => {
  const path = database(`
    create table t (id integer, v text); insert into t values (1, 'a'), (2, 'b');
    create table doubled (id integer, v text); insert into doubled values (1, 'a'), (1, 'b');
    create table computed (id integer primary key, twice integer as (id * 2));
    create view seen as select * from t;`);
  const session = await open(path);
  const fields = [field('id', 'int64'), field('v', 'text')];
  await assert.rejects(session.write(writing(fields, { create: false })), { kind: 'config', code: 'KEY_NOT_UNIQUE' });
  await assert.rejects(session.write(writing(fields, { stream: 'doubled' })), { kind: 'config', code: 'KEY_NOT_UNIQUE' });
  await assert.rejects(session.write(writing(fields, { stream: 'seen' })), { kind: 'config', code: 'NOT_WRITABLE' });
  await assert.rejects(session.write(writing([field('id', 'int64'), field('twice', 'int64')], { stream: 'computed' })), {
    code: 'FIELD_COMPUTED',
  });
  await assert.rejects(session.write(writing([...fields, field('V', 'text')], { stream: 'new' })), { code: 'NAME_TAKEN' });
  await assert.rejects(session.write(writing(fields, { stream: 'sqlite_new' })), { kind: 'config' });
  const writer = await session.write(writing(fields));
  const { inserted, updated } = await writer.write(batch(['2', 'c'], ['3', 'd']));
  await writer.close();
  assert.deepEqual([inserted, updated], [1, 1]);
  assert.deepEqual(query(path, 'select * from t order by id'), [
    [1n, 'a'],
    [2n, 'c'],
    [3n, 'd'],
  ]);
});

test('what changes while a mirror waits for approval is shown before it is done', async () => {
  const path = database(`create table t (id integer primary key, v text); insert into t values (1, 'a'), (2, 'b');`);
  const writer = await (await open(path)).write(writing([field('id', 'int64'), field('v', 'text')], { mode: 'mirror' }));
  await writer.write(batch(['1', 'a']));
  const shown: number[] = [];
  const result = await writer.finish(({ deleted }) => {
    shown.push(deleted);
    if (shown.length === 1) database(`insert into t values (3, 'c')`, path);
    return true;
  });
  await writer.close();
  assert.deepEqual([shown, result.deleted], [[1, 2], 2]);
  assert.deepEqual(query(path, 'select * from t'), [[1n, 'a']]);
  assert.deepEqual(query(path, `select name from sqlite_schema where name like '\\_syncline\\_stage%' escape '\\'`), []);
});

test('a file that is locked is waited for, then it is a transient error', async () => {
  const path = database(`create table t (id integer primary key)`);
  const other = new DatabaseSync(path);
  other.exec('begin exclusive');
  const impatient = await open(path, { busy_timeout_ms: 0 });
  await assert.rejects(impatient.discover(), { kind: 'transient', code: 'LOCKED' });
  await assert.rejects(impatient.write(writing([field('id', 'int64')])), { kind: 'transient', code: 'LOCKED' });
  const waiting = (await open(path)).write(writing([field('id', 'int64')]));
  // Longer than SQLite itself waits, which is all that opening the file did once.
  setTimeout(() => other.exec('rollback'), 200);
  const writer = await waiting;
  assert.equal((await writer.write(batch(['1']))).inserted, 1);
  await writer.close();
  other.close();
});

test('a journal of either kind stays as the file has it, and a new file has the kinder one', async () => {
  const made = join(folder, 'made.db');
  const first = await (await open(made)).write(writing([field('id', 'int64')]));
  await first.close();
  assert.deepEqual(query(made, 'pragma journal_mode'), [['wal']]);
  for (const mode of ['delete', 'wal']) {
    const path = database(`pragma journal_mode = ${mode}; create table other (id)`);
    const writer = await (await open(path)).write(writing([field('id', 'int64')]));
    await writer.write(batch(['1']));
    await writer.close();
    assert.deepEqual(query(path, 'pragma journal_mode'), [[mode]]);
  }
});

test('rows that go by key are deleted, marked or kept, as it was asked', async () => {
  const fields = [field('id', 'int64'), field('v', 'text')];
  for (const [deletes, left, marked, count] of [
    ['delete', 1, 0, 2],
    ['mark', 3, 2, 2],
    ['keep', 3, 0, 0],
  ] as const) {
    const path = database(`create table t (id integer primary key, v text); insert into t values (1, 'a'), (2, 'b'), (3, 'c');`);
    const writer = await (await open(path)).write(writing(fields, { deletes }));
    const gone = await writer.write(Batch.ofRows([['1'], ['2'], ['2'], ['9'], [null]], { position: 'p', operation: 'delete' }));
    assert.deepEqual([gone.deleted, gone.rejects.map(({ index }) => index)], [count, [4]], deletes);
    assert.equal(query(path, 'select * from t').length, left);
    if (deletes === 'mark') {
      assert.equal(query(path, 'select * from t where _deleted_at is not null').length, marked);
      const back = await writer.write(batch(['1', 'a'], ['3', 'c']));
      assert.deepEqual([back.updated, back.unchanged], [1, 1], 'one that is back loses its mark');
      assert.deepEqual(query(path, 'select id from t where _deleted_at is not null'), [[2n]]);
    }
    await writer.close();
  }
});

test('a position of an older Syncline, without room for notes, is gone on with', async () => {
  const path = database(`
    create table t (id integer primary key); insert into t values (1);
    create table _syncline_checkpoints (owner text primary key, token integer not null, position text, stage text, updated_at text not null);
    insert into _syncline_checkpoints values ('me', 0, 'old', null, '2026-01-01');`);
  const writer = await (await open(path)).write(writing([field('id', 'int64')]));
  assert.deepEqual([writer.checkpoint, writer.note], ['old', undefined]);
  await writer.write(batch(['2']), () => 'noted');
  await writer.close();
  const next = await (await open(path)).write(writing([field('id', 'int64')], { token: 2n }));
  assert.deepEqual([next.checkpoint, next.note], ['{"p":1}', 'noted']);
  await next.close();
});

test('a position does not count for other work, nor for a table that is gone', async () => {
  const path = database('');
  const fields = [field('id', 'int64'), field('v', 'text')];
  let token = 0n;
  const begin = async (options: Partial<WriteRequest>, columns = fields) =>
    (await open(path)).write(writing(columns, { token: ++token, ...options }));
  const put = async (options: Partial<WriteRequest>, columns = fields): Promise<void> => {
    const writer = await begin(options, columns);
    await writer.write(Batch.ofRows([columns.map((_, at) => String(at))], { position: 'here' }), () => 'note');
    await writer.close();
  };
  const assertAnew = async (options: Partial<WriteRequest>, columns = fields): Promise<void> => {
    const writer = await begin(options, columns);
    assert.deepEqual([writer.checkpoint, writer.note], [undefined, undefined]);
    await writer.close();
  };
  await put({ mode: 'upsert' });
  await assertAnew({ mode: 'mirror' });
  await put({ mode: 'mirror' });
  await assertAnew({ mode: 'mirror' }, [...fields, field('more', 'text')]);
  await put({ mode: 'mirror' });
  await assertAnew({ mode: 'append' });
  assert.deepEqual(query(path, `select name from sqlite_schema where name like '\\_syncline\\_stage%' escape '\\'`), []);
  for (const mode of ['append', 'upsert', 'mirror'] as const) {
    await put({ mode });
    database('drop table t', path);
    await assertAnew({ mode });
  }
});

test('writers of one file take turns while one waits for its outcome to be kept', async () => {
  const path = database('create table t (id integer primary key); create table u (id integer primary key)');
  const session = await open(path);
  const [one, two] = await Promise.all(
    ['t', 'u'].map((stream) => session.write(writing([field('id', 'int64')], { stream, owner: stream }))),
  );
  const { promise: kept, resolve: keep } = Promise.withResolvers<void>();
  const first = one?.write(batch(['1']), () => kept.then(() => 'kept'));
  const second = two?.write(batch(['1']), () => 'second');
  setImmediate(keep);
  assert.deepEqual([(await first)?.inserted, (await second)?.inserted], [1, 1]);
  await session.close();
});

test('a session that is closed while an outcome is being kept has written nothing', async () => {
  const path = database('create table t (id integer primary key)');
  const session = await open(path);
  const writer = await session.write(writing([field('id', 'int64')]));
  const write = writer.write(batch(['1']), async () => {
    await session.close();
    return 'too late';
  });
  await assert.rejects(write, { kind: 'transient', code: 'ABORTED' });
  assert.deepEqual(query(path, 'select * from t'), []);
  assert.deepEqual(query(path, 'select position, note from _syncline_checkpoints'), [[null, null]]);
});

test('a row that would have changed another and is refused counts for nothing', async () => {
  const path = database(`create table t (id integer primary key, v text check (v <> 'bad'))`);
  for (const mode of ['mirror', 'upsert'] as const) {
    database('delete from t', path);
    const writer = await (await open(path)).write(writing([field('id', 'int64'), field('v', 'text')], { mode, owner: mode }));
    const written = await writer.write(batch(['1', 'good'], ['1', 'bad'], ['2', 'good']));
    const changes = sum([written, await writer.finish(() => true)]);
    await writer.close();
    assert.deepEqual([changes, written.rejects.length], [{ inserted: 2, updated: 0, unchanged: 0, deleted: 0 }, 1], mode);
  }
});

test('a row that a trigger leaves out is rejected, whether it is new or would change another', async () => {
  const LEFT_OUT = 'A trigger of the table left the row out.';
  const triggers = `create table seen (v text);
    create trigger no_bad before insert on t when new.v = 'bad' begin insert into seen values (new.v); select raise(ignore); end;
    create trigger no_worse before update on t when new.v = 'worse' begin select raise(ignore); end;
    create trigger stays before delete on t when old.v = 'stays' begin select raise(ignore); end;
    create trigger see after insert on t begin insert into seen values (new.v), (new.v); end`;
  const rows: Row[] = [
    ['1', 'good'],
    ['2', 'bad'],
    ['3', 'worse'],
    ['4', 'better'],
    ['5', 'same'],
  ];
  const there = `(3, 'good'), (4, 'good'), (5, 'same'), (6, 'stays'), (7, 'goes')`;
  for (const [mode, before, counts, bad, after] of [
    ['append', '', [4, 0, 0, 0], ['bad'], 'good,worse,better,same'],
    ['upsert', there, [1, 1, 1, 0], ['bad', 'worse'], 'good,good,better,same,stays,goes'],
    ['mirror', '', [4, 0, 0, 0], ['bad'], 'good,worse,better,same'],
    ['mirror', there, [1, 1, 1, 1], ['bad', 'worse'], 'good,good,better,same,stays'],
  ] as const) {
    const path = database(`create table t (id integer primary key, v text); ${before && `insert into t values ${before};`} ${triggers}`);
    const writer = await (await open(path)).write(writing([field('id', 'int64'), field('v', 'text')], { mode }));
    const results = [await writer.write(batch(...rows)), await writer.finish(() => true)];
    await writer.close();
    const { inserted, updated, unchanged, deleted } = sum(results);
    assert.deepEqual([inserted, updated, unchanged, deleted], counts, mode);
    const rejects = results.flatMap((result) => result.rejects.map(({ row, reason }) => [row['v'], reason]));
    assert.deepEqual(
      rejects,
      bad.map((v) => [v, LEFT_OUT]),
      mode,
    );
    assert.equal(query(path, 'select group_concat(v) from (select v from t order by id)')[0]?.[0], after, mode);
  }
});

test('a mirror of equal rows writes none of them again', async () => {
  const path = database('');
  const fields = [field('id', 'int64'), field('v', 'text')];
  const rows = Array.from({ length: 200 }, (_, at): Row => [String(at), `value ${at}`]);
  for (const token of [1n, 2n]) {
    const writer = await (await open(path)).write(writing(fields, { mode: 'mirror', token }));
    const written = await writer.write(batch(...rows));
    const changes = sum([written, await writer.finish(() => true)]);
    await writer.close();
    assert.deepEqual(changes, { inserted: token === 1n ? 200 : 0, updated: 0, unchanged: token === 1n ? 0 : 200, deleted: 0 });
    if (token === 1n)
      database(
        `create trigger no_update before update on t begin select raise(abort, 'touched'); end;
         create trigger no_insert before insert on t begin select raise(abort, 'touched'); end;
         create trigger no_delete before delete on t begin select raise(abort, 'touched'); end;`,
        path,
      );
  }
});

test('a mirror has a table of keys only when it could not use a row, and none at the end', async () => {
  const path = database(
    `create table t (id integer primary key, v text check (v <> 'bad')); insert into t values (1, 'a'), (2, 'a'), (3, 'a')`,
  );
  const tables = (): unknown[][] =>
    query(path, `select name from sqlite_schema where name like '\\_syncline\\_stage%' escape '\\' and type = 'table'`);
  const request = writing([field('id', 'int64'), field('v', 'text')], { mode: 'mirror' });
  const writer = await (await open(path)).write(request);
  await writer.write(batch(['1', 'b']));
  assert.equal(tables().length, 1);
  await writer.write(batch().sparing([['2'], ['much']]));
  assert.equal(tables().length, 2);
  const { rejects, ...changes } = await writer.finish();
  await writer.close();
  assert.deepEqual([changes, rejects], [{ inserted: 0, updated: 1, unchanged: 0, deleted: 1 }, []]);
  assert.deepEqual(
    [query(path, 'select * from t order by id'), tables()],
    [
      [
        [1n, 'b'],
        [2n, 'a'],
      ],
      [],
    ],
  );
});
