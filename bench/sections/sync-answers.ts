import type { SyncSection } from '../support/bench.ts';
import { WITH_EXPRESSION } from '../support/mappings.ts';
import { canKeepApart, canPrecede, keepApart, precede } from '../support/processors.ts';
import { temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, psql, psqlPipe } from '../support/psql.ts';
import { type Pass, timeTool } from '../support/rates.ts';
import { compare, measure, type Target } from '../support/report.ts';
import { ORDERS, postOrders } from '../support/shop.ts';
import { inTurns, mapPair, percentile } from '../support/statistics.ts';
import { sendSteadily } from '../support/steady.ts';
import { createPostgresSource, createSync, runSync } from '../support/synchronizations.ts';
import { fillCatalogue, startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

const SECONDS = 8;
const PER_SECOND = 200;
// Milliseconds from one question how a run is doing to the next: they are requests, too.
const SELDOM = 200;

/** Makes a copy in a table of this name, which does not exist yet. */
type Copy = (table: string) => Promise<Pass>;

/** How long orders and lists take to be answered while a run copies at full speed, against when nothing runs. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { server, source, target } = await twoDatabases(rows);
  const syncline = await startSyncline(temporaryFolder());
  await fillCatalogue(syncline);
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const get = { method: 'GET' as const, path: `${ORDERS}?limit=50`, headers: { authorization: `Bearer ${syncline.key}` } };
  const requests = postOrders(syncline.key).flatMap((post) => [post, get]);
  const send = (): Promise<number[]> => sendSteadily({ url: syncline.url, requests, perSecond: PER_SECOND, seconds: SECONDS });

  const run =
    (fields?: object[]): Copy =>
    async (table) => {
      const streams = [{ source: 'public.rows', target: `public.${table}`, mode: 'mirror', ...(fields && { fields }) }];
      return runSync(syncline, await createSync(syncline, { source_id, target_id, streams }), 'run', SELDOM);
    };
  const pipe: Copy = (table) => {
    psql(target, `create table ${table} (${MIXED_COLUMNS})`);
    return timeTool(psqlPipe(source, 'copy rows to stdout', target, `copy ${table} from stdin`));
  };

  const against = async (what: string, copy: Copy, wanted: Target = {}): Promise<void> => {
    const speeds: number[] = [];
    const whileCopying = async (): Promise<number[]> => {
      const { result, copies } = await besideCopies(copy, send);
      speeds.push(rows / Math.min(...copies.map(({ seconds }) => seconds)));
      // Not while anything is measured: no run does it.
      psql(target, ...copies.map((_, index) => `drop table copy_${index}`), 'checkpoint');
      return result;
    };
    const times = await inTurns(rounds, whileCopying, send);
    const name = `GET and POST /orders, ${PER_SECOND} a second, while ${what}, against idle`;
    for (const share of [50, 99]) {
      const shares = mapPair(times, (some) => percentile(some, share));
      compare(`${name}: p${share}`, 'ms', shares, share === 99 ? wanted : {});
    }
    measure(`${name}: the copy meanwhile`, 'rows/s', speeds);
  };

  await run()('warm_up');
  await send();
  await against('a run copies', run(), { atMost: 3 });
  await against('psql copies', pipe);
  if (canPrecede) {
    precede(syncline.pid);
    await against('a run copies, the service with precedence', run(), { atMost: 3 });
    precede(syncline.pid, 0);
  } else {
    console.log('  Left out: the service with precedence, which takes root, on Linux.');
    console.log('  What sends the requests has none either: times under load include its own waiting for a processor.');
  }
  if (canKeepApart) {
    await keepApart(syncline.pid, server, async () => {
      await against('a run copies, the databases on other processors', run(), { atMost: 3 });
      await against('a run copies with an expression, the databases on other processors', run(WITH_EXPRESSION), { atMost: 3 });
    });
  } else console.log('  Left out: the databases on other processors, which takes two of them, and Linux.');
};

/** Does something while copy after copy is made. */
async function besideCopies<Result>(copy: Copy, work: () => Promise<Result>): Promise<{ result: Result; copies: Pass[] }> {
  const enough = new AbortController();
  const keepCopying = async (): Promise<Pass[]> => {
    const copies: Pass[] = [];
    while (!enough.signal.aborted) copies.push(await copy(`copy_${copies.length}`));
    return copies;
  };
  const working = work().finally(() => enough.abort());
  const [result, copies] = await Promise.all([working, keepCopying()]);
  return { result, copies };
}
