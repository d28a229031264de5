import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { allowedFrom, type OrderStatus } from '../../src/shop/orders/rules.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { pick, type Random } from './random.ts';

const IN_FLIGHT = 32;
const PATIENCE = 60_000;
const PRODUCTS = 12;

export interface AskedOrder {
  /** Its customer_id. No two orders that we ask for have the same, so that a doubled one shows. */
  mark: string;
  body: { customer_id: string; external_id?: string; items: { product_id: string; quantity: number; price: number }[] };
  /** Its Idempotency-Key. */
  key: string | undefined;
  /** The total in cents. */
  cents: number;
  /** What the service has acknowledged: the order it made, as it told it. */
  answer: { id: string; json: string } | undefined;
  /** The moves that were acknowledged, and the one that was asked for and has no answer yet. */
  moves: OrderStatus[];
  pending: OrderStatus | undefined;
}

export interface AskedProduct {
  product_id: string;
  /** The stock that was acknowledged last, and the one that was told and has no answer yet. */
  stock: number | undefined;
  pending: number | undefined;
}

interface Job {
  /** Whether asking again is harmless: then it is asked again until there is an answer. */
  repeatable: boolean;
  /** Asks once; answers whether there was an answer. */
  ask: (service: Reachable) => Promise<boolean>;
}

/** A shop that sends orders, moves and products as fast as it gets answers, unless it rests in between, and writes down what it was promised. */
export class ShopDriver {
  readonly orders: AskedOrder[] = [];
  readonly products: AskedProduct[];
  answers = 0;
  unanswered = 0;
  /** The longest that a client waited for an answer or for being told that there is none, in milliseconds. */
  slowest = 0;
  /** Answers that say that the order had been made by an earlier request with the same key. */
  replays = 0;
  /** Requests at the same time. */
  inFlight = IN_FLIGHT;
  /**
   * How long the answer to an order is waited for, in milliseconds. Other answers are waited for as long as it takes: a move that is
   * asked for again while the first may still be carried out could happen twice.
   */
  patience = PATIENCE;
  /** How long each of them rests after an answer, in milliseconds. */
  rest = 0;
  readonly #random: Random;
  readonly #idleProducts: AskedProduct[];
  readonly #movable: AskedOrder[] = [];
  readonly #again: Job[] = [];
  #alarm: { at: number; ring: () => void } | undefined;

  constructor(random: Random) {
    this.#random = random;
    this.products = Array.from({ length: PRODUCTS }, (_, n) => ({ product_id: `p-${n}`, stock: undefined, pending: undefined }));
    this.#idleProducts = [...this.products];
  }

  /** Keeps the service busy until it gives no more answers, or until told. First in the line is what was left without one before. */
  async run(service: Reachable, enough?: AbortSignal): Promise<void> {
    await this.#work(service, () => (enough?.aborted ? undefined : (this.#again.pop() ?? this.#newJob())));
  }

  /** Resolves when this many more answers have come. */
  answered(more: number): Promise<void> {
    return new Promise((ring) => {
      this.#alarm = { at: this.answers + more, ring };
    });
  }

