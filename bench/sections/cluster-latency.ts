import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterSection } from '../support/bench.ts';
import { prepareGround } from '../support/nodes.ts';
import { psql } from '../support/psql.ts';
import { limit, measure } from '../support/report.ts';
import { percentile } from '../support/statistics.ts';
import { createPostgresSource, createSync, runSync } from '../support/synchronizations.ts';

const RUNS = 200;
const LONGEST_PAUSE = 150;

/** How long a run that is asked for at one node waits until another node begins it. */
export const section: ClusterSection = async () => {
  const ground = await prepareGround();
  psql(ground.source, 'create table one (id bigint primary key)', 'insert into one values (1)');
  const api = await ground.start('api');
  for (let workers = 0; workers < 2; workers++) await ground.start('worker');
  const [source_id, target_id] = [await createPostgresSource(api, ground.source), await createPostgresSource(api, ground.target)];
  const id = await createSync(api, { source_id, target_id, streams: [{ source: 'public.one', mode: 'mirror' }] });
  await runSync(api, id);
  const waits: number[] = [];
  const whole: number[] = [];
  for (let count = 0; count < RUNS; count++) {
    const { run, seconds } = await runSync(api, id);
    // Both by the database's clock.
    waits.push(Date.parse(run.started_at) - Date.parse(run.created_at));
    whole.push(seconds * 1000);
    await sleep(Math.random() * LONGEST_PAUSE);
  }
  limit(`From the queue of one node to the start at another, ${RUNS} runs one after the other, p95`, 'ms', [percentile(waits, 95)], 100);
  measure('The same, p50', 'ms', [percentile(waits, 50)]);
  measure('From the request to the end of a run of one row, as the asking node tells it, p50', 'ms', [percentile(whole, 50)]);
};
