import type { SyncSection } from '../support/bench.ts';
import { startContender, temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, psql, psqlPipe } from '../support/psql.ts';
import { timeTool } from '../support/rates.ts';
import { compare } from '../support/report.ts';
import { ORDERS, postOrders } from '../support/shop.ts';
import { inTurns, mapPair, percentile } from '../support/statistics.ts';
import { sendSteadily } from '../support/steady.ts';
import { createPostgresSource, createSync, runSync } from '../support/synchronizations.ts';
import { fillCatalogue, startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

const SECONDS = 8;
const PER_SECOND = 200;

/** How long orders and lists take to be answered while a run copies at full speed, against when nothing runs. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { source, target } = await twoDatabases(rows);
  const syncline = await startSyncline(temporaryFolder());
  await fillCatalogue(syncline);
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const posts = postOrders(syncline.key);
  const get = { method: 'GET' as const, path: `${ORDERS}?limit=50`, headers: { authorization: `Bearer ${syncline.key}` } };
  const plan = { url: syncline.url, requests: posts.flatMap((post) => [post, get]), perSecond: PER_SECOND, seconds: SECONDS };
  const copyAll = async (): Promise<void> => {
    psql(target, 'drop table if exists ours');
    const streams = [{ source: 'public.rows', target: 'public.ours', mode: 'mirror' }];
    await runSync(syncline, await createSync(syncline, { source_id, target_id, streams }));
  };
  await copyAll();
  await sendSteadily(plan);

  const passes = await inTurns(
    rounds,
    () => whileCopying(copyAll, () => sendSteadily(plan)),
    () => sendSteadily(plan),
  );
  for (const share of [50, 99]) {
    compare(
      `GET and POST /orders, ${PER_SECOND} a second, while a run copies, against idle: p${share}`,
      'ms',
      mapPair(passes, (times) => percentile(times, share)),
      share === 99 ? { atMost: 3 } : {},
    );
  }

  const server = await startContender(new URL('../contenders/bare-server.ts', import.meta.url));
  const bare = { ...plan, url: server.url, requests: [{ method: 'GET' as const, path: '/', headers: {} }] };
  const copyByPsql = async (): Promise<void> => {
    psql(target, 'drop table if exists theirs', `create table theirs (${MIXED_COLUMNS})`);
    await timeTool(psqlPipe(source, 'copy rows to stdout', target, 'copy theirs from stdin'));
  };
  const bareTimes = await inTurns(
    rounds,
    () => whileCopying(copyByPsql, () => sendSteadily(bare)),
    () => sendSteadily(bare),
  );
  await server.stop();
  // What the machine does to whoever answers meanwhile, whoever copies.
  compare(
    'A server that does nothing, while psql copies, against idle: p99',
    'ms',
    mapPair(bareTimes, (times) => percentile(times, 99)),
  );
};

/** Does something while copy after copy is made. */
async function whileCopying<Result>(copy: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
  const enough = new AbortController();
  const copying = (async () => {
    while (!enough.signal.aborted) await copy();
  })();
  try {
    return await work();
  } finally {
    enough.abort();
    await copying;
  }
}
