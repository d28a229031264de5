import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { preparedPlace, onBothEngines, type Place } from '../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../test/support/service.ts';
import { sampled } from '../../../test/support/whole.ts';
import { sql } from '../../db/sql.ts';
import { ORDER_STATUSES, type OrderStatus } from './rules.ts';
import { transitionOrders } from './transition.ts';
import { withOrders } from './told.ts';

// When a property fails, fast-check tells the seed, the number that its random choices come from; with `{ seed, path }` it
// makes the same choices again.

// Looking for the smallest example of a failure takes time; more than this is not worth it. A busy machine takes a minute when nothing fails.
const LIMIT = { interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true };

/** Where an order may go from each state: the product's word, not the code's. */
const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  new: ['processing', 'on_hold', 'cancelled'],
  on_hold: ['processing', 'cancelled'],
  processing: ['shipped', 'on_hold', 'cancelled'],
  shipped: ['delivered', 'returned'],
  delivered: ['returned'],
  cancelled: [],
  returned: [],
};

interface ModelOrder {
  id: string;
  history: { status: OrderStatus; reason: string | null }[];
}

/** What we believe: the orders, and the changes in the order in which they were made. */
interface Model {
  orders: ModelOrder[];
  changes: string[];
}

interface Change {
  object_id: string;
  type: string;
  version: number;
  data: string;
}

