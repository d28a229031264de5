import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, told, useLog } from '../../../../test/support/mysql-log.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';
import { isWhole } from '../../../../test/support/whole.ts';
import type { CanonicalType, Row } from '../../canonical.ts';
import { comparable } from '../../canonical.ts';
import type { MysqlConfig } from '../manifest.ts';

const WORDS = ownMysqlWords();

/** A column of this type, and values put into it by SQL. */
type TypeCase = readonly [type: string, ...values: string[]];

const OF_MARIADB: readonly TypeCase[] = [
  [
    'uuid',
    "'6F1C1D4E-0A1B-4C2D-8E3F-9A0B1C2D3E4F'",
    "'00000000-0000-0000-0000-000000000000'",
    "'018f3e2a-7b6c-7def-8123-456789abcdef'",
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    "'123e4567-e89b-12d3-a456-426614174000'",
  ],
  [
    'inet6',
    "'::ffff:192.0.2.1'",
    "'2001:db8::1'",
    "'::'",
    "'1:0:0:2::'",
    "'::1'",
    "'fe80::1:2:3:4'",
    "'::1.2.3.4'",
    "'1:2:3:4:5:6:7:8'",
    "'1:0:3:4:5:6:7:8'",
  ],
  ['inet4', "'192.0.2.1'", "'0.0.0.0'"],
  ['varchar(1000) compressed', "repeat('abc', 300)", "'x'", "''"],
  ['blob compressed', "repeat('abc', 300)", "x'00'", "''"],
  ['text character set latin1 compressed', "repeat('ü', 300)"],
];

const OF_MYSQL: readonly TypeCase[] = [
  ['varchar(20) character set gb18030', "'中文😀'"],
  // It is logged as the server keeps it, in a binary form with types of its own.
  [
    'json',
    `'{"b": 1, "a": [true, false, null, -1, 65535, 4294967296, -9223372036854775808, 18446744073709551615], "": {}}'`,
    `'[0.1, 1e300, -0.0, 12345678901234567890123456789, 1.0]'`,
    "json_object('d', cast('2024-02-29' as date), 't', cast('-12:34:56.000001' as time(6)), 's', cast('2024-02-29 01:02:03.5' as datetime(6)))",
    "json_array(cast(-123456789.123456789 as decimal(30, 9)), cast(0 as decimal(5, 2)), x'00ff', b'101', cast('a' as binary), point(1, 2))",
    "json_object('big', repeat('ö', 70000), 'many', json_array(1, 'two'))",
    String.raw`json_object(repeat('k', 300), '\"\\\n\t\b 😀/')`,
    `'"text"'`,
    'cast(cast(5.50 as decimal(4, 2)) as json)',
    "cast('null' as json)",
  ],
  ['geometry srid 4326', "st_geomfromtext('POINT(48 11)', 4326)"],
  ['geometrycollection', "st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 1 1))')"],
  ['int invisible', '5'],
  ['varchar(20) collate utf8mb4_0900_ai_ci', "'ä'"],
  ['varchar(20) collate utf8mb4_0900_bin', "'ä '"],
  ['real', '1e-10'],
];

