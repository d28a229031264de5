import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { createLog } from '../../src/lib/log.ts';
import { Cluster } from '../support/cluster.ts';
import { type Place, preparedPlace } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { checkWhole } from '../support/whole-shop.ts';
import { isWhole } from '../support/whole.ts';
import { pick, type Random, withSeed } from './random.ts';
import { Buyers, stockUp } from './sell-out.ts';

// A thousand units and ten thousand customers: `npm test` has a few hundred of them.
const UNITS = isWhole ? 1000 : 40;
const ORDERS = 10 * UNITS;
const KILLS = isWhole ? 10 : 1;

/** Kills what answers, again and again, while customers are being told. */
async function amongKills(buyers: Buyers, kill: () => Promise<void>): Promise<void> {
  const buying = buyers.run();
  for (let n = 1; n <= KILLS; n++) {
    await Promise.race([buyers.answered(Math.floor((ORDERS * n) / (KILLS + 1))), buying]);
    await kill();
  }
  await buying;
}

/** Exactly what there was is sold, nothing is doubled, and the ledger sums up. */
async function checkSold(place: Place, { sold, refused, looks }: Buyers): Promise<void> {
  assert.ok(looks > 0, 'the stock was looked at meanwhile');
  assert.equal(new Set(sold.values()).size, UNITS, 'units sold');
  assert.equal(sold.size + refused.size, ORDERS, 'every customer was told, and told one thing');
  const db = await openDatabase({ ...place, poolSize: 2 }, createLog('silent'));
  try {
    await checkWhole(db.read);
    const orders = await db.read.all<{ id: string; customer_id: string }>(sql`select id, customer_id from orders`);
    assert.deepEqual(new Map(orders.map(({ id, customer_id }) => [customer_id, id])), sold, 'the orders that were told');
    assert.equal(orders.length, UNITS);
    const stock = await db.read.all(sql`select on_hand, reserved from stock where product_id = 'scarce'`);
    assert.deepEqual(stock, [{ on_hand: UNITS, reserved: UNITS }]);
    const holds = await db.read.all<{ n: number }>(sql`select count(*) as n from stock_holds where product_id = 'scarce' and held = 1`);
    assert.equal(holds[0]?.n, UNITS, 'each sale holds one');
  } finally {
    await db.close();
  }
}

const told = (random: Random, started: number, { unanswered }: Buyers): string =>
  `${ORDERS} orders, ${UNITS} sold, ${unanswered} asked again, ${Math.round((performance.now() - started) / 1000)} s (${random().toFixed(3)})`;

test(`${ORDERS} orders at once for ${UNITS} units from three nodes that are killed ${KILLS} times: all are sold, and no more (postgres)`, (context) =>
  withSeed(async (random) => {
    const place = await preparedPlace('postgres');
    const cluster = new Cluster(place);
    try {
      await cluster.startMany(3);
      await stockUp(cluster.url, cluster.adminKey, UNITS, ORDERS);
      const url = async (): Promise<string> => pick(random, cluster.present).url;
      const buyers = new Buyers({ url, adminKey: () => cluster.adminKey, orders: ORDERS, random });
      const started = performance.now();
      await amongKills(buyers, async () => {
        await cluster.kill(pick(random, cluster.nodes));
        // The last two sell the rest.
        if (isWhole) await cluster.start();
      });
      context.diagnostic(told(random, started, buyers));
      await cluster.killAll();
      await checkSold(place, buyers);
    } finally {
      await cluster.killAll();
      await place.remove();
    }
  }));

test(
  `${ORDERS} orders at once for ${UNITS} units from a service that is killed ${KILLS} times: all are sold, and no more (sqlite)`,
  { skip: !isWhole && 'npm run test:whole has it' },
  (context) =>
    withSeed(async (random) => {
      const place = await preparedPlace('sqlite');
      let service = await startProcess(place);
      let there: Promise<unknown> = Promise.resolve();
      const url = async (): Promise<string> => {
        await there;
        return service.url;
      };
      try {
        await stockUp(service.url, service.adminKey, UNITS, ORDERS);
        const buyers = new Buyers({ url, adminKey: () => service.adminKey, orders: ORDERS, random });
        const started = performance.now();
        await amongKills(buyers, async () => {
          const restarted = service.kill().then(async () => {
            service = await startProcess(place);
          });
          there = restarted;
          await restarted;
        });
        context.diagnostic(told(random, started, buyers));
        await service.stop();
        await checkSold(place, buyers);
      } finally {
        await service.kill();
        await place.remove();
      }
    }),
);
