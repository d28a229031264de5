// Mirrors that write what differs, of a service that is killed at random: all of it is written at once or nothing, and what was counted is what has changed.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { mysqlDatabase } from '../support/mysql-database.ts';
import { addSource, ask, type Body, sqliteFile } from '../support/real-syncs.ts';
import { isWhole } from '../support/whole.ts';
import { type ProofWorld, proofWorld } from './proof-world.ts';
import { type Random, withSeed } from './random.ts';
import { isLarge } from './sizes.ts';

const ALL = isWhole || isLarge;
const KILLS = ALL ? 30 : 1;
const ROWS = 3_000;

interface MirrorTarget {
  readonly target_id: string;
  readonly stream: string;
  /** Has a trigger take its time at each row, so that there is something to hit; once the table is there. */
  slow(): Promise<unknown>;
  /** All rows, as texts, by their ids. */
  rows(): Promise<(string | null)[][]>;
  /** Which rows were written in which way since the last look, where a trigger tells. */
  seen?(): Promise<string[]>;
  close(): Promise<unknown>;
}

const TARGETS: Readonly<Record<string, (world: ProofWorld) => Promise<MirrorTarget>>> = {
  postgres: async ({ caller, target }) => ({
    target_id: await addSource(caller, 'postgres', target.config, 'to'),
    stream: 'public.t',
    slow: () =>
      target.run(`create table seen (what text, id int);
        create function see() returns trigger language plpgsql as $$ begin
          insert into seen values (tg_op, case when tg_op = 'DELETE' then old.id else new.id end); perform pg_sleep(0.001); return null; end $$;
        create trigger see after insert or update or delete on t for each row execute function see()`),
    rows: () => target.rows('select id, v from t order by id'),
    seen: async () =>
      (await target.rows('with seen as (delete from seen returning what, id) select what, id from seen')).map((row) => row.join(' ')),
    close: async () => {},
  }),
  mysql: async ({ caller }) => {
    const mysql = await mysqlDatabase();
    const { host, port, user, password, name: database } = mysql;
    return {
      target_id: await addSource(caller, 'mysql', { host, port, user, password, database }, 'to'),
      stream: 't',
      slow: () => mysql.query('create trigger slowly before update on t for each row do sleep(0.002)'),
      rows: () => mysql.query('select cast(id as char), v from t order by id'),
      close: () => mysql.close(),
    };
  },
  sqlite: async ({ caller, place }) => {
    const path = sqliteFile(place, 'mirrored.db');
    return {
      target_id: await addSource(caller, 'sqlite', { path, create: true }, 'to'),
      stream: 't',
      slow: async () => {},
      rows: async () => {
        const file = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
        const found = file.prepare('select cast(id as text) as id, v from t order by t.id').all();
        file.close();
        return found.map(({ id, v }) => [String(id), v as string | null]);
      },
      close: async () => {},
    };
  },
};

/** Changes some rows of the source; answers what a mirror has to do, as a witness tells it. */
async function change({ source }: ProofWorld, random: Random, round: number): Promise<string[]> {
  const known = new Set((await source.rows('select id from t')).map(([id]) => Number(id)));
  const did: string[] = [];
  const statements: string[] = [];
  for (let id = 1; id <= ROWS; id++) {
    if (random() > 0.1) continue;
    if (!known.has(id)) statements.push(`insert into t values (${id}, 'back in ${round}')`);
    else if (random() < 0.2) statements.push(`delete from t where id = ${id}`);
    else statements.push(`update t set v = 'in ${round}' where id = ${id}`);
    did.push(`${(statements.at(-1) ?? '').slice(0, 6).toUpperCase()} ${id}`);
  }
  await source.run(statements.join('; '));
  return did;
}

for (const [system, made] of Object.entries(TARGETS).filter(([name]) => ALL || name === 'postgres'))
  test(`kill -9 in the middle of ${KILLS} mirrors by difference into ${system}: whole, or not at all`, () =>
    withSeed(async (random) => {
      const world = await proofWorld();
      const target = await made(world);
      try {
        await world.source.run(
          `create table t (id int primary key, v text); insert into t select n, 'v' || n from generate_series(1, ${ROWS}) n`,
        );
        const { target_id, stream } = target;
        const id = await world.sync({ target_id, streams: [{ source: 'public.t', target: stream, mode: 'mirror' }] });
        await world.done(id, 'run');
        await target.slow();
        let compared = 0;
        for (let round = 0; round < KILLS; round++) {
          const expected = await change(world, random, round);
          const run = await world.start(id, 'run');
          await world.killAfter(random() * 1_500);
          const ended: Body = await world.over(run);
          assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
          assert.deepEqual(await target.rows(), await world.source.rows('select id, v from t order by id'));
          const seen = await target.seen?.();
          if (seen) assert.deepEqual(seen.sort(), expected.sort(), 'every row that differs once, and no other');
          const counted = (what: string): number => expected.filter((one) => one.startsWith(what)).length;
          const { inserted, updated, deleted } = ended.totals;
          assert.deepEqual([inserted, updated, deleted], [counted('INSERT'), counted('UPDATE'), counted('DELETE')], 'of all attempts');
          const logs = await ask(world.caller, 'GET', `/logs?run_id=${run}`);
          if (logs.some(({ message }: Body) => message.startsWith('Both ends were compared'))) compared++;
        }
        assert.ok(compared > 0, 'no mirror has compared both ends');
        assert.equal((await world.done(id, 'verify')).streams[0].proof.result, 'equal');
      } finally {
        await target.close();
        await world.close();
      }
    }));
