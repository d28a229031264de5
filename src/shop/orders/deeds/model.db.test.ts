import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines, type Place, preparedPlace } from '../../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../../test/support/service.ts';
import { checkWhole } from '../../../../test/support/whole-shop.ts';
import { sampled } from '../../../../test/support/whole.ts';

// Orders that are shipped, returned, refunded, changed and moved in any order, against a model of what docs/api.md promises.

const LIMIT = { interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true };

interface Line {
  ordered: number;
  shipped: number;
  withdrawn: number;
  returned: number;
  refunded: number;
}

type Chosen = { line: number; quantity?: number }[] | undefined;

type Step =
  | { what: 'fulfillments'; lines: Chosen }
  | { what: 'returns'; lines: Chosen; restock: boolean }
  | { what: 'refunds'; lines: Chosen; cents: number | undefined; restock: boolean }
  | { what: 'transitions'; to: string }
  | { what: 'edit'; quantities: number[] }
  | { what: 'note'; note: string | null };

/** Prices in cents; what a line costs is then exact, unless the order has a discount. */
const PRICES = [10, 3.33, 0.01, 5];
const itemsOf = (quantities: readonly number[]) =>
  quantities.map((quantity, index) => ({ product_id: 'p', quantity, price: PRICES[index % PRICES.length] ?? 1 }));
const units = (amount: number): number => Math.round(amount * 10_000);

const NEXT: Record<string, readonly string[]> = {
  new: ['processing', 'on_hold', 'cancelled'],
  on_hold: ['processing', 'cancelled'],
  processing: ['shipped', 'on_hold', 'cancelled'],
  shipped: ['delivered', 'returned'],
  delivered: ['returned'],
};
const isOut = (status: string): boolean => ['shipped', 'delivered', 'returned'].includes(status);

/** What is believed of one order. */
class Model {
  status = 'new';
  lines: Line[];
  /** How many of each there are. */
  deeds = { fulfillments: 0, returns: 0, refunds: 0 };
  isLineRefunded = false;
  isWithdrawn = false;
  given = 0;
  version = 1;

  constructor(quantities: readonly number[]) {
    this.lines = quantities.map((ordered) => ({ ordered, shipped: 0, withdrawn: 0, returned: 0, refunded: 0 }));
  }

  shipped({ ordered, shipped, withdrawn }: Line): number {
    return isOut(this.status) ? ordered - withdrawn : shipped;
  }

  returned(line: Line): number {
    return this.status === 'returned' ? this.shipped(line) : line.returned;
  }

  left(what: 'fulfillments' | 'returns' | 'refunds', line: Line): number {
    if (what === 'fulfillments') return this.status === 'cancelled' ? 0 : line.ordered - this.shipped(line) - line.withdrawn;
    return what === 'returns' ? this.shipped(line) - this.returned(line) : line.ordered - line.refunded;
  }

  /** What is done, or undefined when that is more than is left. */
  chosen(what: 'fulfillments' | 'returns' | 'refunds', asked: Chosen): { line: number; quantity: number }[] | undefined {
    const left = this.lines.map((line, index) => ({ line: index + 1, quantity: this.left(what, line) }));
    const lines = asked
      ? asked.map(({ line, quantity }) => ({ line, quantity: quantity ?? left[line - 1]?.quantity ?? 0 }))
      : left.filter(({ quantity }) => quantity > 0);
    const isTooMuch = lines.some(({ line, quantity }) => quantity === 0 || quantity > (left[line - 1]?.quantity ?? 0));
    return isTooMuch || lines.length === 0 ? undefined : lines;
  }

  move(to: string): void {
    this.status = to;
    this.version++;
  }

  follow(): void {
    this.version++;
    if (this.status === 'cancelled' || this.status === 'returned') return;
    const sum = (of: (line: Line) => number): number => this.lines.reduce((all, line) => all + of(line), 0);
    if (!isOut(this.status) && sum((line) => this.left('fulfillments', line)) === 0) {
      if (sum((line) => line.shipped) === 0) this.move('cancelled');
      else {
        if (this.status !== 'processing') this.move('processing');
        this.move('shipped');
      }
    }
    if (isOut(this.status) && sum((line) => this.left('returns', line)) === 0) this.move('returned');
  }

  get fulfillmentStatus(): string | undefined {
    if (this.deeds.fulfillments + this.deeds.returns === 0 && !this.isWithdrawn) return undefined;
    const sum = (of: (line: Line) => number): number => this.lines.reduce((all, line) => all + of(line), 0);
    const [shipped, returned] = [sum((line) => this.shipped(line)), sum((line) => this.returned(line))];
    const open = sum((line) => line.ordered - this.shipped(line) - line.withdrawn);
    if (shipped === 0) return 'unfulfilled';
    if (shipped === returned && (open === 0 || this.status === 'cancelled')) return 'returned';
    if (open > 0) return 'partial';
    return returned > 0 ? 'partially_returned' : 'fulfilled';
  }
}

