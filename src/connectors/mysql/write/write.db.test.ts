import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDatabase } from '../../../../test/support/mysql-session.ts';
import { Batch } from '../../batch.ts';
import type { CanonicalType, Row } from '../../canonical.ts';
import { sum } from '../../conformance/write.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';

const field = (name: string, type: CanonicalType, rest: Partial<Field> = {}): Field => ({ name, type, nullable: name !== 'id', ...rest });
const ID = field('id', 'int64');

describe('writing', () => {
  const mysql = useDatabase();
  let token = 0n;

  const write = async (
    request: Partial<WriteRequest> & Pick<WriteRequest, 'stream' | 'fields'>,
    rows: readonly Row[],
    operation: 'write' | 'delete' = 'write',
  ) => {
    const writer = await mysql.session.write({
      key: ['id'],
      mode: 'upsert',
      owner: request.stream,
      token: ++token,
      create: true,
      ...request,
    });
    try {
      const result = await writer.write(Batch.ofRows(rows, { position: '{"p":1}', operation }));
      const end = await writer.finish();
      return { ...sum([result, end]), rejects: [...result.rejects, ...end.rejects] };
    } finally {
      await writer.close();
    }
  };
  const contents = (stream: string) => mysql.database.query(`select * from \`${stream}\` order by 1`);
  const typeOf = async (stream: string, column: string): Promise<string> =>
    (
      await mysql.database.query(
        'select column_type from information_schema.columns where table_schema = database() and table_name = ? and column_name = ?',
        [stream, column],
      )
    )[0]?.[0] ?? '';

  test('tables are made with types that hold every value', async () => {
    const fields = [
      field('id', 'text'),
      field('amount', 'decimal', { precision: 12, scale: 2 }),
      field('any_number', 'decimal'),
      field('at', 'timestamptz'),
      field('short', 'text', { native: 'varchar(20)' }),
      field('big', 'decimal', { native: 'bigint(20) unsigned', precision: 20, scale: 0 }),
      field('other_text', 'text', { native: 'text' }),
      field('foreign', 'timestamp', { native: 'timestamp' }),
    ];
    await write({ stream: 'made', fields }, []);
    const types = await Promise.all(fields.map(({ name }) => typeOf('made', name)));
    // MySQL no more tells how wide a number is shown.
    assert.deepEqual(
      types.map((type) => type?.replace('bigint(20)', 'bigint')),
      ['varchar(768)', 'decimal(12,2)', 'decimal(65,30)', 'datetime(6)', 'varchar(20)', 'bigint unsigned', 'longtext', 'datetime(6)'],
    );
    const [stream] = await mysql.session.discover(['made']);
    assert.deepEqual(
      stream?.fields.map(({ type }) => type),
      fields.map(({ type }) => type),
      'and come back as the types they were',
    );
    assert.deepEqual(stream?.key, ['id']);
  });
  test('keys that differ in capitals, accents or a space at the end stay apart', async () => {
    const rows = ['a', 'A', 'ä', 'a ', 'a\0', ''].map((id) => [id]);
    const { inserted, rejects } = await write({ stream: 'exact', fields: [field('id', 'text')] }, rows);
    assert.deepEqual([inserted, rejects], [6, []]);
    assert.equal((await contents('exact')).length, 6);
  });
  test('a table of the user is written by its own rules: charset, enum, bit, its collation', async () => {
    await mysql.database.query(
      "create table theirs (id varchar(10) character set latin1 primary key, e enum('x','1a') , b bit(1), n bit(8), j json, t timestamp(6) null, g point)",
    );
    const fields = [
      field('id', 'text'),
      field('e', 'text'),
      field('b', 'boolean'),
      field('n', 'int64'),
      field('j', 'json'),
      field('t', 'timestamptz'),
      field('g', 'binary'),
    ];
    const point = '\\x0101000000000000000000f03f0000000000000040';
    const { inserted, rejects } = await write({ stream: 'theirs', fields }, [
      ['Ö', 'x', 't', '200', '{"a":1}', '2026-11-15 04:42:11.5+00', point],
      ['2', '1', null, null, null, null, null],
      ['3', 'y', null, null, null, null, null],
      ['😀', null, null, null, null, null, null],
      ['5', '1a', 'f', '256', null, null, null],
      ['6', null, null, null, '{a', null, null],
      ['7', null, null, null, null, '1969-01-01 00:00:00+00', null],
      ['8', null, 'f', '0', null, null, null],
    ]);
    assert.equal(inserted, 2);
    assert.deepEqual(
      rejects.map(({ index }) => index),
      [1, 2, 3, 4, 5, 6],
      'a number is no place in an enum, and nothing becomes a question mark',
    );
    const [first] = await mysql.database.query("select id, e, b + 0, n + 0, j, t, st_astext(g) from theirs where id = 'Ö'");
    // MySQL writes JSON in a way of its own.
    assert.deepEqual(first?.with(4, (first[4] ?? '').replaceAll(' ', '')), [
      'Ö',
      'x',
      '1',
      '200',
      '{"a":1}',
      '2026-11-15 04:42:11.500000',
      'POINT(1 2)',
    ]);
  });
  test('nothing is cut off or rounded in silence', async () => {
    await mysql.database.query(
      'create table narrow (id int primary key, name varchar(5), amount decimal(5,2), at datetime, n tinyint unsigned)',
    );
    const fields = [ID, field('name', 'text'), field('amount', 'decimal'), field('at', 'timestamp'), field('n', 'int64')];
    const good = ['1', 'abcde', '123.45', '2026-11-15 04:42:11', '255'];
    const bad: Row[] = [
      ['2', 'abcdef', null, null, null],
      ['3', 'abcde ', null, null, null],
      ['4', null, '1.005', null, null],
      ['5', null, '1000', null, null],
      ['6', null, 'NaN', null, null],
      ['7', null, null, 'infinity', null],
      ['8', null, null, null, '256'],
      ['9', null, null, null, '-1'],
    ];
    for (const mode of ['append', 'upsert', 'mirror'] as const) {
      await mysql.database.query('delete from narrow');
      const { inserted, rejects } = await write({ stream: 'narrow', fields, mode, owner: mode }, [good, ...bad]);
      assert.equal(inserted, 1, mode);
      assert.deepEqual(
        rejects.map(({ index, field: name }) => [index, name]),
        [
          [1, 'name'],
          [2, 'name'],
          [3, 'amount'],
          [4, 'amount'],
          [5, 'amount'],
          [6, 'at'],
          [7, 'n'],
          [8, 'n'],
        ],
        mode,
      );
      for (const { reason, field: name = '', row } of rejects)
        assert.ok(reason.startsWith(`Field "${name}" = ${JSON.stringify(row[name])}: the value `), reason);
      assert.deepEqual(await contents('narrow'), [good], mode);
    }
  });
  test('bad rows, keys that are there twice and rows that are there already, all in one batch', async () => {
    const fields = [ID, field('name', 'text'), field('at', 'date')];
    for (const mode of ['upsert', 'mirror'] as const) {
      const stream = `mixture_${mode}`;
      await write({ stream, fields }, [
        ['1', 'old', null],
        ['2', 'same', null],
      ]);
      const { inserted, updated, unchanged, rejects } = await write({ stream, fields, mode, owner: 'second' }, [
        ['1', 'first', null],
        ['2', 'same', null],
        ['3', 'bad', 'infinity'],
        [null, 'no key', null],
        ['1', 'last', '2026-11-15'],
        ['4', 'new', null],
        ['none', 'bad key', null],
        ['4', 'newer', null],
      ]);
      assert.deepEqual([inserted, updated, unchanged], [1, 1, 1], mode);
      assert.deepEqual(rejects.map(({ index, field: name }) => `${index} ${name}`).sort(), ['2 at', '3 id', '6 id'], mode);
      assert.deepEqual(
        await contents(stream),
        [
          ['1', 'last', '2026-11-15'],
          ['2', 'same', null],
          ['4', 'newer', null],
        ],
        mode,
      );
    }
  });
  test('another unique index refuses a row; it never updates the wrong one', async () => {
    await mysql.database.query('create table accounts (id int primary key, email varchar(50) unique)');
    await mysql.database.query("insert into accounts values (1, 'a@x'), (2, 'b@x'), (9, 'c@x')");
    const fields = [ID, field('email', 'text')];
    const { inserted, updated, rejects } = await write({ stream: 'accounts', fields }, [
      ['3', 'c@x'],
      ['4', 'd@x'],
      ['2', 'c@x'],
      ['1', 'e@x'],
    ]);
    assert.deepEqual([inserted, updated], [1, 1]);
    assert.deepEqual(
      rejects.map(({ index }) => index),
      [0, 2],
    );
    assert.deepEqual(await contents('accounts'), [
      ['1', 'e@x'],
      ['2', 'b@x'],
      ['4', 'd@x'],
      ['9', 'c@x'],
    ]);
    const mirrored = await write({ stream: 'accounts', fields, mode: 'mirror', owner: 'm' }, [
      ['1', 'e@x'],
      ['4', 'd@x'],
      ['5', 'd@x'],
      ['6', 'f@x'],
    ]);
    assert.deepEqual(
      [mirrored.inserted, mirrored.deleted, mirrored.unchanged, mirrored.rejects.map(({ row }) => row['id'])],
      [1, 2, 2, ['5']],
    );
    assert.deepEqual(await contents('accounts'), [
      ['1', 'e@x'],
      ['4', 'd@x'],
      ['6', 'f@x'],
    ]);
  });
  test('a mirror keeps the old row of one that was refused', async () => {
    await mysql.database.query('create table kept (id int primary key, name varchar(3))');
    await mysql.database.query("insert into kept values (1, 'a'), (2, 'b'), (3, 'c')");
    const { rejects, deleted, updated } = await write({ stream: 'kept', fields: [ID, field('name', 'text')], mode: 'mirror' }, [
      ['1', 'x'],
      ['2', 'too long'],
    ]);
    assert.deepEqual([rejects.length, deleted, updated], [1, 1, 1]);
    assert.deepEqual(await contents('kept'), [
      ['1', 'x'],
      ['2', 'b'],
    ]);
  });
  test("a mirror finds what it leaves alone by keys of the table's own kinds", async () => {
    await mysql.database.query(`create table own_keys (flags bit(8), kind enum('1', 'b'), name varchar(5) collate utf8mb4_general_ci, v int,
      primary key (flags, kind, name))`);
    await mysql.database.query(`insert into own_keys values (5, '1', 'a', 1), (5, 'b', 'a', 2), (53, '1', 'a', 3)`);
    const fields = [field('flags', 'int64'), field('kind', 'text'), field('name', 'text'), field('v', 'int64')];
    const key = ['flags', 'kind', 'name'];
    const writer = await mysql.session.write({
      stream: 'own_keys',
      fields,
      key,
      mode: 'mirror',
      owner: 'own',
      token: ++token,
      create: false,
    });
    const odd = [
      ['5', '2', 'a'],
      ['5', '1', 'too long'],
      ['999', '1', 'a'],
    ];
    await writer.write(Batch.ofRows([['5', 'b', 'a', '2']], { position: '{"p":1}' }).sparing([...odd, ['5', '1', 'A']]));
    const { rejects: _, ...changes } = await writer.finish();
    await writer.close();
    assert.deepEqual(changes, { inserted: 0, updated: 0, unchanged: 1, deleted: 1 });
    assert.deepEqual(await mysql.database.query('select v from own_keys order by v'), [['1'], ['2']]);
  });

  test('an automatic id of zero stays zero, and columns that are not ours keep their defaults', async () => {
    await mysql.database.query("create table autos (id int auto_increment primary key, name varchar(9), made varchar(9) default 'by us')");
    await write({ stream: 'autos', fields: [ID, field('name', 'text')] }, [
      ['0', 'zero'],
      ['7', 'seven'],
    ]);
    assert.deepEqual(await contents('autos'), [
      ['0', 'zero', 'by us'],
      ['7', 'seven', 'by us'],
    ]);
  });
  test('a table without a unique index gets one, or is refused', async () => {
    await mysql.database.query('create table loose (id int not null, name varchar(9))');
    await mysql.database.query('create table doubled (id int not null)');
    await mysql.database.query('insert into doubled values (1), (1)');
    const fields = [ID, field('name', 'text')];
    const isKeyError = (error: unknown): boolean =>
      error instanceof OutsideError && error.code === 'KEY_NOT_UNIQUE' && /add unique index/.test(error.hint ?? '');
    await assert.rejects(write({ stream: 'loose', fields, create: false }, []), isKeyError);
    await assert.rejects(write({ stream: 'doubled', fields: [ID] }, []), isKeyError);
    const { inserted } = await write({ stream: 'loose', fields }, [
      ['1', 'a'],
      ['1', 'b'],
    ]);
    assert.equal(inserted, 1);
  });
  test('names that the server cannot have are told', async () => {
    for (const name of ['😀', 'x'.repeat(65), 'space at the end '])
      await assert.rejects(
        write({ stream: name, fields: [ID] }, []),
        (error) => error instanceof OutsideError && error.code === 'NAME_REFUSED' && error.kind === 'config',
        name,
      );
  });
  test('without LOAD DATA LOCAL everything is written just the same', async () => {
    const fields = [ID, field('text', 'text'), field('bytes', 'binary'), field('flag', 'boolean'), field('at', 'timestamptz')];
    const rows: Row[] = [
      ['1', `it's \\ "\t\n\r\v\f\b\0 😀`, '\\x00ff27', 't', '2026-11-15 04:42:11.123456+00'],
      ['2', '', '\\x', 'f', null],
      ['3', null, null, null, '9999-12-31 23:59:59+00'],
    ];
    const bad: Row = ['4', null, null, null, 'infinity'];
    const writer = await mysql.session.write({
      stream: 'slow',
      fields,
      key: ['id'],
      mode: 'upsert',
      owner: 'slow',
      token: ++token,
      create: true,
    });
    // Switched off while a writer is at work, which is the harder case.
    await mysql.database.query('set global local_infile = 0');
    try {
      const first = await writer.write(Batch.ofRows([...rows, bad], { position: '1' }));
      assert.deepEqual([first.inserted, first.rejects.map(({ index }) => index)], [3, [3]]);
      const again = await write({ stream: 'slow', fields, owner: 'other' }, [...rows, bad]);
      assert.deepEqual([again.unchanged, again.rejects.length], [3, 1]);
    } finally {
      await mysql.database.query('set global local_infile = 1');
      await writer.close();
    }
    const found: Row[] = [];
    for await (const batch of mysql.session.read({ stream: 'slow', fields: fields.map(({ name }) => name), key: ['id'] }))
      found.push(...batch.rows);
    assert.deepEqual(
      found,
      rows.map((row) =>
        row.with(
          4,
          row[4]?.replace(/(\d)\+00$/, (_, digit: string) => (row[4]?.includes('.') ? `${digit}+00` : `${digit}.000000+00`)) ?? null,
        ),
      ),
    );
  });
  test('escapes that only PostgreSQL writes arrive as what they mean', async () => {
    const writer = await mysql.session.write({
      stream: 'copied',
      fields: [ID, field('text', 'text')],
      key: ['id'],
      mode: 'append',
      owner: 'copied',
      token: ++token,
      create: true,
    });
    await writer.write(Batch.ofLines(Buffer.from('1\ta\\bb\\fc\\vd\\\\v\\\\f\n2\t\\N\n'), { position: '1' }));
    await writer.close();
    assert.deepEqual(await contents('copied'), [
      ['1', 'a\bb\fc\vd\\v\\f'],
      ['2', null],
    ]);
  });
  test('rows that are removed by key can be marked instead, and come back', async () => {
    const fields = [ID, field('name', 'text')];
    await write({ stream: 'marked', fields, deletes: 'mark' }, [
      ['1', 'a'],
      ['2', 'b'],
    ]);
    const { deleted } = await write({ stream: 'marked', fields, deletes: 'mark' }, [['1'], ['9']], 'delete');
    assert.equal(deleted, 1);
    const marked = () => mysql.database.query('select id from marked where _deleted_at is not null');
    assert.deepEqual(await marked(), [['1']]);
    const { updated, unchanged } = await write({ stream: 'marked', fields, deletes: 'mark' }, [
      ['1', 'a'],
      ['2', 'b'],
    ]);
    assert.deepEqual([updated, unchanged, await marked()], [1, 1, []]);
  });
});
