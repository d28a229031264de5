import { DatabaseSync } from 'node:sqlite';
import { sqliteFile } from '../../src/db/open.ts';
import { cursorOf } from '../../src/http/paging.ts';
import type { Bench, Section } from '../support/bench.ts';
import { drive } from '../support/load.ts';
import { startContender } from '../support/processes.ts';
import { compare, type Target } from '../support/report.ts';
import { seededFolder } from '../support/seed.ts';
import { getPages, ORDERS } from '../support/shop.ts';
import { inTurns, mapPair, pseudoRandom } from '../support/statistics.ts';
import { type Syncline, startSyncline } from '../support/syncline.ts';

const MANY = 1_000_000;
const FEW = 10_000;
const DEEP = 900_000;
const PAGES = 200;

/** GET /orders with a million orders stored. */
export const listOrdersSection: Section = async (bench) => {
  const [manyFolder, fewFolder] = [await seededFolder(MANY), await seededFolder(FEW)];
  const many = await startSyncline(manyFolder);
  const few = await startSyncline(fewFolder);
  const ceiling = await startContender(new URL('../contenders/ceiling.ts', import.meta.url));
  await verify(many, manyFolder, MANY, DEEP);
  await verify(few, fewFolder, FEW, FEW / 2);

  for (const query of ['limit=50', 'status=new&limit=50']) {
    const load = { requests: getPages(many.key, [query]), connections: 64 };
    for (const { url } of [many, ceiling]) await drive(url, load, bench.seconds);
    const results = await inTurns(
      bench.rounds,
      () => drive(many.url, load, bench.seconds),
      () => drive(ceiling.url, load, bench.seconds),
    );
    compare(
      `GET /orders?${query} of 1,000,000, 64 connections`,
      '/s',
      mapPair(results, ({ rate }) => rate),
      { atLeast: 0.6 },
    );
    compare(
      `GET /orders?${query} of 1,000,000, 64 connections, p99`,
      'ms',
      mapPair(results, ({ p99 }) => p99),
    );
  }

  const first = { server: many, queries: ['limit=50'] };
  const firstOfFew = { server: few, queries: ['limit=50'] };
  await compareLatency(bench, 'Latency of the first page: 1,000,000 against 10,000 stored', first, firstOfFew, { atMost: 1.15 });
  const deep = { server: many, queries: [`limit=50&offset=${DEEP}`] };
  await compareLatency(bench, 'Latency of offset=900000 against the first page', deep, first, { atMost: 20 });
  const anywhere = { server: many, queries: someCursors(manyFolder).map((cursor) => `limit=50&cursor=${cursor}`) };
  await compareLatency(bench, 'Latency of a cursor anywhere against the first page', anywhere, first, { atMost: 1.15 });

  for (const server of [many, few, ceiling]) await server.stop();
};

interface Pages {
  server: Syncline;
  queries: string[];
}

/** One request after the other on one connection; the figure is the mean of a round, in short rounds. */
async function compareLatency({ rounds, seconds }: Bench, what: string, ours: Pages, reference: Pages, target: Target): Promise<void> {
  const latency = async ({ server, queries }: Pages): Promise<number> => {
    const { rate } = await drive(server.url, { requests: getPages(server.key, queries), connections: 1 }, Math.ceil(seconds / 4));
    return 1000 / rate;
  };
  await latency(ours);
  await latency(reference);
  const results = await inTurns(
    rounds * 2,
    () => latency(ours),
    () => latency(reference),
  );
  compare(what, 'ms', results, target);
}

/** What is measured is right: every total, and the page at a deep offset, are those that counting gives. */
async function verify(server: Syncline, folder: string, stored: number, offset: number): Promise<void> {
  const database = new DatabaseSync(sqliteFile(folder), { readOnly: true });
  const counts = database.prepare('select status, count(*) as n from orders group by status').all() as { status: string; n: number }[];
  const expected = [['', stored] as const, ...counts.map(({ status, n }) => [`&status=${status}`, n] as const)];
  for (const [filter, total] of expected) {
    for (const start of [0, offset]) {
      const page = JSON.parse(await server.get(`${ORDERS}?limit=1&offset=${start}${filter}`)) as { total: number };
      if (page.total !== total) throw new Error(`The total of ?offset=${start}${filter} is ${page.total}, but there are ${total}.`);
    }
  }
  const row = database.prepare('select id from orders order by id desc limit 1 offset ?').get(offset) as { id: string };
  database.close();
  const page = JSON.parse(await server.get(`${ORDERS}?limit=1&offset=${offset}`)) as { data: { id: string }[] };
  if (page.data[0]?.id !== row.id) throw new Error(`The page at offset ${offset} starts with ${page.data[0]?.id}, not ${row.id}.`);
}

/** Cursors at random places of the list. */
function someCursors(folder: string): string[] {
  const database = new DatabaseSync(sqliteFile(folder), { readOnly: true });
  const at = database.prepare('select id from orders order by id limit 1 offset ?');
  const random = pseudoRandom(3);
  const ids = Array.from({ length: PAGES }, () => (at.get(100 + Math.floor(random() * (MANY - 100))) as { id: string }).id);
  database.close();
  return ids.map(cursorOf);
}