const TYPES: readonly TypeCase[] = [
  ['tinyint', '-128', '127', '0'],
  ['tinyint unsigned', '0', '255'],
  ['smallint', '-32768', '32767'],
  ['smallint unsigned', '65535'],
  ['mediumint', '-8388608', '8388607'],
  ['mediumint unsigned', '16777215'],
  ['int', '-2147483648', '2147483647'],
  ['int unsigned', '4294967295'],
  ['int(5) zerofill', '42', '1234567'],
  ['bigint', '-9223372036854775808', '9223372036854775807', '-1', '9007199254740993', '-9007199254740993', '4294967296'],
  ['bigint unsigned', '18446744073709551615', '0', '9007199254740993', '4294967296'],
  ['tinyint(1)', '0', '1'],
  ['year', '1901', '2155', '0'],
  ['bit(1)', "b'0'", "b'1'"],
  ['bit(12)', "b'101010101010'"],
  ['bit(64)', `b'${'1'.repeat(64)}'`, "b'1'"],
  ['decimal(65,30)', '-12345678901234567890123456789012345.123456789012345678901234567891', '0', '-0.000000000000000000000000000001'],
  ['decimal(10,0)', '-1', '9999999999', '10'],
  ['decimal(5,5)', '0.00001', '-0.99999'],
  ['decimal(8,2) zerofill', '1.5'],
  ['decimal(19,9)', '-1234567890.123456789', '1000000000'],
  ['float', '0.1', '16777217', '-1.5e30', '0'],
  ['double', '0.1', '1.7976931348623157e308', '5e-324', '-0.0', '1e21', '123456789012345680'],
  ["enum('a','it''s','10','ö')", "'it''s'", "'10'", "'ö'"],
  ["set('a','b','ü')", "'a,b'", "''", "'ü,a'"],
  ['char(5)', "'ab'", "'ö €'", "''"],
  ['char(200) character set utf8mb4', "'ab'", "repeat('😀', 200)"],
  ['char(3) character set latin1', "'äö€'"],
  ['varchar(20) character set latin1', "'Müller €'", "''"],
  ['varchar(20) character set latin2', "'Łódź'"],
  ['varchar(20) character set cp1251', "'Привет'"],
  ['varchar(20) character set koi8r', "'Привет'"],
  ['varchar(20) character set cp850', "'äöü'"],
  ['varchar(20) character set greek', "'αβγ'"],
  ['varchar(20) character set hebrew', "'שלום'"],
  ['varchar(20) character set swe7', "'åäö'"],
  ['varchar(20) character set ascii', "'abc'"],
  ['varchar(20) character set sjis', "'日本ｱ\\\\a'"],
  ['varchar(20) character set cp932', "'日本①～'"],
  ['varchar(20) character set ujis', "'日本語ｱ'"],
  ['varchar(20) character set eucjpms', "'日本①'"],
  ['varchar(20) character set gbk', "'中文a'"],
  ['varchar(20) character set gb2312', "'中文'"],
  ['varchar(20) character set big5', "'中文'"],
  ['varchar(20) character set euckr', "'한국어'"],
  ['varchar(20) character set tis620', "'ไทย'"],
  ['varchar(20) character set ucs2', "'aö日'"],
  ['varchar(20) character set utf16', "'aö日😀'"],
  ['varchar(20) character set utf16le', "'aö日😀'"],
  ['varchar(20) character set utf32', "'aö日😀'"],
  ['varchar(20) character set utf8mb3', "'aö日'"],
  ['varchar(300) character set utf8mb4', "'😀 \\\\ \\t'", "repeat('x', 300)"],
  ['tinytext', "'a'"],
  ['text character set latin1', "'Grüße'", "repeat('ß', 60000)"],
  ['mediumtext', "repeat('ab', 50000)"],
  ['longtext', "'日本'"],
  ['json', `'{"a": [1, null]}'`, `'"ö"'`],
  ['binary(6)', "x'00ff00'", "x'ff0000000000'", "x'112233445566'"],
  ['varbinary(10)', "x'00ff5c0a'", "''", "x'0000'"],
  ['varbinary(300)', "x'00'"],
  ['tinyblob', "x'00'"],
  ['blob', "x'ff00'", "''"],
  ['mediumblob', "repeat(x'01', 70000)"],
  ['longblob', "x'0102'"],
  ['date', "'0001-01-01'", "'9999-12-31'", "'2024-02-29'"],
  ['time', "'12:34:56'", "'00:00:00'", "'24:00:00'"],
  ['time(3)', "'23:59:59.999'", "'00:00:00.001'"],
  ['time(6)', "'23:59:59.999999'", "'24:00:00.000000'"],
  ['datetime', "'9999-12-31 23:59:59'", "'0001-01-01 00:00:00'"],
  ['datetime(1)', "'2026-11-15 04:42:11.1'"],
  ['datetime(3)', "'2026-11-15 04:42:11.007'"],
  ['datetime(6)', "'9999-12-31 23:59:59.999999'", "'2026-11-15 00:00:00'"],
  ['timestamp null', "'2038-01-19 03:14:07'", "'1970-01-01 00:00:01'"],
  ['timestamp(2) null', "'2026-11-15 04:42:11.07'"],
  ['timestamp(6) null', "'2038-01-19 03:14:07.999999'"],
  ['point', 'point(1, 2)'],
  ['geometry', "st_geomfromtext('LINESTRING(0 0, 1 1)', 4326)"],
  ...(WORDS.isMariaDb ? OF_MARIADB : OF_MYSQL),
];

