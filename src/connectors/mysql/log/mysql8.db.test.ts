// What MySQL alone has. With MariaDB it is skipped: name the folder of a mysqld in TEST_MYSQL_BIN.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, told, useLog } from '../../../../test/support/mysql-log.ts';
import { mysqlNumbers } from '../../../../test/support/mysql-numbers.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';
import type { ChangeLog, LogRequest } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';

const WORDS = ownMysqlWords();
const skip = WORDS.isMariaDb ? 'the server here is MariaDB; TEST_MYSQL_BIN names the folder of a mysqld' : false;

describe('the log of MySQL', { skip }, () => {
  const fixture = useLog(WORDS.numbered);
  const query = (sql: string): Promise<(string | null)[][]> => fixture.database.query(sql);

  const followed = async (name: string, columns: string): Promise<{ log: ChangeLog; request: LogRequest; from: string }> => {
    await query(`create table ${name} (${columns})`);
    const log = await fixture.log();
    const request = requestOf({ stream: name, fields: ['id', 'n'], key: ['id'] });
    return { log, request, from: await log.hold(request) };
  };
  const gtidOf = (position: string): string => (JSON.parse(position) as { gtid?: string }).gtid ?? '';

  test('positions tell what was committed, also by another server and in another order', async () => {
    const { log, request, from } = await followed('counted', 'id int primary key, n int');
    const other = '11111111-2222-3333-4444-555555555555';
    const connection = await fixture.database.connect();
    for (const number of [3, 1, 7]) {
      await connection.query(`set gtid_next = '${other}:${number}'`);
      await connection.query(`insert into counted values (${number}, 1)`);
      await connection.query("set gtid_next = 'AUTOMATIC'");
    }
    await query('insert into counted values (100, 1)');
    const { changes, position } = await told(log, request, from);
    assert.equal(changes.filter(({ op }) => op === 'insert').length, 4);
    const [[executed] = []] = await query('select @@global.gtid_executed');
    const [[isSame] = []] = await query(
      `select gtid_subset('${gtidOf(position)}', '${executed}') and gtid_subset('${executed}', '${gtidOf(position)}')`,
    );
    assert.equal(isSame, '1', `${gtidOf(position)} and ${executed}`);
    assert.ok(gtidOf(position).includes(`${other}:1:3:7`));
  });

  test('compressed transactions beside others, large ones too', async () => {
    const { log, request, from } = await followed('packed', 'id int primary key, n varchar(200)');
    const connection = await fixture.database.connect();
    for (const [round, isPacked] of [true, false, true].entries()) {
      await connection.query(`set session binlog_transaction_compression = ${isPacked ? 'ON' : 'OFF'}`);
      await connection.query(
        `insert into packed select n, repeat('x', 150) from (${mysqlNumbers(round * 20_000, round * 20_000 + 19_999)}) ids`,
      );
      await connection.query(`update packed set n = 'changed' where id = ${round}`);
      await connection.query(`delete from packed where id = ${round * 20_000 + 10}`);
    }
    const { changes, sets, position } = await told(log, request, from);
    const count = (op: string): number => changes.filter((change) => change.op === op).length;
    assert.deepEqual([count('insert'), count('update'), count('delete')], [60_000, 3, 3]);
    assert.ok(
      sets.every(({ bytes }) => bytes < 1.5 * 1024 * 1024),
      'a large one comes in pieces',
    );
    // From behind any whole set one goes on.
    const half = sets.find(({ position: at, changes: some }) => at !== undefined && some.length > 0);
    assert.ok(half?.position);
    const before = sets.slice(0, sets.indexOf(half) + 1).flatMap((set) => set.changes);
    const rest = await told(log, request, half.position);
    assert.equal(
      rest.changes.filter(({ op }) => op !== 'fields').length,
      changes.filter(({ op }) => op !== 'fields').length - before.filter(({ op }) => op !== 'fields').length,
    );
    assert.equal(rest.position, position);
  });

  test('JSON that is logged in part is refused in words; where a session does it, the table is told as lost', async () => {
    const { log, request, from } = await followed('parts', 'id int primary key, n json');
    await query("set global binlog_row_value_options = 'PARTIAL_JSON'");
    await assert.rejects(
      log.hold(request),
      (error) => error instanceof OutsideError && error.code === 'LOG_IMAGE' && /PARTIAL_JSON/.test(error.message),
    );
    assert.match((await log.check())[0] ?? '', /SET GLOBAL binlog_row_value_options = ''/);
    await query("set global binlog_row_value_options = ''");
    const connection = await fixture.database.connect();
    await connection.query("set session binlog_row_value_options = 'PARTIAL_JSON'");
    await connection.query(`insert into parts values (1, '{"a": "${'x'.repeat(100)}", "b": 1}')`);
    await connection.query("update parts set n = json_set(n, '$.b', 2)");
    const { changes } = await told(log, request, from);
    assert.deepEqual(
      changes.map((change) => (change.op === 'lost' ? change.error.code : change.op)),
      ['fields', 'insert', 'LOG_IMAGE'],
    );
  });

  test('columns that come and go at once (INSTANT)', async () => {
    await query("set global binlog_row_metadata = 'FULL'");
    const { log, request, from } = await followed('quick', 'id int primary key, n varchar(10)');
    await query("insert into quick values (1, 'a')");
    const first = await told(log, request, from);
    await query('alter table quick add column before_it int default 5 first, algorithm = instant');
    await query("insert into quick (id, n) values (2, 'b')");
    await query('alter table quick drop column before_it, algorithm = instant');
    await query("update quick set n = 'c'");
    const { changes } = await told(log, request, first.position);
    assert.deepEqual(
      changes.flatMap((change): unknown[] =>
        'row' in change ? [[change.op, ...change.row]] : change.op === 'lost' ? [change.error.code] : [],
      ),
      [
        ['insert', '2', 'b'],
        ['update', '1', 'c'],
        ['update', '2', 'c'],
      ],
    );
  });

  test('transactions with tags are followed, where a server has them', async (t) => {
    const [[version = ''] = []] = await query('select version()');
    const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
    if (major < 8 || (major === 8 && minor < 3)) return t.skip(`MySQL 8.3 is the first that has tags; this is ${version}`);
    const { log, request, from } = await followed('tagged', 'id int primary key, n int');
    const connection = await fixture.database.connect();
    await connection.query("set gtid_next = 'AUTOMATIC:shop'");
    await connection.query('insert into tagged values (1, 1)');
    await connection.query("set gtid_next = 'AUTOMATIC'");
    await connection.query('insert into tagged values (2, 2)');
    const { changes, position } = await told(log, request, from);
    assert.equal(changes.filter(({ op }) => op === 'insert').length, 2);
    await connection.query('insert into tagged values (3, 3)');
    const rest = await told(log, request, position);
    assert.deepEqual(
      rest.changes.flatMap((change) => (change.op === 'insert' ? [change.row[0]] : [])),
      ['3'],
    );
  });
});
