import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { countChanges, runStatement } from '../../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { idAt } from '../../lib/ids.ts';
import { ANY_STATUS } from './counts.ts';
import { listOrders, type OrderFilter } from './queries.ts';
import { ORDER_STATUSES, type OrderStatus } from './rules.ts';

// When a property fails, fast-check tells the seed, the number that its random choices come from; with `{ seed }` it makes
// the same choices again.

// Looking for the smallest example of a failure takes time; more than this is not worth it. A busy machine takes a minute when nothing fails.
const LIMIT = { interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true };

const SIZE = 4;
const START = Date.UTC(2026, 10, 1);

/** What happens in one transaction: orders made at these moments, and orders (by their place) that change their status. */
interface Batch {
  made: { at: number; status: OrderStatus }[];
  moves: { which: number; to: OrderStatus }[];
  /** Whether it is the end of its transaction, which sees to no block that is full. */
  atOnce?: boolean;
}

interface Order {
  id: string;
  status: OrderStatus;
}

const status = fc.constantFrom(...ORDER_STATUSES.slice(0, 3));
const batch: fc.Arbitrary<Batch> = fc.record({
  // Mostly later than what there is, as orders are; some long before, as an import is.
  made: fc.array(fc.record({ at: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 500, max: 1000 }) }, fc.nat(1000)), status }), {
    maxLength: 12,
  }),
  moves: fc.array(fc.record({ which: fc.nat(1000), to: status }), { maxLength: 6 }),
  atOnce: fc.boolean(),
});

onBothEngines('blocks of orders', (engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  async function empty(): Promise<void> {
    await db.write(runStatement, 'delete from orders');
    await db.write(runStatement, `delete from order_blocks where start <> '' or status <> '${ANY_STATUS}'`);
    await db.write(runStatement, 'update order_blocks set n = 0');
  }

  /** Does what the batch says, and answers the orders as they are then. */
  async function apply(orders: readonly Order[], { made, moves, atOnce = false }: Batch, drift: number): Promise<Order[]> {
    const added = made.map(({ at, status: of }) => ({ id: idAt('ord', START + at + drift), status: of }));
    const now = new Map([...orders, ...added].map((order) => [order.id, order.status]));
    const changes = moves.flatMap(({ which, to }) => {
      const order = orders[which % orders.length];
      const from = order && now.get(order.id);
      if (!order || !from || from === to) return [];
      now.set(order.id, to);
      return [{ id: order.id, from, to }];
    });
    if (added.length + changes.length > 0) await db.write(countChanges, { orders: added, moves: changes, size: SIZE, atOnce });
    return [...now].map(([id, of]) => ({ id, status: of }));
  }

  async function checkBlocks(orders: readonly Order[]): Promise<number> {
    const blocks = await db.read.all<{ start: string; status: string; n: number }>(sql`select start, status, n from order_blocks`);
    const starts = [...new Set(blocks.map((block) => block.start))].sort();
    const n = new Map(blocks.map((block) => [`${block.start} ${block.status}`, block.n]));
    starts.forEach((start, place) => {
      const end = starts[place + 1] ?? '~';
      const within = orders.filter(({ id }) => id >= start && id < end);
      for (const of of ORDER_STATUSES) {
        assert.equal(n.get(`${start} ${of}`) ?? 0, within.filter((order) => order.status === of).length, `${of} from ${start} to ${end}`);
      }
      assert.equal(n.get(`${start} ${ANY_STATUS}`), within.length, `all from ${start} to ${end}`);
    });
    assert.equal(starts[0], '');
    return starts.length;
  }

  test('count exactly what is in them, whatever is made and moved', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (batches) => {
        await empty();
        let orders: Order[] = [];
        for (const [place, one] of batches.entries()) {
          orders = await apply(orders, one, place * 300);
          await checkBlocks(orders);
        }
      }),
      { numRuns: engine === 'sqlite' ? 60 : 30, ...LIMIT },
    );
  });

  test('tell the total and the page of any filter at any offset', async () => {
    await empty();
    let orders: Order[] = [];
    // Enough that an offset is deep; the moments are spread so that blocks in the middle are cut too.
    for (let round = 0; round < 110; round++) {
      const made = Array.from({ length: 20 }, (_, n) => ({
        at: ((n * 7919 + round * 104_729) % 1000) * (n % 3 ? 1 : 5),
        status: ORDER_STATUSES[(n * n + round) % 4] as OrderStatus,
      }));
      const moves = Array.from({ length: 4 }, (_, n) => ({ which: n * 31 + round, to: ORDER_STATUSES[(n + round) % 5] as OrderStatus }));
      orders = await apply(orders, { made, moves }, round * 15);
    }
    const blocks = await checkBlocks(orders);
    assert.ok(blocks > 100, `${blocks} blocks`);
    const newestFirst = orders.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const ids = newestFirst.map((order) => order.id);
    const bound = fc.option(
      fc.oneof(
        fc.constantFrom(...ids),
        fc.nat(7000).map((at) => idAt('ord', START + at)),
      ),
      { nil: undefined },
    );
    const filter = fc.record({
      status: fc.option(fc.constantFrom(...ORDER_STATUSES), { nil: undefined }),
      from_id: bound,
      before_id: bound,
    });
    const offset = fc.oneof(fc.nat(2_500), fc.integer({ min: 990, max: 1_010 }));
    await fc.assert(
      fc.asyncProperty(filter, offset, fc.integer({ min: 1, max: 60 }), async (given: OrderFilter, skip, limit) => {
        const matching = newestFirst.filter(
          ({ id, status: of }) =>
            (given.status === undefined || of === given.status) &&
            (given.from_id === undefined || id >= given.from_id) &&
            (given.before_id === undefined || id < given.before_id),
        );
        const page = await db.query(listOrders, { filter: given, limit, offset: skip, expand: 'none' });
        const expected = matching.slice(skip, skip + limit);
        assert.deepEqual(
          (JSON.parse(`[${page.orders}]`) as Order[]).map((order) => order.id),
          expected.map((order) => order.id),
        );
        assert.equal(page.total, matching.length);
        assert.equal(page.next, skip + limit < matching.length ? expected.at(-1)?.id : undefined);
      }),
      {
        numRuns: 400,
        ...LIMIT,
        examples: [
          [{ status: undefined, from_id: undefined, before_id: undefined }, 1_001, 50],
          [{ status: 'new', from_id: undefined, before_id: undefined }, 0, 50],
        ],
      },
    );
  });
});
