import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine, type Place, preparedPlace } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { sampled } from '../support/whole.ts';

onEitherEngine('the proof of a live synchronization', (engine) => {
  let source: LogDatabase;
  let target: TestDatabase;
  let place: Place;
  let service: Service;
  let id: string;
  before(async () => {
    source = await startLogDatabase();
    target = await newDatabase(source.server.url);
    place = await preparedPlace(engine);
    service = await startService(engine, { place });
    await source.run(`create table t (id int primary key, v text); insert into t select n, 'v' || n from generate_series(1, 500) n`);
    const source_id = await addSource(service, 'postgres', source.config, 'shop');
    const target_id = await addSource(service, 'postgres', target.config, 'copy');
    ({ id } = await ask(service, 'POST', '/sync', { name: 't', source_id, target_id, streams: [{ source: 'public.t', mode: 'cdc' }] }));
    await isLive();
  });
  after(async () => {
    await service.close();
    await place.remove();
    await target.close();
    await source.close();
  });

  const isLive = (): Promise<unknown> =>
    until('it to be live', async () =>
      (await ask(service, 'GET', `/sync/${id}`)).current_run?.streams.every(({ live }: Body) => live === 'live'),
    );
  const proofOf = async (mode: string): Promise<Body> => {
    const { id: runId } = await ask(service, 'POST', `/sync/${id}/runs`, { mode });
    const run = await until(`the ${mode} to be over`, async () => {
      const now = await ask(service, 'GET', `/runs/${runId}`);
      return now.finished_at === null ? undefined : now;
    });
    assert.equal(run.status, 'succeeded', JSON.stringify(run));
    return run.streams[0].proof;
  };
  /** Somebody who changes rows at the source all the time, until told to stop. */
  const busy = (): (() => Promise<number>) => {
    const stopping = new AbortController();
    let changes = 0;
    const work = (async () => {
      const client = await source.client();
      for (; !stopping.signal.aborted; changes++) await client.query(`update t set v = v || '.' where id = ${1 + (changes % 400)}`);
    })();
    return async () => {
      stopping.abort();
      await work;
      return changes;
    };
  };

  /** One difference at the target, in a row that nobody changes at the source: what it is, how it is made, and how it is taken back. */
  const plantAt = (turn: number): [difference: 'missing' | 'extra' | 'different', make: string, back: string] => {
    const id = 401 + (turn % 49);
    if (turn % 3 === 0) return ['different', `update t set v = v || ' ' where id = ${id}`, `update t set v = rtrim(v) where id = ${id}`];
    if (turn % 3 === 1) return ['missing', `delete from t where id = ${id}`, `insert into t values (${id}, 'v${id}')`];
    return ['extra', `insert into t values (${id + 1000}, 'v')`, `delete from t where id = ${id + 1000}`];
  };

  test('calls nothing different that is on its way, and finds what is damaged each time, while rows change all the time', async () => {
    const stop = busy();
    try {
      // Of every two verifies, one has something to find.
      for (let turn = 0; turn < sampled(2, 50); turn++) {
        const proof = await proofOf('verify');
        assert.ok(proof.result === 'equal' || proof.result === 'changing', JSON.stringify(proof));
        assert.deepEqual([proof.missing, proof.extra, proof.different], [0, 0, 0]);
        const [difference, make, back] = plantAt(turn);
        await target.run(make);
        const planted = await proofOf('verify');
        const none = { missing: 0, extra: 0, different: 0 };
        const { missing, extra, different } = planted;
        assert.deepEqual({ missing, extra, different }, { ...none, [difference]: 1 }, JSON.stringify(planted));
        await target.run(back);
      }
      await target.run(`update t set v = 'damaged' where id = 450; delete from t where id = 451; insert into t values (900, 'made up')`);
      const found = await proofOf('verify');
      assert.deepEqual([found.result, found.missing, found.extra, found.different], ['differs', 1, 1, 1], JSON.stringify(found.samples));
      assert.notEqual(found.position, null);
    } finally {
      assert.ok((await stop()) > 50, 'too little was changed');
    }
  });

  test('where nothing happens at the source it is known all the same that everything has arrived; and a repair puts it right', async () => {
    const found = await proofOf('verify');
    assert.deepEqual([found.result, found.missing, found.extra, found.different], ['differs', 1, 1, 1], JSON.stringify(found));
    assert.equal((await proofOf('repair')).result, 'equal');
    await isLive();
    await source.run(`insert into t values (1000, 'later')`);
    await until('the change to arrive', async () => (await target.rows('select 1 from t where id = 1000')).length === 1);
    assert.equal((await proofOf('verify')).result, 'equal');
  });
});
