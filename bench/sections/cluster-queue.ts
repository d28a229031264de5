import type { ClusterSection } from '../support/bench.ts';
import { coresUsed, prepareGround, untilAnswer } from '../support/nodes.ts';
import { residentMegabytes } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { measure } from '../support/report.ts';
import { createPostgresSource, createSync } from '../support/synchronizations.ts';
import type { Syncline } from '../support/syncline.ts';

const WORKERS = 3;
const SIDE_BY_SIDE = 8;
const PATIENCE = 15 * 60_000;
// The limit of runs for each source is there to spare a system of somebody else's; this one is ours.
const NO_LIMIT = { SYNCLINE_RUNS_PER_SOURCE: '1000' };

/** Many runs wait, each of a synchronization of its own that appends one row; three workers come and do them. */
export const section: ClusterSection = async ({ runs }) => {
  const ground = await prepareGround();
  psql(ground.source, 'create table one (id bigint primary key)', 'insert into one values (1)');
  psql(ground.target, 'create table log (id bigint)');
  const api = await ground.start('api');
  const [source_id, target_id] = [await createPostgresSource(api, ground.source), await createPostgresSource(api, ground.target)];
  const streams = [{ source: 'public.one', target: 'public.log', mode: 'append', cursor: 'id' }];
  const template = await createSync(api, { source_id, target_id, streams });
  copySync(ground.own, template, runs);
  const ids = psql(ground.own, `select string_agg(id, ' ') from syncs where id <> '${template}'`).split(' ');
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => enqueueAll(api, ids)));
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => ground.start('worker', NO_LIMIT)));
  const finished = `select count(*) from runs where finished_at is not null`;
  const { cores } = await coresUsed(() => untilAnswer(ground.own, finished, String(runs), PATIENCE));
  const seconds = Number(
    psql(ground.own, 'select extract(epoch from max(finished_at)::timestamptz - min(started_at)::timestamptz) from runs'),
  );
  const once = psql(ground.own, `select count(*) from runs where status = 'succeeded' and attempt = 1 and inserted = 1`);
  const written = psql(ground.target, 'select count(*) from log');
  if (once !== String(runs) || written !== String(runs))
    throw new Error(`Of ${runs} runs ${once} succeeded at once, and the target has ${written} rows: not each run exactly once.`);
  measure(`${runs.toLocaleString('en-US')} queued runs, ${WORKERS} workers: each exactly once`, 'runs/s', [runs / seconds], {
    atLeast: 100,
  });
  measure('Cores of the machine at work meanwhile, PostgreSQL included', 'cores', [cores]);
  measure(
    'Memory of a worker at the end',
    'MB',
    workers.map(({ pid }) => residentMegabytes(pid) ?? Number.NaN),
  );
};

async function enqueueAll(api: Syncline, ids: string[]): Promise<void> {
  for (let id = ids.pop(); id; id = ids.pop()) await api.post(`/api/v1/datasync/sync/${id}/runs`, '{}');
}

/** Each takes a look at both databases when it is made over the API, which is not what is measured here. */
function copySync(own: string, template: string, copies: number): void {
  const columns = psql(
    own,
    `select string_agg(quote_ident(column_name), ', ') from information_schema.columns where table_name = 'syncs' and column_name <> 'id'`,
  );
  psql(
    own,
    `insert into syncs (id, ${columns}) select 'syn_' || lpad(n::text, 26, '0'), ${columns} from syncs, generate_series(1, ${copies}) n
      where id = '${template}'`,
    'vacuum analyze syncs',
  );
}
