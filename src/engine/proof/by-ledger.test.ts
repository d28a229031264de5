import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EngineRuns } from '../../../test/support/engine-run.ts';
import { useUnreadableApis } from '../../../test/support/unreadable-api.ts';
import type { StreamProof } from '../run.ts';

const { bench } = useUnreadableApis();
const THINGS = "insert into things values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')";

async function verified(runs: EngineRuns, ports: Parameters<EngineRuns['run']>[0] = {}): Promise<StreamProof> {
  const { status, first } = await runs.run({ mode: 'verify', ...ports });
  assert.equal(status, 'succeeded', JSON.stringify(first));
  return first.proof ?? assert.fail('nothing was compared');
}

const found = ({ result, rows, missing, extra, different, quarantined, by }: StreamProof) => ({
  result,
  rows,
  missing,
  extra,
  different,
  quarantined,
  by,
});
const EQUAL = { result: 'equal', rows: 6, missing: 0, extra: 0, different: 0, quarantined: 0, by: 'ledger' };

describe('a verify by the ledger', () => {
  test('compares the source with what the target has accepted, and asks the target nothing', async () => {
    const { source, runs, api } = await bench(THINGS);
    assert.deepEqual(found(await verified(runs)), { ...EQUAL, result: 'differs', missing: 6 });
    await runs.run();
    api.asked();
    const equal = await verified(runs);
    assert.deepEqual(found(equal), EQUAL);
    source.exec("update things set v = 'B' where id = 2; delete from things where id = 3; insert into things values (7, 'g')");
    const differs = await verified(runs);
    assert.deepEqual(found(differs), { ...EQUAL, result: 'differs', missing: 1, extra: 1, different: 1 });
    assert.notEqual(differs.digest, equal.digest);
    assert.deepEqual(differs.samples.map(({ difference, key }) => `${difference} ${key?.['id']}`).sort(), [
      'different 2',
      'extra 3',
      'missing 7',
    ]);
    assert.deepEqual(api.asked(), [], 'the target is not asked');
    await runs.run();
    assert.deepEqual(found(await verified(runs)), EQUAL);
    source.exec("update things set v = 'b' where id = 2; insert into things values (3, 'c'); delete from things where id = 7");
    await runs.run();
    assert.equal((await verified(runs)).digest, equal.digest, 'the same rows have the same digest');
  });

  test('does not see what others have done at the target, and says by what it has compared', async () => {
    const { runs, api } = await bench(THINGS);
    await runs.run();
    api.records.delete('4');
    assert.deepEqual(found(await verified(runs)), EQUAL);
  });

  test('leaves alone what the target was not to lose, and counts what it has refused as quarantined', async () => {
    const keeping = await bench(THINGS, { deletes: 'keep' });
    await keeping.runs.run();
    keeping.source.exec('delete from things where id = 3');
    assert.deepEqual(found(await verified(keeping.runs)), { ...EQUAL, rows: 5 });
    const refusing = await bench(THINGS, { judge: (asked) => (asked === 'PUT 5' ? 422 : undefined) });
    assert.equal((await refusing.runs.run()).first.rejected, 1);
    assert.partialDeepStrictEqual(found(await verified(refusing.runs)), { result: 'equal', missing: 0, quarantined: 1 });
  });

  test('is followed by a repair that sends just what differs', async () => {
    const { source, runs, api } = await bench(THINGS);
    await runs.run();
    source.exec("update things set v = 'E' where id = 5; delete from things where id = 6");
    api.asked();
    const repaired = await runs.run({ mode: 'repair' });
    assert.deepEqual([repaired.status, repaired.first.proof?.result], ['succeeded', 'equal']);
    assert.deepEqual(api.asked().sort(), ['DELETE 6', 'PUT 5']);
    assert.deepEqual([...api.records.keys()].sort(), ['1', '2', '3', '4', '5']);
  });

  test('says "changing" of rows that are others whenever the source is read', async () => {
    const { source, runs } = await bench(THINGS);
    await runs.run();
    let turn = 0;
    const ports = {
      open: async (end: 'source' | 'target') => {
        const session = await runs.open(end);
        if (end === 'target') return session;
        return {
          ...session,
          read: (request: Parameters<typeof session.read>[0]) => {
            source.exec(`update things set v = 'turn ${++turn}' where id = 2`);
            return session.read(request);
          },
        };
      },
    };
    const proof = await verified(runs, { ports });
    assert.deepEqual([proof.result, proof.changing], ['changing', 1]);
    assert.ok(turn > 1, 'it was looked at again');
  });
});
