// Systems digest rows to the same bytes exactly when they are the same rows.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { engineRuns, definitionOf, streamOf } from '../../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { Batch } from '../../connectors/batch.ts';
import { type CanonicalType, comparable, type Row, type Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { digestOf } from '../../connectors/digests.ts';
import type { Session } from '../../connectors/session.ts';
import type { End } from '../run.ts';

const COUNT = 400;
/** Values that are easily taken for each other, and some that are the same and spelled otherwise. */
const VALUES: Readonly<Partial<Record<CanonicalType, readonly Value[]>>> = {
  text: ['', ' ', 'a', 'A', 'a ', 'á', 'a\u0301', '~;', '1:a', '\\N', 'x\ty', 'x\ny', '😀', null],
  int64: ['0', '1', '-1', '9223372036854775807', '-9223372036854775808', null],
  decimal: ['1', '1.0', '1.00', '0', '0.10', '.1', '-0.5', '-12345678901234567890.1', '100', null],
  boolean: ['t', 'f', null],
  date: ['2026-01-01', '2026-01-02', '1000-01-01', null],
  timestamp: [
    '2026-01-01 00:00:00',
    '2026-01-01 00:00:00.000000',
    '2026-01-01 00:00:00.000001',
    '2026-01-01 00:00:00.1',
    '2026-01-01 00:00:10',
    null,
  ],
  timestamptz: ['2026-01-01 00:00:00+00', '2026-01-01 00:00:00.000001+00', '2026-01-01 00:00:00.10+00', '2026-01-01 00:00:00.100+00', null],
  uuid: ['00000000-0000-0000-0000-000000000000', '6f1c1d4e-0000-4000-8000-00000000abcd', null],
  binary: ['\\x', '\\x00', '\\x0000', '\\xff', '\\x5c', null],
};
/** PostgreSQL alone spells these as they are digested. */
const MORE: typeof VALUES = {
  ...VALUES,
  float64: ['0', '-0', '0.1', '0.30000000000000004', '0.3', '1e300', 'NaN', 'Infinity', '-Infinity', '5e-324', null],
  time: ['00:00:00', '00:00:00.1', '00:00:00.100000', '23:59:59.999999', '24:00:00', null],
  decimal: [...(VALUES.decimal ?? []), 'NaN'],
};

let [first, second]: TestDatabase[] = [];
let mysql: MysqlDatabase;
let tables = 0;

before(async () => {
  [first, second] = await Promise.all([newDatabase(), newDatabase()]);
  mysql = await mysqlDatabase();
});
after(async () => {
  await Promise.all([first?.close(), second?.close(), mysql?.close()]);
});

const postgres = (database: TestDatabase | undefined): End => ({ id: 'p', name: 'p', type: 'postgres', config: database?.config });
const maria = (): End => {
  const { host, port, user, password, name: database } = mysql;
  return { id: 'm', name: 'm', type: 'mysql', config: { host, port, user, password, database } };
};
const PAIRS: Readonly<Record<string, readonly [ends: () => readonly [End, End], values: typeof VALUES]>> = {
  'PostgreSQL and PostgreSQL': [() => [postgres(first), postgres(second)], MORE],
  'PostgreSQL and MariaDB': [() => [postgres(first), maria()], VALUES],
  'MariaDB and MariaDB': [() => [maria(), maria()], VALUES],
};

function fieldsOf(values: typeof VALUES): Field[] {
  const others = (Object.keys(values) as CanonicalType[]).map((type) => {
    return { name: `a_${type}`, type, nullable: true, ...(type === 'decimal' && { precision: 30, scale: 4 }) };
  });
  return [{ name: 'id', type: 'int64', nullable: false }, ...others];
}

/** Two tables with rows of the same numbers, of which most are equal, or differ in one field. */
function twoTables(values: typeof VALUES): fc.Arbitrary<readonly [Row, Row][]> {
  const pools = Object.values(values).map((pool) => fc.constantFrom(...(pool ?? [])));
  const row = fc.tuple(...pools);
  const pair = fc.tuple(row, row, fc.nat(pools.length), fc.integer({ min: 0, max: 9 }));
  return fc.array(pair, { minLength: COUNT, maxLength: COUNT }).map((pairs) =>
    pairs.map(([one, other, place, kind], id): [Row, Row] => {
      const changed = kind === 0 ? other : one.map((value, at) => (at === place && kind < 6 ? (other[at] ?? null) : value));
      return [
        [String(id), ...one],
        [String(id), ...changed],
      ];
    }),
  );
}

async function filled(session: Session, stream: string, fields: readonly Field[], rows: readonly Row[]): Promise<void> {
  const writer = await session.write({ stream, fields, key: ['id'], mode: 'upsert', owner: stream, token: 1n, create: true });
  const { rejects } = await writer.write(Batch.ofRows(rows, { position: 'all' }));
  assert.deepEqual(rejects, []);
  await writer.finish();
  await writer.close();
}

async function readBack(session: Session, stream: string, fields: readonly Field[]): Promise<Row[]> {
  const rows: Row[] = [];
  const found = (await session.discover([stream])).find(({ name }) => name === stream) ?? assert.fail();
  assert.deepEqual(
    found.fields.map(({ type }) => type),
    fields.map(({ type }) => type),
    'the types are those that were asked for',
  );
  for await (const batch of session.read({ stream, fields: fields.map(({ name }) => name), key: ['id'] })) rows.push(...batch.rows);
  return rows;
}

describe('rows have the same digest exactly when they are the same', () => {
  for (const [name, [ends, values]] of Object.entries(PAIRS))
    test(name, async () => {
      const fields = fieldsOf(values);
      const [source, target] = ends();
      const runs = engineRuns({ definition: definitionOf([streamOf('t')]), ends: { source, target } });
      const sessions = [await runs.open('source'), await runs.open('target')] as const;
      const plainOf = (row: Row | undefined): string =>
        JSON.stringify(row?.map((value, at) => comparable(fields[at]?.type ?? 'text', value)));
      let [same, others] = [0, 0];
      await fc.assert(
        fc.asyncProperty(twoTables(values), async (pairs) => {
          tables++;
          const found = await Promise.all(
            sessions.map(async (session, side) => {
              const stream = `${(side === 0 ? source : target).type === 'postgres' ? 'public.' : ''}t${tables}_${side}`;
              await filled(
                session,
                stream,
                fields,
                pairs.map((pair) => pair[side] ?? []),
              );
              const rows = await readBack(session, stream, fields);
              const asked = { stream, fields, key: ['id'] as const, filters: [], signal: AbortSignal.timeout(60_000) };
              const digests = await session.digests?.digest({ ...asked, cuts: rows.slice(1).map(([id]) => id ?? '') });
              assert.deepEqual(
                digests,
                rows.map((row) => digestOf(fields, [row])),
                'a system digests as all do',
              );
              return { rows, digests: digests ?? assert.fail('not digested') };
            }),
          );
          for (let at = 0; at < COUNT; at++) {
            const isSame = plainOf(found[0]?.rows[at]) === plainOf(found[1]?.rows[at]);
            assert.equal(found[0]?.digests[at]?.digest === found[1]?.digests[at]?.digest, isSame, JSON.stringify(pairs[at]));
            if (isSame) same++;
            else others++;
          }
        }),
        { numRuns: 2, endOnFailure: true },
      );
      assert.ok(same > COUNT / 10 && others > COUNT / 10, `${same} were the same, ${others} were not`);
      await Promise.all(sessions.map((session) => session.close()));
    });
});
