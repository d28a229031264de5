import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt } from '../../lib/ids.ts';
import { CATALOGUE } from '../../sample/catalogue.ts';
import { type Day, type StoryOptions, tellStory } from './story.ts';

const NOW = Date.parse('2026-11-15T09:30:00.000Z');
const DAY = 24 * 60 * 60 * 1000;
const OPTIONS: StoryOptions = { orders: 1500, products: 72, seed: 'a', now: NOW, currency: 'EUR', tracks: true };

/** The story with the ids, whose ends are chance, replaced by their place. */
function content(days: readonly Day[]): unknown {
  const places = new Map(days.flatMap(({ drafts }) => drafts).map(({ id }, index) => [id, index]));
  const placed = (requests: readonly { order_id: string }[]): unknown[] =>
    requests.map((request) => ({ ...request, ...('id' in request && { id: '' }), order_id: places.get(request.order_id) }));
  return days.map(({ drafts, moves, parcels, arrivals, returns, ...rest }) => ({
    ...rest,
    drafts: drafts.map((draft) => ({ ...draft, id: places.get(draft.id) })),
    steps: [moves, parcels, arrivals, returns].map(placed),
  }));
}

test('the same seed tells the same story, another one another', () => {
  const options = { ...OPTIONS, orders: 300 };
  const story = content([...tellStory(options)]);
  assert.deepEqual(content([...tellStory(options)]), story);
  assert.notDeepEqual(content([...tellStory({ ...options, seed: 'b' })]), story);
});

test('there are as many orders as asked for, in the order of time, over half a year up to now', () => {
  for (const orders of [1, 7, 1500]) {
    const drafts = [...tellStory({ ...OPTIONS, orders })].flatMap((day) => day.drafts);
    assert.equal(drafts.length, orders);
    const times = drafts.map((draft) => Date.parse(draft.created_at));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok((times[0] ?? 0) >= NOW - 183 * DAY && (times.at(-1) ?? NOW) < NOW);
    for (const { id, created_at } of drafts) {
      const time = Date.parse(created_at);
      assert.ok(id >= firstIdAt('ord', time) && id < firstIdAt('ord', time + 1), 'the id carries the time of creation');
    }
  }
});

test('the shop is believable: it grows, has its hours, customers come back, and orders have 1 to 6 lines', () => {
  const drafts = [...tellStory(OPTIONS)].flatMap((day) => day.drafts);
  const within = (from: number, to: number): number =>
    drafts.filter(({ created_at }) => Date.parse(created_at) >= NOW - from * DAY && Date.parse(created_at) < NOW - to * DAY).length;
  assert.ok(within(60, 0) > 1.3 * within(183, 123), 'more orders in the last two months than in the first');
  const hours = drafts.map(({ created_at }) => Number(created_at.slice(11, 13)));
  const evening = hours.filter((hour) => hour >= 17 && hour < 21).length;
  const night = hours.filter((hour) => hour >= 1 && hour < 5).length;
  assert.ok(evening > 5 * night);
  const byCustomer = [...Map.groupBy(drafts, ({ customer_id }) => customer_id).values()];
  const faithful = byCustomer.filter((own) => own.length > 1).length / byCustomer.length;
  assert.ok(faithful > 0.2 && faithful < 0.6, `${faithful} of the customers came back`);
  for (const own of byCustomer) {
    assert.ok(new Set(own.flatMap(({ shipping_address }) => shipping_address ?? [])).size <= 1, 'who comes back lives at the same place');
  }
  assert.deepEqual(new Set(drafts.map(({ lines }) => lines.length)), new Set([1, 2, 3, 4, 5, 6]));
});

test('all that a merchant has to do with is there: money, parcels, returns, refunds, notes, tags, channels, and stock in two places', () => {
  const days = [...tellStory(OPTIONS)];
  const drafts = days.flatMap((day) => day.drafts);
  const extras = drafts.map(({ extra }) => JSON.parse(extra ?? '{}') as Record<string, unknown>);
  for (const member of [
    'shipping',
    'discounts',
    'tax_total',
    'customer',
    'billing_address',
    'payment',
    'note',
    'tags',
    'channel',
    'reserve',
  ]) {
    assert.ok(
      extras.some((extra) => extra[member] !== undefined),
      member,
    );
  }
  const deeds = days.flatMap(({ parcels, returns }) => [...parcels, ...returns]);
  for (const kind of ['fulfillments', 'returns', 'refunds'])
    assert.ok(
      deeds.some((deed) => deed.kind === kind && deed.lines === undefined),
      kind,
    );
  for (const kind of ['fulfillments', 'returns', 'refunds'])
    assert.ok(
      deeds.some((deed) => deed.kind === kind && deed.lines),
      `part of ${kind}`,
    );
  const movements = days.flatMap((day) => day.movements);
  assert.deepEqual(new Set(movements.map(({ location }) => location)), new Set(['default', 'store']));
  assert.ok(movements.some(({ delta }) => delta < 0));
});

test('the catalogue has every product once, with a price and categories', () => {
  assert.ok(CATALOGUE.length >= 72);
  assert.equal(new Set(CATALOGUE.map(({ product_id }) => product_id)).size, CATALOGUE.length);
  assert.equal(new Set(CATALOGUE.map(({ name }) => name)).size, CATALOGUE.length);
  for (const { price, categories, name } of CATALOGUE) {
    assert.ok(Number.isSafeInteger(price) && price > 0 && categories.length > 0, name);
  }
});
