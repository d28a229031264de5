import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveSection } from '../support/bench.ts';
import { liveGround, untilLive } from '../support/live.ts';
import { residentMegabytes } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { limit, measure } from '../support/report.ts';
import { createPostgresSource, createSync } from '../support/synchronizations.ts';

const MANY = 100;
const SECONDS = 30;
const SETTLE = 15_000;

/** What 100 live synchronizations cost when nothing happens. */
export const section: LiveSection = async () => {
  const { source, ours, syncline } = await liveGround();
  for (let n = 0; n < MANY; n++) psql(source, `create table t${n} (id bigint primary key, v text)`, `insert into t${n} values (1, 'a')`);
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, ours)];
  const syncs: string[] = [];
  for (let n = 0; n < MANY; n++)
    syncs.push(await createSync(syncline, { source_id, target_id, streams: [{ source: `t${n}`, target: `t${n}`, mode: 'cdc' }] }));
  for (const sync of syncs) await untilLive(syncline, sync);
  await sleep(SETTLE);
  const before = seconds(syncline.pid);
  await sleep(SECONDS * 1000);
  limit('100 idle live synchronizations: of one core', '%', [((seconds(syncline.pid) - before) * 100) / SECONDS], 2);
  measure('Memory of the service with them', 'MB', [residentMegabytes(syncline.pid) ?? Number.NaN]);
};

/** The time that a process has had on processors. */
function seconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