for (const metadata of WORDS.rowMetadata)
  for (const isCompressed of [false, true])
    describe(`values of the log are those of a read (binlog_row_metadata ${metadata}${isCompressed ? ', compressed' : ''})`, () => {
      const fixture = useLog([`--binlog-row-metadata=${metadata}`, ...(isCompressed ? WORDS.compressed : [])]);

      /** Makes a table with a column of each type, fills and changes it, and compares. */
      const compare = async (name: string, types: readonly TypeCase[], config: Partial<MysqlConfig> = {}): Promise<void> => {
        const { database } = fixture;
        const columns = types.map(([type], i) => `c${i} ${type}`);
        const columnNames = types.map((_, i) => `c${i}`).join(', ');
        await database.query(`create table ${name} (id int primary key, ${columns.join(', ')})`);
        const session = await fixture.open(config);
        const [stream] = await session.discover([name]);
        assert.ok(stream && session.log);
        const fields = stream.fields.map((field) => field.name);
        const request = requestOf({ stream: name, fields, key: ['id'] });
        const from = await session.log.hold(request);
        const most = Math.max(...types.map(([, ...values]) => values.length));
        await database.query(`insert into ${name} (id) values (0)`);
        for (let n = 0; n < most; n++) {
          const values = types.map(([, ...each]) => each[n] ?? 'null');
          await database.query(`insert into ${name} (id, ${columnNames}) values (${n + 1}, ${values.join(', ')})`);
        }
        await database.query(`update ${name} set id = id + 100`);
        const { changes } = await told(session.log, request, from);
        const [first, ...others] = changes;
        // What a new column of a row that is there has, discovery alone tells.
        const logged = stream.fields.map((field) => {
          const { filled: _, ...rest } = field;
          return rest;
        });
        assert.deepEqual(first, { op: 'fields', stream: 0, fields: logged, key: ['id'] });
        const rows: Row[] = [];
        for await (const batch of session.read({ stream: name, fields, key: ['id'] })) {
          assert.deepEqual(batch.rejects, []);
          rows.push(...batch.rows);
        }
        assert.equal(rows.length, most + 1);
        const compared = (row: readonly (string | null | undefined)[]): Record<string, string | null | undefined> =>
          Object.fromEntries(
            stream.fields.map((field, i) => [
              `${field.name} ${field.native}`,
              field.type === 'float64' ? comparable(field.type as CanonicalType, row[i] ?? null) : row[i],
            ]),
          );
        const updates = others.filter((change) => change.op === 'update');
        const inserts = others.filter((change) => change.op === 'insert');
        assert.deepEqual(
          updates.map(({ row }) => compared(row)),
          rows.map(compared),
        );
        assert.deepEqual(
          updates.map(({ key }) => key),
          rows.map(([id]) => [String(Number(id) - 100)]),
        );
        assert.deepEqual(
          inserts.map(({ row }) => compared(row)),
          rows.map(([id, ...values]) => compared([String(Number(id) - 100), ...values])),
        );
        await session.close();
      };

      test('of every type', () => compare('all_types', TYPES));

      test('of every type, each by itself', { skip: metadata !== 'FULL' || (isCompressed && !isWhole) }, async () => {
        for (const [i, type] of TYPES.entries()) await compare(`type_${i}`, [type]);
      });

      test('numbers instead of truth values, texts instead of times', () =>
        compare(
          'chosen',
          [
            ['tinyint(1)', '0', '1', '2', '-1'],
            ['time', "'838:59:59'", "'-838:59:59'", "'-00:00:01'"],
            ['time(4)', "'-00:00:00.0001'", "'-838:59:58.9999'", "'-00:00:01'"],
            ['time(5)', "'-01:00:00.10000'"],
          ],
          { tinyint1: 'integer', times: 'text' },
        ));
    });
