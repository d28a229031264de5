import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import { int, PLAIN_FIELDS, text } from '../../conformance/made-changes.ts';
import type { Writer, WriteRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { OutsideError } from '../../../outside/errors.ts';

let database: TestDatabase;
let session: Session;
let token = 0n;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

test('with a name that the server would cut is refused before anything is made', async () => {
  const long = `${'ü'.repeat(31)}xy`;
  for (const [stream, fields, name, field] of [
    [`public.${long}`, PLAIN_FIELDS, `table "${long}"`, 'stream'],
    [`${long}.t`, PLAIN_FIELDS, `schema "${long}"`, 'stream'],
    ['public.short', [...PLAIN_FIELDS, text(long)], `field "${long}"`, long],
  ] as const) {
    const error = await failureOf(open('x', { stream, fields }));
    assert.deepEqual([error.kind, error.code, error.field], ['config', 'NAME_TOO_LONG', field]);
    assert.ok(error.message.includes(name) && error.message.includes('64 bytes') && error.message.includes('at most 63'), error.message);
  }
  assert.deepEqual(await database.rows(`select relname from pg_class where relname like 'ü%' or relname = 'short'`), []);
  assert.deepEqual(await database.rows(`select nspname from pg_namespace where nspname like 'ü%'`), []);
  await (await open('x', { stream: `public.${long.slice(1)}x`, fields: [...PLAIN_FIELDS, text(long.slice(1))] })).close();
});

function open(stream: string, options: Partial<WriteRequest> = {}): Promise<Writer> {
  const request = { fields: PLAIN_FIELDS, key: ['id'], mode: 'upsert' as const, owner: `owner of ${stream}`, create: true };
  return session.write({ stream: `public.${stream}`, token: ++token, ...request, ...options });
}

test('a key that is made while others come along leaves them their names, and else has the one that the server gives', async () => {
  for (const [table, peers, key] of [
    ['guests', ['public.guests', 'public.guests_pkey'], 'guests_pkey_2'],
    ['hosts', ['hosts', 'hosts_pkey'], 'hosts_pkey_2'],
    ['rooms', ['public.rooms', 'other.rooms_pkey', 'public.rooms_pkey_2'], 'rooms_pkey'],
  ] as const) {
    const stream = `public.${table}`;
    const owner = `owner of ${table}`;
    const structured = {
      stream,
      source: table,
      owner,
      fields: null,
      connects: true,
      described: undefined,
      peers: peers.map((peer) => ({ source: peer, stream: peer, fields: null })),
    };
    const writer = await open(table, { mode: 'mirror', structured });
    await writer.write(Batch.ofRows([['1', 'one']], { position: '1' }));
    await writer.finish();
    await writer.close();
    assert.deepEqual(await database.rows(`select conname from pg_constraint where conrelid = '${stream}'::regclass and contype = 'p'`), [
      [key],
    ]);
  }
});

describe('the table', () => {
  test('is made with its schema, and gets new columns and wider types', async () => {
    const writer = await open('x', { stream: 'new "schema".t', owner: 'wide' }).catch((error: unknown) => error);
    assert.ok(writer instanceof OutsideError && writer.code === 'STREAM_MISSING', 'a name that is none');
    const made = await open('x', {
      stream: '"new "".schema".t',
      owner: 'wide',
      fields: [int('id'), { ...int('n'), native: 'int4' }, { ...text('s'), native: 'character varying(5)' }],
    });
    await made.finish();
    await made.close();
    const types = (): Promise<Row[]> =>
      database.rows(
        `select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = '"new "".schema".t'::regclass and attnum > 0 order by attnum`,
      );
    assert.deepEqual(await types(), [
      ['id', 'bigint'],
      ['n', 'integer'],
      ['s', 'character varying(5)'],
    ]);
    const wider = [
      int('id'),
      { name: 'n', type: 'decimal' as const, nullable: true },
      { ...text('s'), native: 'text' },
      { ...text('d'), native: 'date' },
    ];
    await (await open('x', { stream: '"new "".schema".t', owner: 'wide', fields: wider })).close();
    assert.deepEqual(await types(), [
      ['id', 'bigint'],
      ['n', 'numeric'],
      ['s', 'text'],
      ['d', 'text'],
    ]);
    await (
      await open('x', {
        stream: '"new "".schema".t',
        owner: 'wide',
        fields: [int('id'), int('n'), { ...text('s'), native: 'character varying(3)' }],
      })
    ).close();
    assert.deepEqual(
      (await types()).slice(1, 3),
      [
        ['n', 'numeric'],
        ['s', 'text'],
      ],
      'nothing becomes narrower',
    );
  });

  test('is not touched when it may not be, and what cannot be written is told', async () => {
    await database.run(
      `create table fixed (id bigint primary key, twice bigint generated always as (id * 2) stored); create view looking as select 1 as id`,
    );
    for (const [stream, fields, code] of [
      ['nowhere', PLAIN_FIELDS, 'STREAM_MISSING'],
      ['fixed', PLAIN_FIELDS, 'FIELD_MISSING'],
      ['fixed', [int('id'), int('twice')], 'FIELD_COMPUTED'],
      ['looking', [int('id')], 'NOT_WRITABLE'],
    ] as const)
      assert.equal((await failureOf(open(stream, { fields, create: false }))).code, code);
  });

  test('of a user who may not write, or a server for reading only', async () => {
    const role = `writer_${process.pid}`;
    await database.run(
      `create role ${role} login; create table theirs (id bigint primary key, v text); grant select on theirs to ${role}; revoke create on schema public from public`,
    );
    const poor = await database.session({ user: role });
    const request = {
      stream: 'public.theirs',
      fields: PLAIN_FIELDS,
      key: ['id'],
      mode: 'append' as const,
      owner: 'poor',
      token: ++token,
      create: true,
    };
    assert.deepEqual(
      [(await failureOf(poor.write(request))).kind, (await failureOf(poor.write(request))).code],
      ['auth', 'PERMISSION_MISSING'],
    );
    await database.run(`alter role ${role} set default_transaction_read_only = on`);
    const reader = await database.session({ user: role });
    assert.equal((await failureOf(reader.write(request))).code, 'READ_ONLY');
    await poor.close();
    await reader.close();
    await database.run(`drop owned by ${role}; drop role ${role}`);
  });
});

test('many columns of the same types come again as they were: types', async () => {
  const types = [
    'int2',
    'int4',
    'int8',
    'numeric(10,2)',
    'numeric',
    'float4',
    'float8',
    'boolean',
    'character varying(20)',
    'character(5)',
    'text',
    'date',
    'time without time zone',
    'time with time zone',
    'timestamp(3) without time zone',
    'timestamp with time zone',
    'interval',
    'uuid',
    'json',
    'jsonb',
    'bytea',
    'inet',
    'cidr',
    'macaddr',
    'money',
    'bit(3)',
    'bit varying(5)',
    'int4range',
    'integer[]',
    'text[]',
    'point',
    'tsvector',
    'oid',
    'xml',
    '"char"',
    'name',
    'public.feeling',
    'public.feeling[]',
    'public.email',
    'public."Odd type"',
  ];
  await database.run(
    `create type feeling as enum ('sad', 'ok'); create domain email as text check (value like '%@%'); create type "Odd type" as enum ('x')`,
  );
  await database.run(`create table typed (id int8 primary key, ${types.map((type, i) => `c${i} ${type}`).join(', ')})`);
  const found = (await session.discover()).find(({ name }) => name === 'public.typed');
  assert.deepEqual(
    found?.fields.slice(1).map(({ native }) => native),
    types,
  );
  const writer = await open('typed_again', { fields: found?.fields ?? [] });
  await writer.finish();
  await writer.close();
  const again = (await session.discover()).find(({ name }) => name === 'public.typed_again');
  assert.deepEqual(again?.fields, found?.fields);
  assert.deepEqual(again?.key, ['id']);
});