  /** Asks for nothing new, only again for what has no answer yet. */
  async finish(service: Reachable): Promise<void> {
    await this.#work(service, () => this.#again.pop());
    assert.equal(this.#again.length, 0, 'the service stopped to answer');
  }

  async #work(service: Reachable, next: () => Job | undefined): Promise<void> {
    const work = async (): Promise<void> => {
      for (let job = next(); job; job = next()) {
        const asked = performance.now();
        const answered = await job.ask(service);
        this.slowest = Math.max(this.slowest, performance.now() - asked);
        if (!answered) {
          this.unanswered++;
          if (job.repeatable) this.#again.push(job);
          return;
        }
        this.answers++;
        if (this.#alarm && this.answers >= this.#alarm.at) this.#alarm.ring();
        if (this.rest > 0) await pause(this.rest);
      }
    };
    await Promise.all(Array.from({ length: this.inFlight }, work));
  }

  #newJob(): Job {
    const chance = this.#random();
    if (chance < 0.25 && this.#movable.length > 0) return this.#move();
    const product = chance < 0.35 ? this.#idleProducts.pop() : undefined;
    return product ? this.#tellStock(product) : this.#order();
  }

  #order(): Job {
    const number = this.orders.length;
    const lines = Array.from({ length: 1 + Math.floor(this.#random() * 4) }, (_, line) => ({
      product_id: `p-${(number + line) % (PRODUCTS + 4)}`,
      quantity: 1 + Math.floor(this.#random() * 9),
      cents: Math.floor(this.#random() * 10_000),
    }));
    const order: AskedOrder = {
      mark: `c-${number}`,
      body: { customer_id: `c-${number}`, items: lines.map(({ cents, ...line }) => ({ ...line, price: cents / 100 })) },
      key: this.#random() < 0.5 ? `key-${number}` : undefined,
      cents: lines.reduce((sum, { quantity, cents }) => sum + quantity * cents, 0),
      answer: undefined,
      moves: [],
      pending: undefined,
    };
    // Some have a key and no external id, so that only the key stands between them and a second order.
    if (order.key === undefined || number % 2 === 0) order.body.external_id = `x-${number}`;
    this.orders.push(order);
    return { repeatable: order.key !== undefined, ask: (service) => this.#askForOrder(service, order) };
  }

  async #askForOrder(service: Reachable, order: AskedOrder): Promise<boolean> {
    const headers: Record<string, string> = order.key === undefined ? {} : { 'idempotency-key': order.key };
    const reply = await post(service, '/api/v1/orders', order.body, headers, AbortSignal.timeout(this.patience));
    if (!reply) return false;
    const { data } = JSON.parse(reply.text) as { data: { id: string; status: string; version: number } };
    assert.deepEqual([data.status, data.version], ['new', 1]);
    order.answer = { id: data.id, json: reply.text.slice('{"success":true,"data":'.length, -1) };
    if (reply.replayed) this.replays++;
    this.#movable.push(order);
    return true;
  }

  #move(): Job {
    const place = Math.floor(this.#random() * this.#movable.length);
    const order = this.#movable[place] as AskedOrder;
    // Taken out meanwhile, so that the order of its moves is the order in which we asked.
    this.#movable[place] = this.#movable.at(-1) as AskedOrder;
    this.#movable.pop();
    const to = pick(this.#random, allowedFrom(statusOf(order)));
    const expected = this.#random() < 0.5 ? { expected_version: 1 + order.moves.length } : {};
    order.pending = to;
    return { repeatable: true, ask: (service) => this.#askForMove(service, order, { to, ...expected }) };
  }

  async #askForMove(service: Reachable, order: AskedOrder, move: { to: OrderStatus; expected_version?: number }): Promise<boolean> {
    const reply = await post(service, `/api/v1/orders/${order.answer?.id}/transitions`, move);
    if (!reply) return false;
    const { data } = JSON.parse(reply.text) as { data: { status: string; version: number } };
    order.moves.push(move.to);
    order.pending = undefined;
    assert.deepEqual([data.status, data.version], [move.to, 1 + order.moves.length]);
    if (allowedFrom(move.to).length > 0) this.#movable.push(order);
    return true;
  }

  #tellStock(product: AskedProduct): Job {
    product.pending = (product.stock ?? 0) + 1;
    return { repeatable: true, ask: (service) => this.#askForProduct(service, product) };
  }

  async #askForProduct(service: Reachable, product: AskedProduct): Promise<boolean> {
    const stock = product.pending as number;
    const body = { product_id: product.product_id, name: 'Thing', price: 1.5, stock_quantity: stock, categories: [`c${stock % 3}`, 'all'] };
    const reply = await post(service, '/api/v1/products/sync', body);
    if (!reply) return false;
    const { data } = JSON.parse(reply.text) as { data: { stock_quantity: number; version: number } };
    assert.deepEqual([data.stock_quantity, data.version], [stock, stock]);
    product.stock = stock;
    product.pending = undefined;
    this.#idleProducts.push(product);
    return true;
  }
}

function statusOf(order: AskedOrder): OrderStatus {
  return order.moves.at(-1) ?? 'new';
}

/** Posts; undefined when there was no answer, or none that promises anything (503). Any other failure is a fault of the service. */
async function post(
  service: Reachable,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<{ text: string; replayed: boolean } | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  if (response.status === 503) return undefined;
  assert.equal(response.status, 200, `POST ${path} ${JSON.stringify(body)}: ${text}\n${service.logs()}`);
  return { text, replayed: response.headers.get('idempotent-replayed') === 'true' };
}