const chosen: fc.Arbitrary<Chosen> = fc.option(
  fc.uniqueArray(
    fc.record(
      { line: fc.integer({ min: 1, max: 2 }), quantity: fc.integer({ min: 1, max: 3 }) },
      { requiredKeys: ['line'], noNullPrototype: true },
    ),
    { selector: ({ line }) => line, minLength: 1, maxLength: 2 },
  ),
  { nil: undefined, freq: 9 },
);
const quantities = fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 2, maxLength: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('fulfillments' as const), lines: chosen }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('returns' as const), lines: chosen, restock: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        what: fc.constant('refunds' as const),
        lines: chosen,
        cents: fc.option(fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 9000 })), { nil: undefined, freq: 1 }),
        restock: fc.boolean(),
      })
      .filter(({ lines, cents, restock }) => lines !== undefined || (cents !== undefined && !restock)),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('transitions' as const),
      to: fc.constantFrom('processing', 'processing', 'on_hold', 'shipped', 'delivered', 'returned', 'cancelled'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('edit' as const), quantities }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('note' as const), note: fc.option(fc.constantFrom('a', 'b'), { nil: null }) }),
  },
);

onBothEngines('orders with fulfilments, returns, refunds and changes', (engine) => {
  let place: Place;
  let nodes: Service[];
  before(async () => {
    place = await preparedPlace(engine);
    nodes = [await startService(engine, { place })];
    if (engine === 'postgres') nodes.push(await startService(engine, { place }));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await place.remove();
  });

  let turn = 0;
  const node = (): Service => nodes[turn++ % nodes.length] as Service;
  const pathOf = (id: string): string => `/api/v1/orders/${id}`;

  async function make(lines: readonly number[], more: object, key: string): Promise<Reply> {
    const body = { customer_id: 'c', items: itemsOf(lines), ...more };
    const made = await node().post('/api/v1/orders', body, { headers: { 'Idempotency-Key': key } });
    assert.equal(made.status, 200, made.text);
    return made;
  }

  test('follow the model, whatever is done with an order and in whatever sequence', async () => {
    let runs = 0;
    const money = fc.constantFrom({}, { discounts: [{ percent: 10 }], taxes: [{ rate: 19 }], shipping: { price: 4.9 } });
    await fc.assert(
      fc.asyncProperty(quantities, money, fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }), async (lines, more, steps) => {
        const key = `model ${engine} ${runs++}`;
        const first = await make(lines, more, key);
        const { id } = first.body.data;
        const model = new Model(lines);
        let order = first.body.data;
        for (const one of steps) order = await take(id, model, one, order);
        const again = await make(lines, more, key);
        assert.equal(again.text, first.text, 'the first answer is given again, whatever happened since');
        for (const kind of ['fulfillments', 'returns', 'refunds'] as const) {
          const list = (await node().get(`${pathOf(id)}/${kind}`)).body;
          assert.deepEqual([list.data, list.total], [order[kind] ?? [], model.deeds[kind]]);
        }
      }),
      { numRuns: sampled(10, 150), ...LIMIT },
    );
    await checkWhole(node().app.db.read);
  });

  // oxlint-disable-next-line no-explicit-any -- an order as it was answered
  async function take(id: string, model: Model, one: Step, before: any): Promise<any> {
    const outcome = expected(model, one);
    const reply = await send(id, one);
    const label = `${JSON.stringify(one)} at ${model.status}: ${reply.text}`;
    const left = units(before.total) - model.given;
    const isShortOfMoney = one.what === 'refunds' && reply.body.error?.details.field === 'amount';
    if (isShortOfMoney) {
      assert.equal(outcome, 'done', label);
      const [, asked = '0', said = ''] = /^is ([\d.]+), but ([\d.]+) EUR can be given back$/.exec(reply.body.error.details.reason) ?? [];
      assert.equal(units(Number(said)), left, label);
      assert.ok(units(Number(asked)) > left, label);
    } else if (one.what === 'edit' && outcome === 'done' && reply.status === 409) {
      const pattern = /^the order would come to ([\d.]+), and ([\d.]+) were given back$/;
      const [, total = '', given = ''] = pattern.exec(reply.body.error.details.reason) ?? [];
      assert.ok(units(Number(given)) === model.given && units(Number(total)) < model.given, label);
    } else if (outcome !== 'done') {
      assert.deepEqual([reply.status, reply.body.error?.code], [409, outcome], label);
    } else {
      assert.equal(reply.status, 200, label);
      settle(model, one, reply.body.data, before);
    }
    const { data: order } = (await node().get(pathOf(id))).body;
    assert.deepEqual(
      [order.status, order.version, order.fulfillment_status],
      [model.status, model.version, model.fulfillmentStatus],
      label,
    );
    const total = units(order.total);
    assert.ok(model.given <= total, label);
    const paid = model.given === 0 ? undefined : model.given === total ? 'refunded' : 'partially_refunded';
    assert.equal(order.payment_status, paid, label);
    const sums = [order.refunded_total, order.remaining_total].map((sum) => (sum === undefined ? undefined : units(sum)));
    assert.deepEqual(sums, model.deeds.refunds === 0 ? [undefined, undefined] : [model.given, total - model.given], label);
    return order;
  }

  function send(id: string, one: Step): Promise<Reply> {
    if (one.what === 'edit') return node().call('PATCH', pathOf(id), { body: { items: itemsOf(one.quantities) } });
    if (one.what === 'note') return node().call('PATCH', pathOf(id), { body: { note: one.note } });
    const { what, ...body } = one;
    if (!('cents' in body)) return node().post(`${pathOf(id)}/${what}`, body);
    const { cents, ...rest } = body;
    return node().post(`${pathOf(id)}/${what}`, { ...rest, ...(cents !== undefined && { amount: cents / 100 }) });
  }

  /** How it has to end: done, or the code of the refusal. */
  function expected(model: Model, one: Step): string {
    const { status } = model;
    switch (one.what) {
      case 'transitions':
        return one.to === status || NEXT[status]?.includes(one.to) ? 'done' : 'INVALID_TRANSITION';
      case 'note':
        return 'done';
      case 'edit': {
        const isSame = JSON.stringify(one.quantities) === JSON.stringify(model.lines.map(({ ordered }) => ordered));
        const isOpen = ['new', 'on_hold', 'processing'].includes(status) && !model.isLineRefunded;
        if (isSame) return 'done';
        return isOpen && model.deeds.fulfillments === 0 ? 'done' : 'CONFLICT';
      }
      case 'fulfillments':
        if (['on_hold', 'cancelled', 'returned'].includes(status)) return 'INVALID_TRANSITION';
        return model.chosen(one.what, one.lines) ? 'done' : 'CONFLICT';
      case 'returns':
        return model.chosen(one.what, one.lines) ? 'done' : 'CONFLICT';
      default: {
        const lines = one.lines && model.chosen(one.what, one.lines);
        if (one.lines && !lines) return 'CONFLICT';
        const isShipped = lines?.some(({ line, quantity }) => quantity > model.left('fulfillments', model.lines[line - 1] as Line));
        return one.restock && isShipped ? 'CONFLICT' : 'done';
      }
    }
  }

  // oxlint-disable-next-line no-explicit-any -- what was answered
  function settle(model: Model, one: Step, answer: any, before: any): void {
    const add = (lines: readonly { line: number; quantity: number }[] | undefined, to: keyof Line): void => {
      for (const { line, quantity } of lines ?? []) (model.lines[line - 1] as Line)[to] += quantity;
    };
    switch (one.what) {
      case 'transitions':
        if (one.to !== model.status) model.move(one.to);
        return;
      case 'note':
        if ((before.note ?? null) !== one.note) model.version++;
        return;
      case 'edit':
        if (JSON.stringify(one.quantities) === JSON.stringify(model.lines.map(({ ordered }) => ordered))) return;
        model.lines = new Model(one.quantities).lines;
        model.version++;
        return;
      case 'refunds': {
        const lines = one.lines && model.chosen('refunds', one.lines);
        if (one.cents !== undefined) assert.equal(answer.amount, one.cents / 100);
        else if (before.discounts === undefined) {
          const exact = lines?.reduce((sum, { line, quantity }) => sum + quantity * units(before.items[line - 1].price), 0);
          assert.equal(units(answer.amount), exact);
        }
        add(lines, 'refunded');
        if (one.restock) add(lines, 'withdrawn');
        model.isLineRefunded ||= lines !== undefined;
        model.isWithdrawn ||= one.restock;
        model.given += units(answer.amount);
        break;
      }
      default:
        assert.deepEqual(answer.lines, model.chosen(one.what, one.lines));
        if (one.what === 'fulfillments' && model.status === 'new') model.move('processing');
        add(answer.lines, one.what === 'fulfillments' ? 'shipped' : 'returned');
    }
    model.deeds[one.what]++;
    model.follow();
    assert.deepEqual([answer.order.status, answer.order.version], [model.status, model.version]);
  }

  test('at once: never more is shipped, returned or given back than there is, and nothing of what is left is lost', async () => {
    const { id } = (await make([4, 4], {}, `race ${engine}`)).body.data;
    const at = (n: number): Service => nodes[n % nodes.length] as Service;
    const race = async (what: string, body: object): Promise<number> => {
      const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => at(n).post(`${pathOf(id)}/${what}`, body)));
      for (const { status, text } of replies) assert.ok(status === 200 || status === 409, text);
      return replies.filter(({ status }) => status === 200).length;
    };
    const one = { lines: [{ line: 1, quantity: 1 }] };
    assert.deepEqual([await race('fulfillments', one), await race('returns', one)], [4, 4]);
    // 4 × 10 and 4 × 3.33: of 8 each there are 6, and then 5.32 is left.
    assert.deepEqual([await race('refunds', { amount: 8 }), await race('refunds', { amount: 5.32 })], [6, 1]);
    const { data } = (await at(1).get(pathOf(id))).body;
    assert.deepEqual([data.status, data.fulfillment_status, data.payment_status], ['processing', 'partial', 'refunded']);
    const versions = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        at(n).post(`${pathOf(id)}/fulfillments`, { lines: [{ line: 2, quantity: 1 }], expected_version: data.version }),
      ),
    );
    assert.equal(versions.filter(({ status }) => status === 200).length, 1);
    await checkWhole(at(0).app.db.read);
  });
});
