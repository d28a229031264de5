// Repairs and undone runs of a service that is killed at random: what differs is put right and nothing else is touched, and a run is undone whole or not at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../../src/connectors/canonical.ts';
import type { TestDatabase } from '../support/postgres-database.ts';
import { type Contents, modelled } from '../support/undone-runs.ts';
import { isWhole } from '../support/whole.ts';
import { proofWorld } from './proof-world.ts';
import { type Random, withSeed } from './random.ts';
import { isLarge } from './sizes.ts';

const REPAIRS = isWhole || isLarge ? 30 : 1;
const RUNS = isWhole || isLarge ? 20 : 2;
const ROWS = 4_000;

/** Tells of each row that is touched, and takes its time. */
const WITNESS = `create table seen (what text, id int);
  create function see() returns trigger language plpgsql as
    $$ begin insert into seen values (tg_op, case when tg_op = 'DELETE' then old.id else new.id end); perform pg_sleep(0.0005); return null; end $$;
  create trigger see after insert or update or delete on t for each row execute function see()`;

const contentsOf = async (database: TestDatabase): Promise<Contents> =>
  new Map((await database.rows('select id, v, n from t order by id')).map((row: Row) => [row[0] ?? '', JSON.stringify(row)]));

/** Damages rows in every way there is, each another one; answers what a repair has to do, as the witness tells it. */
async function damage(target: TestDatabase, random: Random): Promise<string[]> {
  const told: string[] = [];
  const ids = { INSERT: [] as number[], UPDATE: [] as number[], DELETE: [] as number[] };
  for (let id = 1; id <= ROWS; id++) {
    const chance = random();
    const what = chance < 0.1 ? 'INSERT' : chance < 0.2 ? 'UPDATE' : chance < 0.3 ? 'DELETE' : undefined;
    if (what === undefined) continue;
    ids[what].push(id);
    told.push(`${what} ${what === 'DELETE' ? id + ROWS : id}`);
  }
  await target.run(`delete from t where id = any ('{${ids.INSERT.join()}}'); update t set v = v || ' ' where id = any ('{${ids.UPDATE.join()}}');
    insert into t select id + ${ROWS}, 'extra' from unnest('{${ids.DELETE.join()}}'::int[]) id; truncate seen`);
  return told;
}

test(`kill -9 in the middle of ${REPAIRS} repairs: every damaged row is written once, and no other is touched`, () =>
  withSeed(async (random) => {
    const world = await proofWorld();
    const { source, target } = world;
    try {
      await source.run(
        `create table t (id int primary key, v text, n numeric); insert into t select n, 'v' || n, n / 7.0 from generate_series(1, ${ROWS}) n`,
      );
      const id = await world.sync();
      await world.done(id, 'run');
      await target.run(WITNESS);
      const right = await contentsOf(source);
      for (let round = 0; round < REPAIRS; round++) {
        const expected = await damage(target, random);
        const repair = await world.start(id, 'repair');
        await world.killAfter(random() * 2_000);
        const ended = await world.over(repair);
        assert.deepEqual([ended.status, ended.streams[0].proof.result], ['succeeded', 'equal'], JSON.stringify(ended));
        assert.deepEqual(await contentsOf(target), right);
        const seen = (await target.rows('select what, id from seen')).map((row) => row.join(' '));
        assert.deepEqual(seen.sort(), expected.sort());
        const { inserted, updated, deleted } = ended.totals;
        const counted = (what: string): number => expected.filter((one) => one.startsWith(what)).length;
        assert.deepEqual([inserted, updated, deleted], [counted('INSERT'), counted('UPDATE'), counted('DELETE')], 'of all attempts');
        assert.equal((await world.done(id, 'verify')).streams[0].proof.result, 'equal');
      }
    } finally {
      await world.close();
    }
  }));

/** Some rows change, go and come; at the target it is somebody else who does it. */
function changes(random: Random, round: string, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const id = 1 + Math.floor(random() * 120);
    if (random() < 0.2) return `delete from t where id = ${id}`;
    return `insert into t values (${id}, '${round}.${at}', ${at}) on conflict (id) do update set v = excluded.v, n = excluded.n`;
  }).join('; ');
}

test(`kill -9 in the middle of undoing each of the last ${RUNS} runs, with changes of others in between: whole, or not at all`, () =>
  withSeed(async (random) => {
    const world = await proofWorld();
    const { source, target, caller } = world;
    try {
      await source.run(
        `create table t (id int primary key, v text, n numeric); insert into t select n, 'first', n from generate_series(1, 100) n`,
      );
      const id = await world.sync({ undo: { keep: '7d' }, guard: { max_delete_percent: 100 } });
      await world.done(id, 'run');
      await target.run(`create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.002); return coalesce(new, old); end $$;
        create trigger slowly before insert or update or delete on t for each row execute function slowly()`);
      const runs: { id: string; before: Contents; after: Contents }[] = [];
      for (let run = 0; run < RUNS; run++) {
        await source.run(changes(random, `run ${run}`, 60));
        if (run % 2 === 1) await target.run(changes(random, `other ${run}`, 4));
        const before = await contentsOf(target);
        const ended = await world.done(id, 'run');
        assert.equal(ended.status, 'succeeded');
        runs.push({ id: ended.id, before, after: await contentsOf(target) });
      }
      for (const { id: run, before, after } of runs.toReversed()) {
        await target.run(changes(random, `later ${run}`, 4));
        const now = await contentsOf(target);
        const { expected, restored, removed, left } = modelled(now, before, after);
        const path = `/api/v1/datasync/runs/${run}/undo`;
        const undoing = caller.call('POST', path).catch(() => undefined);
        await world.killAfter(random() * 500);
        await undoing;
        const found = await contentsOf(target);
        assert.ok(
          [now, expected].some((one) => JSON.stringify([...one]) === JSON.stringify([...found])),
          'neither all of it nor nothing',
        );
        const reply = await caller.call('POST', path);
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(await contentsOf(target), expected);
        const { undone } = reply.body.data.run;
        assert.deepEqual([undone.restored, undone.removed, undone.left], [restored, removed, left.length]);
        assert.deepEqual(undone.rows_left.map(({ key }: { key: { id: string } }) => key.id).sort(), left.sort());
      }
    } finally {
      await world.close();
    }
  }));
