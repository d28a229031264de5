import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { report } from '../../../../test/support/run-driver.ts';
import { newRun, type RunRow, withReports } from '../rows/run-row.ts';
import { ended } from './story.ts';

const AT = '2026-11-01T09:00:00.000Z';

function run(fields: Partial<RunRow>, reports: Parameters<typeof withReports>[1] = []): RunRow {
  const base = newRun(
    { id: 'run_1', sync_id: 'syn_1', status: 'succeeded', trigger: 'manual', mode: 'run', created_at: AT, not_before: AT, shop: '' },
    [],
  );
  return withReports({ ...base, ...fields }, reports);
}

describe('how a run ended, as the log tells it', () => {
  test('a run tells what it has done', () => {
    const { level, message } = ended(run({}, [report('a', 'succeeded', { read: 20, inserted: 3, unchanged: 17 })]));
    assert.deepEqual([level, message], ['info', 'The run succeeded: 20 rows read, 3 inserted.']);
    const small = ended(run({}, [report('a', 'succeeded', { read: 1, inserted: 1 })]));
    assert.equal(small.message, 'The run succeeded: 1 row read, 1 inserted.');
  });

  test('a live run tells why it ended', () => {
    const read = [report('a', 'succeeded', { read: 2, updated: 2 })];
    const rolled = ended(run({ live: 1, rolled: 1 }, read));
    assert.equal(rolled.message, 'The live run was closed after its time, and the next one goes on: 2 rows read, 2 updated.');
    assert.equal(ended(run({ live: 1 }, read)).message, 'The live run has ended at a checkpoint: 2 rows read, 2 updated.');
    const aside = ended({ ...run({ live: 1, status: 'queued' }), stoodAside: true });
    assert.equal(aside.message, 'The live run has reached a checkpoint, and begins anew from there.');
  });

  test('a preview tells that it was one, and what a run would do', () => {
    const changes = (inserted: number, deleted: number) => ({ inserted, updated: 0, deleted, unchanged: 10 });
    const found = [
      report('a', 'succeeded', { read: 12, changes: changes(2, 0) }),
      report('b', 'partial', { read: 11, rejected: 1, changes: changes(1, 4) }),
    ];
    const { level, message, data } = ended(run({ mode: 'preview', status: 'partial' }, found));
    assert.equal(level, 'info');
    assert.equal(message, 'The preview is done, and nothing was written: 23 rows read; a run would insert 3, delete 4, reject 1.');
    assert.partialDeepStrictEqual(data, { changes: { inserted: 3, updated: 0, deleted: 4, unchanged: 20 } });
    const equal = ended(run({ mode: 'preview' }, [report('a', 'succeeded', { read: 10, changes: changes(0, 0) })]));
    assert.equal(equal.message, 'The preview is done, and nothing was written: 10 rows read; a run would change nothing.');
    assert.match(ended(run({ mode: 'preview', status: 'failed' })).message, /^The preview failed\./);
  });

  test('a failed run tells when its synchronization was paused because of it', () => {
    const error = JSON.stringify({ kind: 'auth', code: 'X', message: 'The password is wrong.', hint: 'Change it.' });
    const { level, message, data } = ended({ ...run({ status: 'failed', error }), paused: 'Paused after 10 failed runs in a row.' });
    assert.equal(level, 'error');
    assert.equal(message, 'The run failed. The password is wrong. Change it. Paused after 10 failed runs in a row.');
    assert.partialDeepStrictEqual(data, { paused: true });
  });
});
