import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { checkBooks } from '../crash/books.ts';
import { type Random, withSeed } from '../crash/random.ts';
import { ShopDriver } from '../crash/shop-driver.ts';
import { checkSyncBooks, postgresTables } from '../crash/sync-books.ts';
import { SyncDriver } from '../crash/sync-driver.ts';
import { Workload, type WorkMode } from '../crash/sync-workload.ts';
import { Cluster, type Node } from '../support/cluster.ts';
import { createPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { isLarge } from './sizes.ts';
import { callWitnesses, type Testimony, type Witnesses } from './witnesses.ts';

const MODES: readonly WorkMode[] = ['mirror', 'incremental', 'append'];
const NODES = 3;
/** The machine has other things to do than to take orders. */
const ORDERS_AT_ONCE = 6;
/** In milliseconds, after each order and each run. In `npm test`, others need the processors too. */
const REST = isLarge ? 0 : 50;
const LONGEST_PAUSE = 250;
/** A node that is asleep does not say so. */
const PATIENCE = 3_000;

/** What can be done to a cluster that is at work. */
export interface Bustle {
  readonly cluster: Cluster;
  readonly witnesses: Witnesses;
  readonly random: Random;
}

export interface BustleOptions {
  /** Settings of all nodes. */
  environment?: Record<string, string>;
  /** How the nodes are started; three alike unless said otherwise. */
  start?: (cluster: Cluster) => Promise<void>;
  /** The server of Syncline's own database. The server of the tests unless said otherwise. */
  server?: string;
}

export interface Outcome extends Testimony {
  orders: number;
  runs: number;
}

/**
 * Three nodes that take orders and work on a mirror, an incremental and an appending synchronization while people change the source,
 * and something happens to them. In the end every order that was acknowledged is there once, the target is the source, the counts are
 * true, and the witnesses have seen no run in two hands.
 */
export function whileBusy(options: BustleOptions, happens: (bustle: Bustle) => Promise<void>): Promise<Outcome> {
  return withSeed(async (random) => {
    const place = await createPlace('postgres', options.server);
    const source = await newDatabase();
    const target = await newDatabase();
    const cluster = new Cluster(place, { SYNCLINE_MAX_RUNS: '2', LOG_LEVEL: 'warn', ...options.environment });
    const workload = Object.assign(new Workload(random, source.url), { longestPause: LONGEST_PAUSE });
    const syncs = new SyncDriver(random);
    const shop = Object.assign(new ShopDriver(random), { patience: PATIENCE, inFlight: ORDERS_AT_ONCE, rest: REST });
    const enough = new AbortController();
    let witnesses: Witnesses | undefined;
    try {
      await workload.prepare();
      await (options.start?.(cluster) ?? cluster.startMany(NODES));
      const ends = [source, target].map(({ config }) => ({ type: 'postgres', config })) as [
        { type: string; config: object },
        { type: string; config: object },
      ];
      await syncs.create(cluster, ...ends, (table) => `public.${table}`, MODES);
      await syncs.finish(cluster);
      witnesses = await callWitnesses(place.databaseUrl ?? '', target.url);
      Object.assign(syncs, { cancelled: 0.05, patience: PATIENCE, rest: REST });
      workload.start();
      const again = async (work: () => Promise<void>): Promise<void> => {
        while (!enough.signal.aborted) {
          await work();
          // Nobody answers at this moment.
          await pause(100);
        }
      };
      const busy = Promise.all([again(() => syncs.run(cluster, enough.signal)), again(() => shop.run(cluster, enough.signal))]);
      await Promise.race([happens({ cluster, witnesses, random }), busy.then(() => assert.fail('nobody works any more'))]);
      enough.abort();
      await busy;
      await workload.stop();
      await syncs.finish(cluster);
      await shop.finish(cluster);
      const testimony = await witnesses.testify();
      await checkSyncBooks(cluster, syncs, workload, {
        source: postgresTables(source.url),
        target: postgresTables(target.url),
        modes: MODES,
      });
      const [last, ...others] = cluster.nodes as [Node, ...Node[]];
      await Promise.all(others.map(async (node) => assert.deepEqual(await cluster.stop(node), { code: 0, signal: null }, node.logs())));
      await checkBooks(last, place, shop);
      return { ...testimony, orders: shop.answers, runs: syncs.ended };
    } finally {
      enough.abort();
      await workload.stop();
      await cluster.killAll();
      await witnesses?.close();
      await source.close();
      await target.close();
      await place.remove();
    }
  });
}
