import assert from 'node:assert/strict';
import { pick, type Random } from './random.ts';

/** What each order wants one unit of, and what it also wants, of which there is enough. */
const [SCARCE, PLENTY] = ['scarce', 'plenty'] as const;
const IN_FLIGHT = 64;
const LOOK_EVERY = 20;

export interface SellOut {
  /** Where a request goes now: resolves when somebody is there. */
  url: () => Promise<string>;
  adminKey: () => string;
  orders: number;
  random: Random;
}

interface Answer {
  status: number;
  body: { data?: { id: string }; error?: { code: string; details: { lines?: object[] } } };
}

/** Customers who all want one of a few things at the same moment, and ask again until they are told. Each asks with a key of its own. */
export class Buyers {
  /** The order of each customer that got one. */
  readonly sold = new Map<string, string>();
  readonly refused = new Set<string>();
  /** Requests without an answer, or with one that promises nothing. */
  unanswered = 0;
  /** How often the stock was looked at meanwhile. */
  looks = 0;
  readonly #options: SellOut;
  #next = 0;
  #alarms: { at: number; ring: () => void }[] = [];

  constructor(options: SellOut) {
    this.#options = options;
  }

  get answers(): number {
    return this.sold.size + this.refused.size;
  }

  /** Resolves when so many customers have been told. */
  answered(many: number): Promise<void> {
    return new Promise((ring) => this.#alarms.push({ at: many, ring }));
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => this.#work()));
  }

  async #work(): Promise<void> {
    for (let number = this.#next++; number < this.#options.orders; number = this.#next++) {
      const customer = `c-${number}`;
      // Some ask twice at once, as people do who press a button again.
      const times = this.#options.random() < 0.1 ? 2 : 1;
      const body = this.#bodyOf(customer);
      const answers = await Promise.all(Array.from({ length: times }, () => this.#untilTold(customer, body)));
      for (const answer of answers) this.#note(customer, answer);
      if (number % LOOK_EVERY === 0) await this.#look();
      for (const { at, ring } of this.#alarms) if (this.answers >= at) ring();
    }
  }

  /** In whatever order products are named: rows are locked in one. */
  #bodyOf(customer: string): object {
    const more = { product_id: PLENTY, quantity: 2, price: 1 };
    const items = [{ product_id: SCARCE, quantity: 1, price: 9.99 }];
    return { customer_id: customer, reserve: true, items: pick(this.#options.random, [items, [...items, more], [more, ...items]]) };
  }

  async #untilTold(customer: string, body: object): Promise<Answer> {
    for (;;) {
      const answer = await this.#ask(await this.#options.url(), customer, body);
      if (answer && answer.status !== 503) return answer;
      this.unanswered++;
    }
  }

  async #ask(url: string, customer: string, body: object): Promise<Answer | undefined> {
    try {
      const response = await fetch(`${url}/api/v1/orders`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#options.adminKey()}`, 'content-type': 'application/json', 'idempotency-key': customer },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Answer['body'] };
    } catch {
      return undefined;
    }
  }

  /** At no moment there is less than nothing. */
  async #look(): Promise<void> {
    const url = `${await this.#options.url()}/api/v1/products/${SCARCE}/stock`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${this.#options.adminKey()}` } }).catch(() => undefined);
    const text = (await response?.text().catch(() => undefined)) ?? '{}';
    const { data } = JSON.parse(text) as { data?: { on_hand: number; available: number } };
    if (data) this.looks++;
    assert.ok(!data || (data.on_hand >= 0 && data.available >= 0), text);
  }

  #note(customer: string, { status, body }: Answer): void {
    if (status === 200) {
      const id = body.data?.id ?? '';
      assert.equal(this.sold.get(customer) ?? id, id, `${customer} has one order`);
      this.sold.set(customer, id);
      return;
    }
    assert.deepEqual([status, body.error?.code], [409, 'OUT_OF_STOCK'], JSON.stringify(body));
    assert.ok(body.error?.details.lines?.length, 'the lines are named');
    this.refused.add(customer);
  }
}

/** Puts the goods on the shelves. */
export async function stockUp(url: string, key: string, units: number, orders: number): Promise<void> {
  const products = [
    { product_id: SCARCE, name: 'Scarce', price: 9.99, stock_quantity: units, track_stock: true },
    { product_id: PLENTY, name: 'Plenty', price: 1, stock_quantity: 2 * orders, track_stock: true },
  ];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/products/sync/batch`, { method: 'POST', headers, body: JSON.stringify(products) });
  assert.equal(((await response.json()) as { failed: number }).failed, 0);
}
