import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MysqlDatabase, mysqlDatabase } from '../../../../test/support/mysql-database.ts';
import type { Row } from '../../canonical.ts';
import type { ReadRequest, Stream } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { reachOf } from '../../../outside/reach.ts';
import { rootsOf } from '../../../outside/roots.ts';
import { connector } from '../connector.ts';
import type { MysqlConfig } from '../manifest.ts';

describe('the types of the server', () => {
  let database: MysqlDatabase;
  before(async () => {
    database = await mysqlDatabase();
  });
  after(() => database.close());

  const open = (config: Partial<MysqlConfig> = {}): Promise<Session> =>
    connector.open(
      {
        host: database.host,
        port: database.port,
        user: database.user,
        password: database.password,
        database: database.name,
        tls: 'disable',
        ...config,
      },
      { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
    );
  const discover = async (name: string, config: Partial<MysqlConfig> = {}): Promise<Stream> => {
    const found = (await (await open(config)).discover([name]))[0];
    assert.ok(found);
    return found;
  };
  const read = async (name: string, config: Partial<MysqlConfig> = {}, options: Partial<ReadRequest> = {}) => {
    const stream = await discover(name, config);
    const session = await open(config);
    const rows: Row[] = [];
    const rejects = [];
    for await (const batch of session.read({
      stream: name,
      fields: stream.fields.map((field) => field.name),
      key: stream.key,
      ...options,
    })) {
      rows.push(...batch.rows);
      rejects.push(...batch.rejects);
    }
    return { stream, rows, rejects };
  };

  /** A column of this type, these values put into it by SQL, and what has to be read. */
  const table: [type: string, canonical: string, values: string[], expected: (string | null)[]][] = [
    ['bigint unsigned', 'decimal', ['0', '18446744073709551615'], ['0', '18446744073709551615']],
    ['int unsigned', 'int64', ['4294967295'], ['4294967295']],
    ['tinyint', 'int64', ['-128', '127'], ['-128', '127']],
    ['tinyint(1)', 'boolean', ['0', '1', 'null'], ['f', 't', null]],
    ['year', 'int64', ['1901', '2155'], ['1901', '2155']],
    ['bit(1)', 'boolean', ["b'0'", "b'1'"], ['f', 't']],
    ['bit(8)', 'int64', ["b'11111111'"], ['255']],
    ['bit(64)', 'decimal', [`b'${'1'.repeat(64)}'`], ['18446744073709551615']],
    [
      'decimal(65,30)',
      'decimal',
      ['-12345678901234567890123456789012345.123456789012345678901234567891'],
      ['-12345678901234567890123456789012345.123456789012345678901234567891'],
    ],
    ['float', 'float64', ['0.1', '16777217'], ['0.10000000149011612', '16777216']],
    ['double', 'float64', ['0.1', '1.7976931348623157e308', '5e-324'], ['0.1', '1.7976931348623157e308', '5e-324']],
    ["enum('a','it''s','10')", 'text', ["'it''s'", "'10'"], ["it's", '10']],
    ["set('a','b')", 'text', ["'a,b'", "''"], ['a,b', '']],
    ['varchar(20) character set latin1', 'text', ["'Müller €'"], ['Müller €']],
    ['varchar(20) character set utf8mb4', 'text', ["'😀 \\\\ \\t'"], ['😀 \\ \t']],
    ['char(5)', 'text', ["'ab'"], ['ab']],
    ['json', 'json', [`'{"a": [1, null]}'`], ['{"a": [1, null]}']],
    ['varbinary(10)', 'binary', ["x'00ff5c0a'", "''"], ['\\x00ff5c0a', '\\x']],
    ['date', 'date', ["'0001-01-01'", "'9999-12-31'"], ['0001-01-01', '9999-12-31']],
    ['time(3)', 'time', ["'23:59:59.999'"], ['23:59:59.999']],
    ['datetime(6)', 'timestamp', ["'9999-12-31 23:59:59.999999'"], ['9999-12-31 23:59:59.999999']],
    ['timestamp(6) null', 'timestamptz', ["'2038-01-19 03:14:07.999999'"], ['2038-01-19 03:14:07.999999+00']],
    ['point', 'binary', ['point(1, 2)'], ['\\x0101000000000000000000f03f0000000000000040']],
  ];
  const mariadbOnly: typeof table = [
    ['uuid', 'uuid', ["'6F1C1D4E-0A1B-4C2D-8E3F-9A0B1C2D3E4F'"], ['6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4f']],
    ['inet6', 'text', ["'::ffff:192.0.2.1'"], ['::ffff:192.0.2.1']],
  ];
  test('each is read as its canonical type, with all digits', async () => {
    const isMariaDb = /mariadb/i.test((await database.query('select version()'))[0]?.[0] ?? '');
    for (const [at, [type, canonical, values, expected]] of [...table, ...(isMariaDb ? mariadbOnly : [])].entries()) {
      const name = `type_${at}`;
      await database.query(`create table ${name} (id int primary key, value ${type})`);
      for (const [id, value] of values.entries()) await database.query(`insert into ${name} values (${id}, ${value})`);
      const { stream, rows, rejects } = await read(name);
      assert.equal(stream.fields[1]?.type, canonical, type);
      assert.deepEqual(rejects, [], type);
      assert.deepEqual(
        rows.map((row) => row[1]),
        expected,
        type,
      );
    }
  });
  test('a decimal tells its precision, an unsigned bigint too', async () => {
    await database.query('create table digits (id bigint unsigned primary key, amount decimal(12,2))');
    const { fields } = await discover('digits');
    assert.deepEqual(
      fields.map(({ precision, scale }) => [precision, scale]),
      [
        [20, 0],
        [12, 2],
      ],
    );
  });
  test('zero dates become null, or reject the row', async () => {
    await database.query("set sql_mode = ''");
    await database.query('create table zeros (id int primary key, d date, t datetime(6), s timestamp null)');
    await database.query(
      "insert into zeros values (1, '0000-00-00', '0000-00-00', '0000-00-00'), (2, '2026-00-10', '2026-11-15', '2026-11-15'), (3, '2026-11-15', '2026-11-15', null)",
    );
    const asNull = await read('zeros');
    assert.deepEqual(asNull.rows, [
      ['1', null, null, null],
      ['2', null, '2026-11-15 00:00:00.000000', '2026-11-15 00:00:00+00'],
      ['3', '2026-11-15', '2026-11-15 00:00:00.000000', null],
    ]);
    const strict = await read('zeros', { zero_dates: 'reject' });
    assert.deepEqual(
      strict.rows.map((row) => row[0]),
      ['3'],
    );
    assert.deepEqual(
      strict.rejects.map(({ row, field }) => [row['id'], row['d'], field]),
      [
        ['1', '0000-00-00', 's'],
        ['2', '2026-00-10', 'd'],
      ],
    );
    assert.match(strict.rejects[0]?.reason ?? '', /zero_dates/);
  });
  test('a tinyint(1) with another number than 0 and 1 is rejected, or all are numbers', async () => {
    await database.query('create table flags (id int primary key, flag tinyint(1))');
    await database.query('insert into flags values (1, 1), (2, 2), (3, 0), (4, -1)');
    const flags = await read('flags');
    assert.deepEqual(flags.rows, [
      ['1', 't'],
      ['3', 'f'],
    ]);
    assert.deepEqual(
      flags.rejects.map(({ field, row }) => [field, row['flag']]),
      [
        ['flag', '2'],
        ['flag', '-1'],
      ],
    );
    assert.match(flags.rejects[0]?.reason ?? '', /tinyint1/);
    const numbers = await read('flags', { tinyint1: 'integer' });
    assert.equal(numbers.stream.fields[1]?.type, 'int64');
    assert.deepEqual(
      numbers.rows.map((row) => row[1]),
      ['1', '2', '0', '-1'],
    );
  });
  test('times beyond a day are rejected, or all are texts', async () => {
    await database.query('create table times (id int primary key, t time)');
    await database.query("insert into times values (1, '838:59:59'), (2, '-00:00:01'), (3, '12:00:00'), (4, '24:00:00')");
    const times = await read('times');
    assert.deepEqual(times.rows, [
      ['3', '12:00:00'],
      ['4', '24:00:00'],
    ]);
    assert.deepEqual(
      times.rejects.map(({ row }) => row['t']),
      ['838:59:59', '-00:00:01'],
    );
    const texts = await read('times', { times: 'text' });
    assert.deepEqual(
      texts.rows.map((row) => row[1]),
      ['838:59:59', '-00:00:01', '12:00:00', '24:00:00'],
    );
  });
  test('views are streams, and what keeps itself up to date is the first cursor', async () => {
    await database.query(
      'create table cursors (id int auto_increment primary key, made datetime, changed timestamp(6) default current_timestamp(6) on update current_timestamp(6), note text)',
    );
    await database.query('insert into cursors (note) values (1), (2)');
    await database.query('create view some_view as select id, note from cursors where id > 1');
    const stream = await discover('cursors');
    assert.deepEqual([stream.key, stream.cursors, stream.kind], [['id'], ['changed', 'id', 'made'], 'table']);
    const view = await read('some_view');
    assert.deepEqual([view.stream.kind, view.stream.writable, view.stream.key], ['view', false, []]);
    assert.deepEqual(view.rows, [['2', '2']]);
  });
  test('keys of any type are read page by page, in the order of their collation', async () => {
    const keys: [type: string, values: string[]][] = [
      ['varchar(20) character set utf8mb4 collate utf8mb4_general_ci', ["'b'", "'A'", "'ö'", "''", "'Z'", "'é'"]],
      ['varchar(20) character set latin1', ["'ß'", "'Zoe'", "'ähre'", "'€'"]],
      ["enum('z','a','m')", ["'z'", "'a'", "'m'"]],
      ['varbinary(4)', ["x'00'", "x'ff'", "x'0001'", "''"]],
      ['float', ['0.1', '-0.1', '16777216', '1e10']],
      ['double', ['0.1', '0.30000000000000004', '1e-300']],
      ['decimal(30,10)', ['1.1', '-99999999999999999999', '0.0000000001']],
      ['datetime(6)', ["'2026-11-15 04:42:11.000001'", "'2026-11-15 04:42:11.000002'", "'0001-01-01'"]],
      ['time(6)', ["'-10:00:00'", "'100:00:00'", "'00:00:00.000001'"]],
      ['bigint unsigned', ['18446744073709551615', '0', '9223372036854775808']],
      ['bit(8)', ["b'1'", "b'10000000'", "b'0'"]],
    ];
    for (const [at, [type, values]] of keys.entries()) {
      const name = `key_${at}`;
      await database.query(`create table ${name} (k ${type} not null, n int not null, filler char(200) default 'x', primary key (k, n))`);
      for (const value of values) await database.query(`insert into ${name} (k, n) values (${value}, 1), (${value}, 2)`);
      // A page for each row would be too many statements: a small batch makes many positions, and each is taken up again.
      const stream = await discover(name, { times: 'text' });
      const session = await open({ times: 'text' });
      const request = { stream: name, fields: stream.fields.map((field) => field.name), key: ['k', 'n'], batchBytes: 1 };
      const batches = [];
      for await (const batch of session.read(request)) batches.push(batch);
      assert.equal(batches.flatMap((batch) => batch.rows).length, values.length * 2, type);
      for (const [i, { position }] of batches.entries()) {
        const rest = [];
        for await (const batch of session.read({ ...request, after: position })) rest.push(...batch.rows);
        assert.deepEqual(
          rest,
          batches.slice(i + 1).flatMap((batch) => batch.rows),
          `${type}, behind batch ${i}`,
        );
      }
    }
  });
  test('a table that is altered while it is read is told, not misread', async () => {
    await database.query('create table altered (id int primary key, n int)');
    await database.query(`insert into altered values ${Array.from({ length: 2000 }, (_, n) => `(${n}, ${n})`).join(', ')}`);
    const session = await open();
    const reading = async (): Promise<void> => {
      let isAltered = false;
      for await (const batch of session.read({ stream: 'altered', fields: ['id', 'n'], key: ['id'], batchBytes: 100 })) {
        if (batch.count > 0 && !isAltered) {
          isAltered = true;
          await database.query('alter table altered modify n varchar(20)');
          await database.query("update altered set n = 'a\\tb' where id > 600");
        }
      }
    };
    await assert.rejects(
      reading,
      (error) => error instanceof OutsideError && error.kind === 'transient' && error.code === 'SCHEMA_CHANGED',
    );
  });

  test('a view whose owner is gone is told as that, not as a wrong password', async () => {
    await database.query('create table owned (id int primary key)');
    await database.query("create definer = 'nobody'@'nowhere' view orphan as select id from owned");
    await assert.rejects(
      read('orphan'),
      (error) => error instanceof OutsideError && error.code === 'VIEW_BROKEN' && error.field === undefined,
    );
  });
});
