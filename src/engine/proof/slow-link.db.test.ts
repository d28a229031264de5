// Over a slow link both ends digest their rows themselves, and only what differs is read.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, type EngineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { type SlowLink, slowLink } from '../../../test/support/slow-link.ts';
import { isWhole } from '../../../test/support/whole.ts';
import type { End, StreamProof } from '../run.ts';

const ROWS = 110_000;
/** Rows are made alike at both ends by the systems themselves: nothing has to be loaded over the link. */
const WORDS = 'one row of a table that is compared over a slow link';
/** About what all rows of both ends take. */
const BYTES = 2 * ROWS * 100;

let [first, second]: TestDatabase[] = [];
let mysql: MysqlDatabase;
let link: SlowLink;

before(async () => {
  link = slowLink(2_000_000);
  [first, second] = await Promise.all([newDatabase(), newDatabase()]);
  mysql = await mysqlDatabase();
  for (const database of [first, second])
    await database?.run(`create table t (id bigint primary key, v text, at timestamptz(6), n numeric(12, 2));
      insert into t select n * 10, '${WORDS} ' || n, timestamptz '2026-01-01 00:00:00.25+00' + n * interval '1 s', n / 4.0 from generate_series(1, ${ROWS}) n; analyze t`);
  await mysql.query(
    `create table t (id bigint primary key, v text character set utf8mb4 collate utf8mb4_bin, at datetime(6) comment '[syncline:timestamptz]', n decimal(12, 2))`,
  );
  const digits = `with d as (${Array.from({ length: 10 }, (_, digit) => `select ${digit} as n`).join(' union all ')})`;
  const numbers =
    '(select a.n + 10 * b.n + 100 * c.n + 1000 * e.n + 10000 * f.n + 100000 * g.n as n from d a, d b, d c, d e, d f, d g) numbers';
  await mysql.query(`insert into t ${digits} select n * 10, concat('${WORDS} ', n), timestampadd(second, n, '2026-01-01 00:00:00.25'), n / 4
    from ${numbers} where n between 1 and ${ROWS}`);
  await mysql.query('analyze table t');
});
after(async () => {
  await link.close();
  await Promise.all([first?.close(), second?.close(), mysql?.close()]);
});

async function postgres(database: TestDatabase | undefined): Promise<End> {
  const config = { ...database?.config, host: '127.0.0.1', port: await link.to(database?.config ?? assert.fail()), ssl: 'disable' };
  return { id: 'p', name: 'p', type: 'postgres', config };
}

const TARGETS: Readonly<Record<string, () => Promise<{ end: End; change: (statement: string) => Promise<unknown> }>>> = {
  postgres: async () => ({ end: await postgres(second), change: async (statement) => second?.run(statement) }),
  mysql: async () => {
    const { user, password, name: database } = mysql;
    const config = { host: '127.0.0.1', port: await link.to(mysql), user, password, database, tls: 'disable' };
    return { end: { id: 'm', name: 'm', type: 'mysql', config }, change: (statement) => mysql.query(statement) };
  },
};

async function proofOf(runs: EngineRuns): Promise<{ proof: StreamProof; bytes: number }> {
  const before = link.bytes;
  const { status, first: report } = await runs.run({ mode: 'verify' });
  assert.equal(status, 'succeeded', JSON.stringify(report));
  return { proof: report.proof ?? assert.fail('nothing was compared'), bytes: link.bytes - before };
}

for (const system of Object.keys(TARGETS).filter((name) => isWhole || name === 'postgres'))
  describe(`between PostgreSQL and ${system}`, () => {
    test('equal rows stay where they are; those that differ are found wherever they are, and a mirror reads no others', async () => {
      const { end, change } = (await TARGETS[system]?.()) ?? assert.fail();
      const target = system === 'postgres' ? 'public.t' : 't';
      const ends = { source: await postgres(first), target: end };
      const runs = engineRuns({ definition: definitionOf([streamOf('public.t', { target })]), ends, syncId: `syn_${system}` });
      const equal = await proofOf(runs);
      assert.deepEqual([equal.proof.result, equal.proof.rows, equal.proof.digest_of], ['equal', ROWS, 'ranges']);
      // What is read to find out what is quicker is nearly all of it.
      assert.ok(equal.bytes < 0.2 * BYTES, `${equal.bytes} bytes passed`);
      const [last, border] = [ROWS * 10, 50_000 * 10];
      await change(`update t set v = concat(v, ' ') where id in (10, ${border}, ${border + 10}, ${last})`);
      await change(`update t set n = n + 0.01 where id = ${border + 20}`);
      await change(`delete from t where id in (20, ${border - 10}, ${last - 10})`);
      await change(`insert into t (id, v) values (5, 'before all'), (${border + 1}, null), (${last + 1}, 'behind all'), (${last + 2}, '')`);
      const differs = await proofOf(runs);
      const { result, missing, extra, different, digest_of } = differs.proof;
      assert.deepEqual([result, missing, extra, different, digest_of], ['differs', 3, 4, 5, 'ranges'], JSON.stringify(differs.proof));
      assert.ok(differs.bytes < 0.3 * BYTES, `${differs.bytes} bytes passed`);
      for (const stream of runs.streams) stream.rows = ROWS;
      const before = link.bytes;
      const { status, first: report } = await runs.run();
      const { inserted, updated, deleted, unchanged, read } = report;
      assert.deepEqual([status, inserted, updated, deleted, unchanged, read], ['succeeded', 3, 5, 4, ROWS - 8, ROWS]);
      assert.ok(link.bytes - before < 0.3 * BYTES, `${link.bytes - before} bytes passed`);
      const again = await proofOf(runs);
      assert.deepEqual([again.proof.result, again.proof.digest], ['equal', equal.proof.digest], 'of the same rows the same digest');
    });
  });
