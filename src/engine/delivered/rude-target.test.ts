// What nobody learns the fate of: the target has it, or does not, and the source goes on changing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { counted, type Judgement, useUnreadableApis } from '../../../test/support/unreadable-api.ts';

const { bench } = useUnreadableApis();
const SIX = "insert into things values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')";

describe('a target that does its work and does not say so', () => {
  for (const fault of ['reset afterwards', 'half an answer'] as const)
    test(`is told again what the source has by then (${fault})`, async () => {
      let judgement: Judgement;
      const { source, runs, api } = await bench(SIX, { judge: () => judgement });
      await runs.run();
      judgement = fault;
      source.exec("update things set v = 'B' where id = 2");
      assert.equal((await runs.run()).status, 'failed');
      assert.equal(api.records.get('2')?.v, 'B');
      // The source has again what the target said last that it has.
      source.exec("update things set v = 'b' where id = 2");
      judgement = undefined;
      api.asked();
      assert.deepEqual(counted(await runs.run()), { read: 6, inserted: 0, updated: 1, deleted: 0, unchanged: 5, rejected: 0 });
      assert.deepEqual([api.asked(), api.records.get('2')?.v], [['PUT 2'], 'b']);
      judgement = fault;
      source.exec('delete from things where id = 3');
      assert.equal((await runs.run()).status, 'failed');
      assert.equal(api.records.has('3'), false);
      source.exec("insert into things values (3, 'c')");
      judgement = undefined;
      api.asked();
      await runs.run();
      assert.deepEqual([api.asked(), api.records.get('3')?.v], [['PUT 3'], 'c']);
      assert.deepEqual(counted(await runs.run()), { read: 6, inserted: 0, updated: 0, deleted: 0, unchanged: 6, rejected: 0 });
    });

  test('knows by its key what is sent again, also by a later run, and never takes something else for it', async () => {
    let judgement: Judgement;
    const { source, runs, api } = await bench(SIX, { judge: () => judgement });
    await runs.run();
    const sent = async (): Promise<Set<string | undefined>> => {
      api.keys.length = 0;
      await runs.run();
      return new Set(api.keys);
    };
    judgement = 'reset afterwards';
    source.exec("update things set v = 'B' where id = 2");
    const first = await sent();
    assert.equal(first.size, 1);
    assert.deepEqual(await sent(), first);
    source.exec("update things set v = 'C' where id = 2");
    const second = await sent();
    assert.equal(second.size, 1);
    // Both were done by now, the other one last: the first is another thing than it was.
    source.exec("update things set v = 'B' where id = 2");
    judgement = undefined;
    const third = await sent();
    assert.equal(new Set([...first, ...second, ...third]).size, 3);
    assert.equal(api.records.get('2')?.v, 'B');
  });

  test('is told again what it has accepted when the service ends before that is written down', async () => {
    const { source, runs, api } = await bench(SIX);
    await runs.run();
    source.exec("update things set v = 'B' where id = 2; insert into things values (7, 'g')");
    api.keys.length = 0;
    const [stream = assert.fail()] = runs.streams;
    // It ends when it says what is under way, and then when it says what was accepted.
    for (const most of [0, 1]) {
      let written = 0;
      const keepDelivered = async (_index: number, entries: string, note: string | null): Promise<number> => {
        if (note !== null && written === 0) stream.note = note;
        if (entries === '') return 0;
        if (written++ >= most) throw new Error('the end');
        const seq = (stream.ledger.at(-1)?.seq ?? 0) + 1;
        stream.ledger.push({ seq, generation: stream.generation, entries, run: 'of another' });
        return seq;
      };
      assert.equal((await runs.run({ ports: { keepDelivered } })).status, 'failed');
      assert.equal(api.keys.length, 2 * most);
    }
    const underWay = new Set(api.keys);
    api.keys.length = 0;
    assert.deepEqual(counted(await runs.run()), { read: 7, inserted: 1, updated: 1, deleted: 0, unchanged: 5, rejected: 0 });
    assert.deepEqual(new Set(api.keys), underWay);
  });

  test('is asked anew for what comes back when its removal is forgotten', async () => {
    const { source, runs, api } = await bench(SIX);
    await runs.run();
    source.exec('delete from things where id = 6');
    await runs.run();
    const [stream = assert.fail()] = runs.streams;
    // So many runs later that the ledger was tidied up, which forgets what was removed.
    for (let round = 0; round < 110; round++) {
      source.exec(`update things set v = 'round ${round}' where id = 1`);
      await runs.run();
    }
    assert.ok(stream.ledger.length < 100, `${stream.ledger.length} segments`);
    source.exec("insert into things values (6, 'f')");
    await runs.run();
    assert.equal(new Set(api.keys).size, api.keys.length);
    assert.equal(api.records.get('6')?.v, 'f');
  });
});
