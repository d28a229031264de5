// Differences of one byte, of every type, at the first and the last rows, between real systems: all are found, and none is invented.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, type EngineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { isWhole } from '../../../test/support/whole.ts';
import type { StreamDefinition } from '../definition.ts';
import type { End, StreamProof } from '../run.ts';

const ROWS = 3_000;
/** What systems sort otherwise: case, accents, signs. The number tells them apart whatever a collation thinks of the letters. */
const KEY = `(array['a','B','_','é','Z','-','ß','c'])[1 + n % 8] || lpad(n::text, 5, '0')`;
/** Each with what its value is, and the smallest change of it. */
const COLUMNS: Readonly<Record<string, readonly [type: string, value: string, change: string]>> = {
  a_text: ['text', `'Row ' || n || ' ü'`, `a_text || ' '`],
  a_case: ['text', `'Row ' || n`, 'case when a_case = upper(a_case) then initcap(a_case) else upper(a_case) end'],
  an_empty: ['text', `case when n % 2 = 0 then 'x' || n end`, `case when an_empty is null then '' end`],
  an_int: ['bigint', '9007199254740993 + n', 'an_int + 1'],
  a_decimal: ['numeric(20,4)', 'n + 0.5', 'a_decimal + 0.0001'],
  a_double: ['double precision', 'n / 7.0', 'a_double * (1 + 2.3e-16)'],
  a_flag: ['boolean', 'n % 3 = 0', 'not a_flag'],
  a_date: ['date', `date '2026-01-01' + n`, 'a_date + 1'],
  a_time: ['timestamp(6)', `timestamp '2026-01-01 00:00:00.5' + n * interval '1 s'`, `a_time + interval '1 microsecond'`],
  a_zoned: ['timestamptz(6)', `timestamptz '2026-01-01 00:00:00.25+00' + n * interval '1 s'`, `a_zoned + interval '1 microsecond'`],
  a_json: [
    'jsonb',
    `jsonb_build_object('a', n, 'b', array[1, 2])`,
    `jsonb_set(a_json::jsonb, '{b}', case when a_json::jsonb -> 'b' = '[2, 1]' then '[1, 2]' else '[2, 1]' end::jsonb)`,
  ],
  a_binary: ['bytea', `decode(md5(n::text), 'hex')`, 'set_byte(a_binary, 15, 255 - get_byte(a_binary, 15))'],
};
const NAMES = Object.keys(COLUMNS);

let [first, second]: TestDatabase[] = [];
let mysql: MysqlDatabase;
const folder = mkdtempSync(join(tmpdir(), 'syncline-pairs-'));
mkdirSync(join(folder, 'out'));

before(async () => {
  [first, second] = await Promise.all([newDatabase(), newDatabase()]);
  mysql = await mysqlDatabase();
  const columns = Object.entries(COLUMNS);
  await first?.run(`create table t (id varchar(40) primary key, n int, ${columns.map(([name, [type]]) => `${name} ${type}`).join(', ')});
    insert into t select ${KEY}, n, ${columns.map(([, [, value]]) => value).join(', ')} from generate_series(1, ${ROWS}) n`);
});
after(async () => {
  await Promise.all([first?.close(), second?.close(), mysql?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const postgres = (database: TestDatabase | undefined): End => ({ id: 'p', name: 'p', type: 'postgres', config: database?.config });
const ENDS: Readonly<Record<string, () => End>> = {
  postgres: () => postgres(second),
  mysql: () => {
    const { host, port, user, password, name: database } = mysql;
    return { id: 'm', name: 'm', type: 'mysql', config: { host, port, user, password, database } };
  },
  sqlite: () => ({ id: 's', name: 's', type: 'sqlite', config: { path: join(folder, 't.db') } }),
  csv: () => ({ id: 'f', name: 'f', type: 'files', config: { path: `${folder}/out/`, format: 'csv' } }),
};

function sync(source: End, target: End, stream: StreamDefinition): EngineRuns {
  return engineRuns({ definition: definitionOf([stream]), ends: { source, target }, folder });
}

async function proofOf(runs: EngineRuns): Promise<StreamProof> {
  const { status, first: report } = await runs.run({ mode: 'verify' });
  assert.equal(status, 'succeeded', JSON.stringify(report));
  return report.proof ?? assert.fail('nothing was compared');
}

/** JSON that comes from elsewhere is text in PostgreSQL. */
function changeOf(name: string, table: string): string {
  const change = COLUMNS[name]?.[2] ?? '';
  return name === 'a_json' ? `(${change})::${table === 't' ? 'jsonb' : 'json'}` : change;
}

/** Changes one column in each of some rows, at both ends of the table, and finds just that. */
async function finds(runs: EngineRuns, database: TestDatabase | undefined, table: string): Promise<void> {
  const loaded = await runs.run();
  assert.equal(loaded.status, 'succeeded', JSON.stringify(loaded.first));
  const equal = await proofOf(runs);
  assert.deepEqual([equal.result, equal.rows, equal.samples], ['equal', ROWS, []]);
  const places = NAMES.flatMap((name, at) => [
    [name, 1 + 2 * at],
    [name, ROWS - 1 - 2 * at],
  ]);
  for (const half of [places.slice(0, NAMES.length), places.slice(NAMES.length)]) {
    for (const [name, n] of half) await database?.run(`update ${table} set ${name} = ${changeOf(name as string, table)} where n = ${n}`);
    const found = await proofOf(runs);
    assert.deepEqual(
      [found.missing, found.extra, found.different],
      [0, 0, half.length],
      JSON.stringify(found.samples.map(({ fields }) => fields)),
    );
    const fields = found.samples.map(({ fields: names }) => names.join());
    assert.deepEqual(new Set(fields), new Set(half.map(([name]) => name)));
    const repaired = await runs.run({ mode: 'repair' });
    assert.equal(repaired.first.proof?.result, 'equal', JSON.stringify(repaired));
  }
}

describe('every type and both ends of a table', () => {
  for (const system of Object.keys(ENDS))
    test(`between PostgreSQL and ${system}`, async () => {
      const end = ENDS[system]?.() ?? assert.fail();
      await finds(sync(postgres(first), end, streamOf('public.t', { target: system === 'postgres' ? 'public.t' : 't' })), first, 't');
      if (system === 'postgres' || !isWhole) return;
      // And back again, into a table of its own.
      const back = `public.from_${system}`;
      await finds(sync(end, postgres(second), streamOf('t', { target: back })), second, back);
    });
});

test('a table that may not be read is not one without rows', async () => {
  await first?.run(`create table hidden (id int primary key); insert into hidden values (1), (2)`);
  const role = `limited_${process.pid}`;
  await second?.run(`create table hidden (id int primary key); insert into hidden values (1), (2); create role ${role} login`);
  try {
    const config = { ...second?.config, user: role };
    const runs = sync(postgres(first), { id: 'l', name: 'limited', type: 'postgres', config }, streamOf('public.hidden'));
    const { status, error } = await runs.run({ mode: 'verify' });
    assert.deepEqual([status, error?.kind, error?.code], ['failed', 'auth', 'PERMISSION_MISSING']);
    assert.match(error?.message ?? '', /Target "limited".*hidden/);
  } finally {
    await second?.run(`drop role ${role}`);
  }
});
