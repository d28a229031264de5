import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ownMysqlWords } from '../support/mysql-server.ts';
import { until } from '../support/until.ts';
import { disturb, type GapBench, paused, resume, startGapBench } from './gap-bench.ts';

const WORDS = ownMysqlWords();

let bench: GapBench;
before(async () => {
  bench = await startGapBench({ source: 'mysql', target: 'postgres' });
});
after(() => bench.close());

/** Takes away what was logged before. */
const purge = async (): Promise<void> => {
  // A file that somebody still reads stays: the server learns that he is gone when it has something to send.
  await until('the log to be gone', async () => {
    await bench.from.run('flush binary logs');
    const files = await bench.from.rows('show binary logs');
    await bench.from.run(`purge binary logs to '${files.at(-1)?.[0]}'`);
    return (await bench.from.rows('show binary logs')).length === 1;
  });
};

test('a log that was purged while nobody followed is named, and loaded anew', async () => {
  const sync = await bench.live(['purge_a', 'purge_b']);
  await paused(bench, sync);
  await disturb(bench, sync.tables);
  await purge();
  await resume(bench, sync);
  assert.deepEqual(await bench.named(sync, /binary log/), ['purge_a', 'purge_b']);
  await bench.healed(sync);
});

test('a log that was begun anew while nobody followed is named, and loaded anew', async () => {
  const sync = await bench.live(['reset_a']);
  await paused(bench, sync);
  await disturb(bench, sync.tables);
  await bench.from.run(WORDS.resetLog);
  await resume(bench, sync);
  assert.deepEqual(await bench.named(sync, /log/), ['reset_a']);
  await bench.healed(sync);
});

test('a log that is begun anew while it is followed is named, and loaded anew', async () => {
  const sync = await bench.live(['live_a']);
  await bench.from.run(WORDS.resetLog);
  await disturb(bench, sync.tables);
  assert.deepEqual(await bench.named(sync, /log/), ['live_a']);
  await bench.healed(sync);
});
