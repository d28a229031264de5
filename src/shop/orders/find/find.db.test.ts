import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines, openTestDatabase } from '../../../../test/support/databases.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { sampled } from '../../../../test/support/whole.ts';
import type { Database } from '../../../db/database.ts';
import { isoTime } from '../../../lib/clock.ts';
import { idAt } from '../../../lib/ids.ts';
import { createOrders } from '../create.ts';
import type { OrderDraft } from '../order-draft.ts';
import type { OrderStatus } from '../rules.ts';
import { transitionOrders } from '../transition.ts';
import { applyFold, prepareFold } from './fold.ts';
import { foldOnce } from './follower.ts';
import { listFound, placeOf } from './list-found.ts';
import { ORDER_SORTS, type OrderSort, type OrderWish } from './wish.ts';

const START = Date.UTC(2026, 10, 1);
const SIZE = 8;

interface Made {
  id: string;
  status: OrderStatus;
  updated: number;
  total: number;
  placed: number;
  words: string[];
  facets: Record<string, string[]>;
}

const NAMES = ['Jo Doe', 'Jörg Müller', 'Ann-Mary Doe', '李 小龍', '𝒥o 𠀀𠀁'];
const PRODUCTS = ['mug-blue', 'mug-red', 'Tee_4'];
const spec = fc.record({
  at: fc.nat(500),
  name: fc.nat(NAMES.length - 1),
  customer: fc.nat(6),
  product: fc.nat(PRODUCTS.length - 1),
  channel: fc.constantFrom('web', 'store'),
  tag: fc.constantFrom('gift', 'vip\n2'),
  currency: fc.constantFrom('EUR', 'JPY'),
  total: fc.nat(5),
  // Before and after orders came here, years ago, and before computers counted time.
  placed: fc.option(fc.constantFrom(-300, 0, 7, 250, 600, -40_000_000_000, -3_000_000_000_000), { nil: undefined }),
});
type Spec = typeof spec extends fc.Arbitrary<infer T> ? T : never;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ make: fc.array(spec, { minLength: 1, maxLength: 14 }) }) },
  { weight: 2, arbitrary: fc.record({ move: fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ fold: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ older: fc.constant(true) }) },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const question = fc.record({
  q: optional(
    fc.constantFrom(
      'jo',
      'doe',
      'DOE ann',
      'jorg mull',
      'müller',
      'c-3',
      'blue',
      'mug',
      'tee 4',
      'example jo3',
      '李',
      '𠀀',
      'ext-1',
      'ord',
      '01',
    ),
  ),
  statuses: optional(fc.constantFrom<OrderStatus[]>(['new'], ['new', 'processing'], ['cancelled'])),
  product_id: optional(fc.constantFrom(...PRODUCTS, 'none')),
  currency: optional(fc.constantFrom('EUR', 'JPY')),
  channel: optional(fc.constantFrom('web', 'store', 'WEB')),
  tag: optional(fc.constantFrom('gift', 'vip\n2')),
  customer_id: optional(fc.constantFrom('c-3', 'c-30')),
  from: optional(fc.nat(600)),
  before: optional(fc.nat(600)),
  since: optional(fc.nat(900)),
  placedFrom: optional(fc.constantFrom(-4_000_000_000_000, -2_000_000_000_000, -300, 0, 1, 250, 601)),
  placedBefore: optional(fc.constantFrom(-2_000_000_000_000, -299, 0, 8, 300, 600, 601)),
  sort: fc.constantFrom(...ORDER_SORTS),
  limit: fc.integer({ min: 1, max: 9 }),
  offset: fc.constantFrom(0, 0, 3, 11),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

let made = 0;

function draftOf({ at, name, customer, product, channel, tag, currency, total, placed }: Spec): { draft: OrderDraft; order: Made } {
  const id = idAt('ord', START + at);
  const [customer_id, external_id] = [`c-${customer}`, `ext-${made++}`];
  const person = { email: `jo${customer}@example.com`, name: NAMES[name] as string };
  const product_id = PRODUCTS[product] as string;
  const line = {
    product_id,
    quantity: 1,
    price: String(total),
    line_total: String(total),
    more: `,"name":"Nice ${product_id}","sku":"S${product}"`,
  };
  const draft: OrderDraft = {
    id,
    created_at: isoTime(START + at),
    customer_id,
    currency,
    external_id,
    total: String(total),
    lines: [line],
    shipping_address: null,
    metadata: '{}',
    // A note that looks like the member is none.
    extra: JSON.stringify({
      customer: person,
      channel,
      tags: [tag],
      note: '"placed_at":"1999"',
      ...(placed !== undefined && { placed_at: isoTime(START + placed) }),
    }),
    idempotency: null,
  };
  const texts = [id, customer_id, external_id, person.email, person.name, product_id, 'Nice', `S${product}`];
  const facets = { product_id: [product_id], currency: [currency], channel: [channel], tag: [tag], customer_id: [customer_id] };
  return {
    draft,
    order: { id, status: 'new', updated: START + at, total, placed: START + (placed ?? at), words: texts.flatMap(naiveWords), facets },
  };
}

/** Another way to say what a word is. */
function naiveWords(text: string): string[] {
  const bare = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '');
  return bare.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

function isWanted(order: Made, wish: Question): boolean {
  if (wish.q && !naiveWords(wish.q).every((word) => order.words.some((own) => own.startsWith(word)))) return false;
  for (const [name, values] of Object.entries(order.facets)) {
    const wanted = wish[name as 'tag'];
    if (wanted !== undefined && !values.includes(wanted)) return false;
  }
  if (wish.statuses && !wish.statuses.includes(order.status)) return false;
  if (wish.since !== undefined && order.updated < START + wish.since) return false;
  if (wish.placedFrom !== undefined && order.placed < START + wish.placedFrom) return false;
  if (wish.placedBefore !== undefined && order.placed >= START + wish.placedBefore) return false;
  return (wish.from === undefined || order.id >= idFrom(wish.from)) && (wish.before === undefined || order.id < idFrom(wish.before));
}

const idFrom = (at: number): string => idAt('ord', START + at).slice(0, 14);

function inOrder(orders: readonly Made[], sort: OrderSort): Made[] {
  const value = ({ total, updated, placed }: Made): number => {
    if (sort.endsWith('total')) return total;
    return sort.endsWith('updated_at') ? updated : sort.endsWith('placed_at') ? placed : 0;
  };
  const up = orders.toSorted((a, b) => value(a) - value(b) || (a.id < b.id ? -1 : 1));
  return sort.startsWith('-') ? up.toReversed() : up;
}

const LOSE_NEWEST = `delete from order_find_columns where name = 'placed' and segment = (select max(number) from order_find_segments)`;

onBothEngines('finding orders', (engine) => {
  let db: Database;
  const orders = new Map<string, Made>();
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  async function take(one: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    if ('fold' in one) {
      while (await foldOnce(db, { size: SIZE, ...(one.fold && { anew: [...orders.keys()].slice(0, 1) }) }));
    } else if ('older' in one) {
      // As a node of an older version leaves it.
      await db.write(runStatement, LOSE_NEWEST);
    } else if ('make' in one) {
      const news = one.make.map(draftOf);
      await db.write(createOrders, { drafts: news.map(({ draft }) => draft), now: isoTime(START) });
      for (const { order } of news) orders.set(order.id, order);
    } else {
      const all = [...orders.values()];
      const moved = all.length === 0 ? [] : [...new Set(one.move.map((n) => all[n % all.length] as Made))];
      for (const order of moved.filter(({ status }) => status === 'new')) {
        const at = order.updated + 250;
        const to = at % 2 ? 'processing' : 'cancelled';
        await db.write(transitionOrders, [{ order_id: order.id, to, reason: null, at: isoTime(at) }]);
        Object.assign(order, { status: to, updated: at });
      }
    }
  }

  async function ask(asked: Question): Promise<void> {
    const { from, before: to, since, placedFrom, placedBefore, sort, limit, offset, ...filters } = asked;
    const wish: OrderWish = {
      ...filters,
      from_id: from === undefined ? undefined : idFrom(from),
      before_id: to === undefined ? undefined : idFrom(to),
      placed_from: placedFrom === undefined ? undefined : START + placedFrom,
      placed_before: placedBefore === undefined ? undefined : START + placedBefore,
      updated_since: since === undefined ? undefined : isoTime(START + since),
    };
    const expected = inOrder(
      [...orders.values()].filter((order) => isWanted(order, asked)),
      sort,
    ).map(({ id }) => id);
    const found: string[] = [];
    let after: ReturnType<typeof placeOf>;
    for (let skip = offset; ; skip = 0) {
      const page = await db.query(listFound, { search: { wish, sort, limit, offset: skip, after }, expand: 'none' });
      assert.equal(page.total, expected.length);
      found.push(...(JSON.parse(`[${page.orders}]`) as Made[]).map(({ id }) => id));
      if (page.next === undefined) break;
      after = placeOf(page.next, sort);
      assert.ok(after, page.next);
    }
    assert.deepEqual(found, expected.slice(offset));
  }

  test('of two nodes that fold at once, one does it', async () => {
    await take({
      make: Array.from({ length: 5 }, (_, n) => ({
        at: n,
        name: 0,
        customer: 1,
        product: 0,
        channel: 'web',
        tag: 'gift',
        currency: 'EUR',
        total: 1,
        placed: undefined,
      })),
    });
    const [one, other] = [await db.query(prepareFold, { size: SIZE }), await db.query(prepareFold, { size: SIZE })];
    assert.deepEqual([await db.write(applyFold, one), await db.write(applyFold, other)], [true, false]);
  });

  test('finds what a look at every order would find, whatever is in the index by now', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 8 }),
      fc.array(question, { minLength: 4, maxLength: 8 }),
      async (steps, questions) => {
        for (const one of steps) await take(one);
        for (const one of questions) await ask(one);
      },
    );
    await fc.assert(property, { numRuns: sampled(engine === 'sqlite' ? 20 : 6, 300), endOnFailure: true });
  });

  test('an index of an older version gets what it lacks; until it has that, searches that need it say so', async () => {
    const specs = fc.sample(spec, { numRuns: 200, seed: 7 });
    await take({ make: specs });
    while (await foldOnce(db, { size: SIZE }));
    const wish = { placed_from: START };
    const asked = () => db.query(listFound, { search: { wish, sort: '-placed_at', limit: 5, offset: 0 }, expand: 'none' });
    const before = await asked();
    await db.write(runStatement, `delete from order_find_columns where name = 'placed'`);
    await assert.rejects(asked(), { code: 'UNAVAILABLE' });
    assert.ok((await db.query(listFound, { search: { wish: {}, sort: '-total', limit: 5, offset: 0 }, expand: 'none' })).total >= 200);
    assert.equal(await foldOnce(db, { size: SIZE }), true, 'some at a time');
    while (await foldOnce(db, { size: SIZE }));
    assert.deepEqual(await asked(), before);
  });
});
