import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { onBothEngines, preparedPlace } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, type Caller } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';
import { pick, type Random, withSeed } from './random.ts';
import { isLarge } from './sizes.ts';

/** Each round kills the service in a verify, in a repair and in an undo. */
const ROUNDS = isLarge ? Math.ceil(Number(process.env['CRASHES']) / 3) : 1;
const ROWS = 20_000;
const LONGEST = { verify: 700, repair: 900, undo: 250 };
/** A run that was killed is taken up again when its lease is over. */
const PATIENCE = 90_000;
const LONG = { skip: !isWhole && !isLarge && 'npm run test:proof has it' };

const PREPARED = `create table t (id int primary key, v text not null);
  create table seen (what text, id int);
  create function see() returns trigger language plpgsql as
    $$ begin insert into seen values (tg_op, case when tg_op = 'DELETE' then old.id else new.id end); return null; end $$;
  create trigger see after insert or update or delete on t for each row execute function see()`;

interface Damage {
  readonly missing: number;
  readonly different: number;
  readonly extra: number;
}

/** Takes rows away, changes some and adds some, at places of chance. */
async function damage(random: Random, target: TestDatabase): Promise<Damage> {
  const step = pick(random, [7, 50, 900]);
  const at = Math.floor(random() * step);
  const extra = Math.floor(random() * 300);
  await target.run(`delete from t where id % ${2 * step} = ${at}; update t set v = v || 'x' where id % ${2 * step} = ${at + step};
    insert into t select ${ROWS} + n, 'extra' from generate_series(1, ${extra}) n; delete from seen`);
  const count = (rest: number): number => Array.from({ length: ROWS }, (_, n) => n + 1).filter((id) => id % (2 * step) === rest).length;
  return { missing: count(at), different: count(at + step), extra };
}

const contents = async (database: TestDatabase): Promise<string> =>
  (await database.rows(`select count(*) || md5(string_agg(id || v, ' ' order by id)) from t`))[0]?.[0] ?? '';

onBothEngines('kill -9 at random', (engine) => {
  test(
    `${3 * ROUNDS} times in a verify, a repair and an undo: nothing is invented, only damaged rows are touched, and what is taken back is as it was`,
    LONG,
    () =>
      withSeed(async (random) => {
        const place = await preparedPlace(engine);
        const [source, target] = await Promise.all([newDatabase(), newDatabase()]);
        let service: ServiceProcess = await startProcess(place);
        const caller: Caller = { call: (method, path, options = {}) => callService(service.url, service.adminKey, method, path, options) };
        const killWithin = async (longest: number): Promise<void> => {
          await pause(random() * longest);
          assert.deepEqual(await service.kill(), { code: null, signal: 'SIGKILL' }, service.logs());
          service = await startProcess(place);
        };
        const over = (runId: string): Promise<Body> =>
          until(
            `the run ${runId} to be over`,
            async () => {
              const run = await ask(caller, 'GET', `/runs/${runId}`);
              return run.finished_at === null ? undefined : run;
            },
            PATIENCE,
          );
        let hit = 0;
        try {
          await source.run(
            `create table t (id int primary key, v text not null); insert into t select n, 'v' || n from generate_series(1, ${ROWS}) n`,
          );
          await target.run(PREPARED);
          const [source_id, target_id] = [
            await addSource(caller, 'postgres', source.config, 'from'),
            await addSource(caller, 'postgres', target.config, 'to'),
          ];
          const { id } = await ask(caller, 'POST', '/sync', {
            name: 't',
            source_id,
            target_id,
            streams: [{ source: 'public.t', mode: 'mirror' }],
            guard: { max_delete_percent: 100 },
            undo: { keep: '1d' },
          });
          await over((await ask(caller, 'POST', `/sync/${id}/runs`)).id);
          const whole = await contents(source);
          /** Starts a run, kills the service in it, and answers how it ended all the same. */
          const killedIn = async (mode: 'verify' | 'repair'): Promise<Body> => {
            const { id: runId } = await ask(caller, 'POST', `/sync/${id}/runs`, { mode });
            await killWithin(LONGEST[mode]);
            const before = await ask(caller, 'GET', `/runs/${runId}`);
            if (before.finished_at === null) hit++;
            const run = await over(runId);
            assert.equal(run.status, 'succeeded', JSON.stringify(run));
            return run;
          };
          for (let round = 1; round <= ROUNDS; round++) {
            const planted = await damage(random, target);
            const damaged = await contents(target);
            const verified = await killedIn('verify');
            assert.partialDeepStrictEqual(verified.streams[0].proof, { ...planted, result: 'differs', rows: ROWS });
            assert.equal(await contents(target), damaged, 'a verify writes nothing');

            const repair = await killedIn('repair');
            assert.equal(repair.streams[0].proof.result, 'equal');
            assert.equal(await contents(target), whole);
            assert.deepEqual(
              [repair.totals.inserted, repair.totals.updated, repair.totals.deleted],
              [planted.missing, planted.different, planted.extra],
              'the counts are those of all attempts',
            );
            const touched = await target.rows(`select count(*), count(distinct id) from seen`);
            const all = String(planted.missing + planted.different + planted.extra);
            assert.deepEqual(touched, [[all, all]], 'each damaged row was written once, and no other');

            const undoing = caller.call('POST', `/api/v1/datasync/runs/${repair.id}/undo`).catch(() => undefined);
            await killWithin(LONGEST.undo);
            await undoing;
            assert.ok([whole, damaged].includes(await contents(target)), 'it happens whole or not at all');
            if ((await ask(caller, 'GET', `/runs/${repair.id}`)).undone === undefined) hit++;
            const undone = await until(
              'the undo',
              async () => {
                const reply = await caller.call('POST', `/api/v1/datasync/runs/${repair.id}/undo`);
                if (reply.status !== 200) assert.equal(reply.status, 409, reply.text);
                return reply.status === 200 && reply.body.data.run.undone;
              },
              PATIENCE,
            );
            assert.deepEqual([undone.restored, undone.removed, undone.left], [planted.different + planted.extra, planted.missing, 0]);
            assert.equal(await contents(target), damaged);
            await ask(caller, 'POST', `/sync/${id}/resume`);
            const mended = await over((await ask(caller, 'POST', `/sync/${id}/runs`)).id);
            assert.equal(mended.status, 'succeeded', JSON.stringify(mended));
            assert.equal(await contents(target), whole);
          }
          // It proves something only when kills came in time.
          if (isLarge) assert.ok(hit >= ROUNDS, `only ${hit} of ${3 * ROUNDS} kills came before the end`);
        } finally {
          await service.kill();
          await place.remove();
          await Promise.all([source.close(), target.close()]);
        }
      }),
  );
});
