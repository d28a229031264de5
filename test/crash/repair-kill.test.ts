import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, type Caller } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';

const ROWS = 20_000;
/** Every third row is damaged, in one of three ways. */
const DAMAGE = `delete from t where id % 9 = 0; update t set v = 'x' where id % 9 = 3; insert into t select ${ROWS} + n, 'extra' from generate_series(1, 500) n;
  create table seen (what text, id int);
  create function see() returns trigger language plpgsql as
    $$ begin insert into seen values (tg_op, case when tg_op = 'DELETE' then old.id else new.id end); return null; end $$;
  create trigger see after insert or update or delete on t for each row execute function see()`;

// The run is taken up again when its lease is over.
const LONG = { skip: !isWhole && 'npm run test:whole has it' };

test('kill -9 in the middle of a repair: it goes on, every damaged row is written, and no other row is touched', LONG, async () => {
  const place = await preparedPlace('sqlite');
  const [source, target] = await Promise.all([newDatabase(), newDatabase()]);
  let service = await startProcess(place);
  const caller: Caller = {
    call: (method, path, options = {}) => callService(service.url, service.adminKey, method, path, options),
  };
  try {
    await source.run(`create table t (id int primary key, v text); insert into t select n, 'v' || n from generate_series(1, ${ROWS}) n`);
    const [source_id, target_id] = [
      await addSource(caller, 'postgres', source.config, 'from'),
      await addSource(caller, 'postgres', target.config, 'to'),
    ];
    const { id } = await ask(caller, 'POST', '/sync', {
      name: 't',
      source_id,
      target_id,
      streams: [{ source: 'public.t', mode: 'mirror' }],
    });
    const over = (runId: string): Promise<Body> =>
      until('the run to be over', async () => {
        const run = await ask(caller, 'GET', `/runs/${runId}`);
        return run.finished_at === null ? undefined : run;
      });
    await over((await ask(caller, 'POST', `/sync/${id}/runs`, { mode: 'run' })).id);
    await target.run(DAMAGE);
    const repair = await ask(caller, 'POST', `/sync/${id}/runs`, { mode: 'repair' });
    const written = async (): Promise<number> => Number((await target.rows('select count(*) from seen'))[0]?.[0]);
    await until('some rows to be repaired', async () => (await written()) > 0);
    await service.kill();
    const before = await written();
    service = await startProcess(place);
    const ended = await over(repair.id);
    assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
    assert.equal(ended.streams[0].proof.result, 'equal');
    const [missing, different] = [Math.floor(ROWS / 9), Math.ceil((ROWS - 2) / 9)];
    assert.ok(before < missing + different + 500, `the kill came too late: ${before} rows were written`);
    assert.deepEqual(
      [ended.totals.inserted, ended.totals.updated, ended.totals.deleted],
      [missing, different, 500],
      'the counts are those of all attempts',
    );
    assert.deepEqual(await target.rows(`select what, count(*), count(distinct id) from seen group by 1 order by 1`), [
      ['DELETE', '500', '500'],
      ['INSERT', String(missing), String(missing)],
      ['UPDATE', String(different), String(different)],
    ]);
    const wrong = `select 1 from seen where not (what = 'INSERT' and id % 9 = 0 or what = 'UPDATE' and id % 9 = 3 or what = 'DELETE' and id > ${ROWS})`;
    assert.deepEqual(await target.rows(wrong), []);
  } finally {
    await service.kill();
    await place.remove();
    await Promise.all([source.close(), target.close()]);
  }
});