onBothEngines('transitions', (engine) => {
  let place: Place;
  let nodes: Service[];
  before(async () => {
    place = await preparedPlace(engine);
    // PostgreSQL may have several nodes; an SQLite file has one.
    nodes = [await startService(engine, { place })];
    if (engine === 'postgres') nodes.push(await startService(engine, { place }));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await place.remove();
  });

  const node = (n: number): Service => nodes[n % nodes.length] as Service;

  async function create(service = node(0)): Promise<string> {
    const made = await service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    assert.equal(made.status, 200, made.text);
    return made.body.data.id as string;
  }

  const move = (service: Service, id: string, body: object): Promise<Reply> => service.post(`/api/v1/orders/${id}/transitions`, body);

  async function totals(): Promise<Record<string, number>> {
    const counts = await Promise.all(
      ORDER_STATUSES.map(async (status) => [status, (await node(0).get(`/api/v1/orders?status=${status}`)).body.total]),
    );
    return Object.fromEntries(counts) as Record<string, number>;
  }

  async function changesAfter(seq: number): Promise<Change[]> {
    const rows = await node(0).app.db.read.all<Omit<Change, 'version'>>(sql`
      select object_id, type, data from events where topic = 'orders' and seq > ${seq} order by seq`);
    const whole = await withOrders(node(0).app.db.read, rows);
    return whole.map((row) => ({ ...row, version: (JSON.parse(row.data) as { version: number }).version }));
  }

  const lastChange = async (): Promise<number> =>
    (await node(0).app.db.read.all<{ seq: number }>(sql`select coalesce(max(seq), 0) as seq from events`))[0]?.seq ?? 0;

  test('follow the model: any orders, any moves, one after the other', async () => {
    class Create implements fc.AsyncCommand<Model, Service[]> {
      check = (): boolean => true;
      toString = (): string => 'create';
      async run(model: Model): Promise<void> {
        const id = await create();
        model.orders.push({ id, history: [{ status: 'new', reason: null }] });
        model.changes.push(`${id} 1 new`);
      }
    }

    class Move implements fc.AsyncCommand<Model, Service[]> {
      readonly which: number;
      readonly to: OrderStatus;
      /** What is added to the right version; null sends none. */
      readonly off: number | null;
      readonly reason: string | undefined;

      constructor(which: number, to: OrderStatus, off: number | null, reason: string | undefined) {
        this.which = which;
        this.to = to;
        this.off = off;
        this.reason = reason;
      }

      check = (model: Readonly<Model>): boolean => model.orders.length > 0;
      toString = (): string => `move ${this.which} to ${this.to}${this.off === null ? '' : ` at the version ${this.off} off`}`;

      async run(model: Model): Promise<void> {
        const order = model.orders[this.which % model.orders.length] as ModelOrder;
        const version = order.history.length;
        const from = statusOf(order);
        const expected = this.off === null ? {} : { expected_version: Math.max(1, version + this.off) };
        const reply = await move(node(this.which), order.id, {
          to: this.to,
          ...(this.reason !== undefined && { reason: this.reason }),
          ...expected,
        });
        if (this.to === from) {
          assert.equal(reply.status, 200, 'asking for the present state changes nothing and succeeds');
        } else if (expected.expected_version !== undefined && expected.expected_version !== version) {
          assert.deepEqual([reply.status, reply.body.error.code], [409, 'VERSION_CONFLICT']);
          assert.match(reply.body.error.details.reason, new RegExp(`version ${version}$`));
        } else if (NEXT[from].includes(this.to)) {
          assert.equal(reply.status, 200, reply.text);
          order.history.push({ status: this.to, reason: this.reason ?? null });
          model.changes.push(`${order.id} ${version + 1} ${this.to}`);
        } else {
          assert.deepEqual([reply.status, reply.body.error.code], [409, 'INVALID_TRANSITION']);
          for (const allowed of NEXT[from]) assert.ok(reply.body.error.details.reason.includes(allowed), reply.text);
        }
        if (reply.status === 200) check(reply, order);
      }
    }

    class Read implements fc.AsyncCommand<Model, Service[]> {
      readonly which: number;

      constructor(which: number) {
        this.which = which;
      }

      check = (model: Readonly<Model>): boolean => model.orders.length > 0;
      toString = (): string => `read ${this.which}`;
      async run(model: Model): Promise<void> {
        const order = model.orders[this.which % model.orders.length] as ModelOrder;
        check(await node(this.which + 1).get(`/api/v1/orders/${order.id}`), order);
      }
    }

    function check(reply: Reply, order: ModelOrder): void {
      const { data } = reply.body;
      const history = data.history.map(({ status, reason }: ModelOrder['history'][number]) => ({ status, reason }));
      assert.deepEqual([data.id, data.status, data.version, history], [order.id, statusOf(order), order.history.length, order.history]);
      const times = data.history.map((entry: { at: string }) => entry.at);
      assert.deepEqual(times, times.toSorted());
      assert.deepEqual([data.created_at, data.updated_at], [times[0], times.at(-1)]);
    }

    const status = fc.constantFrom(...ORDER_STATUSES);
    const reason = fc.option(
      fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
      { nil: undefined },
    );
    const commands = [
      fc.constant(new Create()),
      ...[null, null, 0, -1, 1].map((off) => fc.tuple(fc.nat(9), status, reason).map(([which, to, why]) => new Move(which, to, off, why))),
      fc.nat(9).map((which) => new Read(which)),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (run) => {
        const [before, seq] = [await totals(), await lastChange()];
        const model: Model = { orders: [], changes: [] };
        await fc.asyncModelRun(() => ({ model, real: nodes }), run);
        const expected = { ...before };
        for (const order of model.orders) expected[statusOf(order)] = (expected[statusOf(order)] ?? 0) + 1;
        assert.deepEqual(await totals(), expected);
        const told = (await changesAfter(seq)).map(
          ({ object_id, version, data }) => `${object_id} ${version} ${(JSON.parse(data) as { status: string }).status}`,
        );
        assert.deepEqual(told, model.changes);
      }),
      { numRuns: sampled(10, 25), ...LIMIT },
    );
  });

  test('that come at once leave a line of legal moves: no lost update, no illegal state, nothing untold', async () => {
    const request = fc.record({
      which: fc.nat(2),
      to: fc.constantFrom(...ORDER_STATUSES),
      expected_version: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 40, size: 'max' }), async (requests) => {
        const ids = [await create(), await create(), await create()];
        const [before, seq] = [await totals(), await lastChange()];
        // The reason says which request made a move.
        const answers = await Promise.all(
          requests.map(async ({ which, ...body }, n) => ({
            ...body,
            id: ids[which] as string,
            reason: `r${n}`,
            reply: await move(node(n), ids[which] as string, { ...body, reason: `r${n}` }),
          })),
        );
        const changes = Map.groupBy(await changesAfter(seq), (change) => change.object_id);
        const expected = { ...before };
        for (const id of ids) {
          const { data } = (await node(1).get(`/api/v1/orders/${id}`)).body;
          const history = data.history as { status: OrderStatus; reason: string | null }[];
          history.slice(1).forEach((entry, place) => {
            assert.ok(NEXT[history[place]?.status as OrderStatus].includes(entry.status), `${history[place]?.status} → ${entry.status}`);
          });
          assert.deepEqual([data.status, data.version], [history.at(-1)?.status, history.length]);
          const told = changes.get(id) ?? [];
          assert.deepEqual(
            told.map(({ type, version }) => `${type} ${version}`),
            history.slice(1).map((_, place) => `order.status_changed ${place + 2}`),
          );
          const own = answers.filter((answer) => answer.id === id);
          const moved = own.filter(({ reply, reason }) => reply.status === 200 && reply.body.data.history.at(-1).reason === reason);
          // Every move in the history is one request's, and every request that was told of a move is in the history.
          assert.deepEqual(
            moved.map(({ reason, to }) => `${reason} ${to}`).sort(),
            history
              .slice(1)
              .map(({ reason, status }) => `${reason} ${status}`)
              .sort(),
          );
          for (const { reply, expected_version } of moved) {
            const { version } = reply.body.data;
            assert.equal(reply.text, `{"success":true,"data":${told[version - 2]?.data}}`);
            if (expected_version !== undefined) assert.equal(version, expected_version + 1);
          }
          for (const { reply, to, expected_version } of own.filter((answer) => !moved.includes(answer))) {
            if (reply.status === 200) assert.equal(reply.body.data.status, to, 'unchanged, as it was there already');
            else {
              assert.equal(reply.status, 409, reply.text);
              const codes = expected_version === undefined ? ['INVALID_TRANSITION'] : ['INVALID_TRANSITION', 'VERSION_CONFLICT'];
              assert.ok(codes.includes(reply.body.error.code), reply.text);
            }
          }
          expected['new'] = (expected['new'] ?? 0) - 1;
          expected[data.status] = (expected[data.status] ?? 0) + 1;
        }
        assert.deepEqual(await totals(), expected);
      }),
      { numRuns: sampled(10, 30), ...LIMIT },
    );
  });

  test('with the same expected version at once: one of them moves the order', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => create(node(n))));
    const targets = ['processing', 'on_hold', 'cancelled'] as const;
    const replies = await Promise.all(
      ids.flatMap((id) => targets.map(async (to, n) => ({ id, to, reply: await move(node(n), id, { to, expected_version: 1 }) }))),
    );
    for (const id of ids) {
      const own = replies.filter((answer) => answer.id === id);
      const won = own.filter(({ reply }) => reply.status === 200);
      assert.equal(won.length, 1, own.map(({ reply }) => reply.text).join('\n'));
      for (const { reply } of own) if (reply.status !== 200) assert.equal(reply.body.error.code, 'VERSION_CONFLICT');
      assert.equal((await node(1).get(`/api/v1/orders/${id}`)).body.data.status, won[0]?.to);
    }
  });

  test('each in a transaction of its own wait for each other', async () => {
    const id = await create();
    const at = '2030-01-01T00:00:00.000Z';
    // Back and forth as often as one likes; each finds the state that the one before has left.
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        node(n).app.db.write(transitionOrders, [{ order_id: id, to: n % 3 === 0 ? 'on_hold' : 'processing', reason: `r${n}`, at }]),
      ),
    );
    const kinds = outcomes.flat().map((outcome) => outcome.kind);
    assert.ok(
      kinds.every((kind) => kind === 'moved' || kind === 'unchanged'),
      String(kinds),
    );
    const { data } = (await node(0).get(`/api/v1/orders/${id}`)).body;
    assert.equal(data.version, 1 + kinds.filter((kind) => kind === 'moved').length);
    assert.equal(data.history.length, data.version);
  });
});

function statusOf(order: ModelOrder): OrderStatus {
  return order.history.at(-1)?.status as OrderStatus;
}
