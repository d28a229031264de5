// Whatever type a column has: the log says the same of a row as a read does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type LogDatabase, logRequest, readChanges, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import type { ChangeLog, LoggedRow } from '../../changes.ts';
import type { Row } from '../../canonical.ts';

let database: LogDatabase;
let log: ChangeLog;

before(async () => {
  database = await startLogDatabase();
  log = await database.log();
});
after(() => database.close());

const TYPES: Readonly<Record<string, readonly string[]>> = {
  int2: ['-32768', '32767'],
  int4: ['-2147483648', '0'],
  int8: ['-9223372036854775808', '9223372036854775807'],
  oid: ['4294967295'],
  numeric: ['NaN', 'Infinity', '-Infinity', '0.000', '-123456789012345678901234567890.123456789012345678901234567890'],
  'numeric(12,3)': ['NaN', '-123456789.5'],
  'numeric(3,-2)': ['12300'],
  money: ['-92233720368547758.08', '92233720368547758.07', '-0.01', '0', '1234567.8'],
  'money[]': ['{1.5,-2000.25,null}'],
  float4: ['NaN', 'Infinity', '-Infinity', '-0', '1e-45', '3.4028235e38', '0.1'],
  float8: ['NaN', 'Infinity', '-Infinity', '-0', '5e-324', '1.7976931348623157e308', '0.1'],
  bool: ['t', 'f'],
  'char(5)': ['ab', ''],
  'varchar(10)': ['ab  ', ''],
  text: ['', ' ', '\\N', '\\', '\ttab\nline\r\b\f\v', 'ünï', '😀', "it's", '"q"', 'x'.repeat(100_000)],
  name: ['some name'],
  '"char"': ['x'],
  bytea: ['\\x', '\\x00ff5c', `\\x${'0a'.repeat(50_000)}`],
  date: ['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '2024-02-29'],
  time: ['00:00:00', '24:00:00', '12:34:56.123456'],
  timetz: ['12:34:56.1+05:30', '00:00:00-12'],
  timestamp: ['infinity', '-infinity', '4713-01-01 00:00:00 BC', '294276-12-31 23:59:59.999999', '2024-02-29 01:02:03.1'],
  timestamptz: ['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '2024-07-01 12:00:00.000001+02'],
  interval: ['1 year -2 mons 3 days -04:05:06.789', '0', '-178000000 years'],
  uuid: ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
  json: ['{"b": 1, "a":[1.10, null]}', '"\\u0000"', 'null'],
  jsonb: ['{"b": 1, "a":[1.10, null]}', 'null', '12345678901234567890.5'],
  jsonpath: ['$.a[*] ? (@ > 1)'],
  xml: ['<a>ü</a>'],
  inet: ['10.1.2.3/8', '::1'],
  cidr: ['10.0.0.0/8', '2001:db8::/32'],
  macaddr: ['08:00:2b:01:02:03'],
  macaddr8: ['08:00:2b:01:02:03:04:05'],
  'bit(5)': ['10101'],
  varbit: ['', '101'],
  point: ['(1.1,-2e300)'],
  line: ['{1,2,3}'],
  lseg: ['[(1,2),(3,4)]'],
  box: ['(3,4),(1,2)'],
  path: ['[(1,2),(3,4)]', '((1,2),(3,4))'],
  polygon: ['((1,2),(3,4),(5,6))'],
  circle: ['<(1,2),3>'],
  tsvector: [`'a':1A 'it''s':2`],
  tsquery: [`'a' & !'b'`],
  int4range: ['[1,5)', 'empty', '(,)'],
  numrange: ['[1.10,2.20]'],
  tstzrange: ['["2024-01-01 00:00:00+01",infinity)'],
  int4multirange: ['{[1,3),[5,8)}'],
  'int[]': ['{}', '{{1,2},{3,null}}', '[0:1]={1,2}'],
  'text[]': ['{"",null,"null","a,b","\\"\\\\"}'],
  'timestamptz[]': ['{"2024-07-01 12:00:00+02"}'],
  'float8[]': ['{0.1,NaN}'],
  'bytea[]': ['{"\\\\x00ff"}'],
  pg_lsn: ['16/B374D848'],
  pg_snapshot: ['10:20:10,14,15'],
  regclass: ['pg_class'],
  regtype: ['int4'],
  xid: ['4294967295'],
  tid: ['(1,2)'],
  int2vector: ['1 2'],
  oidvector: ['1 2'],
  'public.mood': ['very happy', 'sad'],
  'public.mood[]': ['{"very happy",sad}'],
  'public.small': ['7'],
  'public.smaller': ['3'],
  'public.price': ['-12.5'],
  'public.when_utc': ['2024-07-01 12:00:00+02'],
  'public.pair': ['(1,"a ""b""")', '(,)'],
};

test('for every type, the log and a read say the same', async () => {
  await database.run(`create type mood as enum ('sad', 'very happy'); create domain small as int check (value < 10); create domain smaller as small;
    create domain price as money; create domain when_utc as timestamptz; create type pair as (a int, b text)`);
  // Before 15 there is no scale below zero.
  const types = Object.keys(TYPES).filter((type) => database.version >= 150_000 || !type.includes(',-'));
  const tables = types.map((type, index) => ({ type, table: `v${index}` }));
  for (const { type, table } of tables) await database.run(`create table ${table} (id int primary key, v ${type})`);
  const request = logRequest('values', ...tables.map(({ table }) => ({ stream: `public.${table}` })));
  const position = await log.hold(request);
  const client = await database.client();
  let count = 0;
  for (const { type, table } of tables) {
    for (const [id, value] of [...(TYPES[type] ?? []), null].entries()) {
      const isMoney = type === 'money' || type === 'public.price';
      await client.query(`insert into ${table} values (${id}, $1::text::${isMoney ? `numeric::${type}` : type})`, [value]);
      count++;
    }
  }
  const { rows } = await readChanges(log, request, position, count);
  const session = await database.session();
  const streams = new Map((await session.discover()).map((stream) => [stream.name, stream]));
  for (const [index, { type, table }] of tables.entries()) {
    const read: Row[] = [];
    for await (const batch of session.read({ stream: `public.${table}`, fields: ['id', 'v'], key: ['id'] })) read.push(...batch.rows);
    const logged = rows.flatMap((change): LoggedRow[] => (change.op === 'insert' && change.stream === index ? [change.row] : []));
    assert.deepEqual(logged, read, type);
  }
  await log.release('values');
  // And what they are is told as a look at the tables tells it.
  const again = await log.hold(request);
  for (const { table } of tables) await database.run(`delete from ${table} where id = 0`);
  const { changes } = await readChanges(log, request, again, tables.length);
  for (const change of changes)
    if (change.op === 'fields')
      assert.deepEqual(change.fields, streams.get(`public.${tables[change.stream]?.table}`)?.fields, tables[change.stream]?.type ?? '');
  await log.release('values');
});

test('keys of every kind come as they are in a row', async () => {
  await database.run(`create table keyed (m money, t timestamptz, b bytea, c char(4), n numeric, v text, primary key (m, t, b, c, n))`);
  const key = ['n', 'm', 't', 'b', 'c'];
  const request = logRequest('keyed', { stream: 'public.keyed', fields: ['v', 'm', 't', 'b', 'c', 'n'], key });
  const position = await log.hold(request);
  await database.run(`insert into keyed values (-1234.5, '2024-07-01 12:00+02', '\\x00', 'a', 1.50, 'x')`);
  await database.run(`update keyed set n = 2.0, v = 'y'; delete from keyed`);
  const { rows } = await readChanges(log, request, position, 3);
  const before = ['1.50', '-1234.50', '2024-07-01 10:00:00+00', '\\x00', 'a   '];
  assert.deepEqual(rows, [
    { op: 'insert', stream: 0, row: ['x', '-1234.50', '2024-07-01 10:00:00+00', '\\x00', 'a   ', '1.50'] },
    { op: 'update', stream: 0, row: ['y', '-1234.50', '2024-07-01 10:00:00+00', '\\x00', 'a   ', '2.0'], key: before },
    { op: 'delete', stream: 0, key: ['2.0', ...before.slice(1)] },
  ]);
  const following = log.follow(request, position);
  await database.run(`insert into keyed values (-1, '2024-07-01 12:00+02', '\\x00', 'a', 1.50, 'there')`);
  const iterator = following[Symbol.asyncIterator]();
  await iterator.next();
  const sought = ['1.50', '-1.00', '2024-07-01 10:00:00+00', '\\x00', 'a   '];
  assert.deepEqual(await following.lookUp(0, [sought, ['9', ...sought.slice(1)], sought], request.streams[0]?.fields ?? []), [
    ['there', '-1.00', '2024-07-01 10:00:00+00', '\\x00', 'a   ', '1.50'],
  ]);
  assert.deepEqual(await following.lookUp(0, [sought], ['n', 'gone', 'v']), [['1.50', null, 'there']]);
  await iterator.return?.();
  await log.release('keyed');
});

test('large values that have not changed are absent, or taken from the row before', async () => {
  const large = "string_agg(md5(i::text), '')";
  await database.run(`create table toasted (id int primary key, v text, w int); create table toasted_full (like toasted including all); alter table toasted_full replica identity full;
    insert into toasted select 1, ${large}, 1 from generate_series(1, 1000) i; insert into toasted_full select * from toasted`);
  const [[whole] = []] = await database.rows('select v from toasted');
  const shared = { fields: ['id', 'v', 'w'] };
  const request = logRequest('toasted', { stream: 'public.toasted', ...shared }, { stream: 'public.toasted_full', ...shared });
  const position = await log.hold(request);
  await database.run(`update toasted set w = 2; update toasted_full set w = 2; update toasted set id = 3; update toasted_full set id = 3`);
  const { rows } = await readChanges(log, request, position, 4);
  assert.deepEqual(rows, [
    { op: 'update', stream: 0, row: ['1', undefined, '2'] },
    { op: 'update', stream: 1, row: ['1', whole, '2'] },
    { op: 'update', stream: 0, row: ['3', undefined, '2'], key: ['1'] },
    { op: 'update', stream: 1, row: ['3', whole, '2'], key: ['1'] },
  ]);
  await log.release('toasted');
});

test('columns that the server computes are of the very row, also where others are not wanted or absent', async () => {
  await database.run(
    `create table computed (id int primary key, a int, big text, twice int generated always as (a * 2) stored, size int generated always as (length(big) + a) stored)`,
  );
  const request = logRequest('computed', { stream: 'public.computed', fields: ['size', 'id', 'twice'] });
  const position = await log.hold(request);
  await database.run(`insert into computed values (1, 5, 'abc'), (2, null, null)`);
  await database.run(`update computed set big = (select string_agg(md5(i::text), '') from generate_series(1, 1000) i), a = 6 where id = 1`);
  await database.run(`update computed set a = 7 where id = 1`);
  const { rows, changes } = await readChanges(log, request, position, 4);
  assert.deepEqual(rows, [
    { op: 'insert', stream: 0, row: ['8', '1', '10'] },
    { op: 'insert', stream: 0, row: [null, '2', null] },
    { op: 'update', stream: 0, row: ['32006', '1', '12'] },
    { op: 'update', stream: 0, row: ['32007', '1', '14'] },
  ]);
  const [told] = changes;
  assert.ok(told?.op === 'fields');
  assert.deepEqual(
    told.fields.map(({ name, type }) => `${name} ${type}`),
    ['size int64', 'id int64', 'twice int64'],
  );
  await log.release('computed');
});
