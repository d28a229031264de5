import fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';
import type { TSchema } from '../../src/lib/schema.ts';
import { BatchedOrder, NewOrder } from '../../src/shop/orders/schemas.ts';
import type { World } from './valid-world.ts';

/** Prices at and between the bounds, spelt in the ways that JSON knows. */
export const price = fc
  .tuple(fc.oneof(fc.constantFrom(0, 1, 199900, 999_999_999_999), fc.integer({ min: 0, max: 5_000_000 }), fc.maxSafeNat()), fc.nat(4))
  .map(([given, spelling]) => {
    const units = given % 1_000_000_000_000;
    const plain = `${Math.floor(units / 10_000)}.${String(units % 10_000).padStart(4, '0')}`;
    const spellings = [String(units / 10_000), plain, `${plain}000000000000000`, `${units}e-4`, `${units * 10}E-05`];
    return JSON.rawJSON(spellings[spelling] as string);
  });

/** Three of them are less than the whole, also where each is rounded up. */
const discount = fc.constantFrom<object>({ percent: 10 }, { code: 'x', percent: 0.0001 }, { amount: 0 });
const tax = fc.constantFrom<object>({ rate: 19 }, { rate: 7.7, amount: 0 }, { amount: 0 });

/** Members of orders whose values have to fit each other. An order that expects a total would have to compute it. */
export const ORDER_MEMBERS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  discount,
  discounts: fc.array(discount, { maxLength: 3 }),
  tax,
  taxes: fc.array(tax, { maxLength: 3 }),
  expected_total: fc.constant(undefined),
  // An order that reserves may find too little, and history does not reserve.
  reserve: fc.constantFrom(false, undefined),
  // Of products: what a schema cannot say of a weight, of currencies and of variants.
  weight: fc.constantFrom({ value: 0, unit: 'g' }, { value: 1.2345, unit: 'lb' }),
  prices: fc.constantFrom({}, { EUR: 19.99, JPY: 800 }),
  variants: fc.constantFrom([], [{ sku: 'a', options: { colour: 'blue' }, price: 1.5 }, { sku: 'b' }]),
  expected_version: fc.constant(undefined),
  delta: fc.constantFrom(1, 7, 1_000_000),
};

/** Of an order some more pieces are shipped, returned or refunded; each of the orders that there are has one line at least. */
function deedBody(route: Route, valueOf: (schema: TSchema, name?: string) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const { lines: _, amount: __, restock: ___, ...others } = (route.body as TSchema).properties ?? {};
  const lines = fc.constantFrom([{ line: 1 }], [{ line: 1, quantity: 1 }], [{ line: 1, quantity: 1_000_000 }]);
  const amount = fc.constantFrom(0.0001, 0.5, 99_999_999_999.9999);
  const what = route.path.endsWith('/refunds')
    ? fc.oneof(fc.record({ lines }), fc.record({ amount }), fc.record({ lines, amount, restock: fc.boolean() }))
    : fc.oneof(fc.constant({}), fc.record({ lines }));
  const rest = valueOf({ type: 'object', properties: others, required: [] });
  return fc.tuple(what, rest).map(([chosen, more]) => ({ ...(more as object), ...chosen }));
}

/** Members of a new order, whole, so that an order stays one whatever it had before. */
function changeBody(valueOf: (schema: TSchema, name?: string) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const names = ['items', 'shipping_address', 'billing_address', 'customer', 'note', 'tags', 'shipping', 'discounts', 'taxes', 'payment'];
  const members = names.map((name) => {
    const value = valueOf(NewOrder.properties?.[name] as TSchema, name);
    return [name, name === 'items' ? value : fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })];
  });
  const metadata = fc.constantFrom(null, { a: 1 }, { a: null, b: { c: 'ß' } });
  return fc
    .record({ ...Object.fromEntries(members), metadata }, { requiredKeys: [] })
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)));
}

/** The body of an operation on one order; undefined where its schema says all. */
export function orderBody(
  route: Route,
  valueOf: (schema: TSchema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> | undefined {
  if (!route.path.startsWith('/api/v1/orders/{id}')) return undefined;
  if (route.method === 'PATCH') return changeBody(valueOf);
  return /fulfillments|returns|refunds/.test(route.path) ? deedBody(route, valueOf) : undefined;
}

/** What is mandatory unless something else is said, is always given. */
export function requiredIn(schema: TSchema): string[] {
  return [...(schema.required ?? []), ...Object.keys(schema['x-required-unless'] ?? {})];
}

/** What each entry of a batch is held to. */
export function entrySchema(route: Route, world: World): TSchema {
  return route.path.startsWith('/api/v1/orders') ? BatchedOrder : world.product;
}

/** An order that is brought in with what belongs to that, or a new one without; its last state is that of its history. Ids of chance may be taken. */
export function consistent(order: unknown): unknown {
  const {
    imported,
    placed_at,
    status,
    history,
    total,
    external_id: _,
    ...rest
  } = order as { imported?: boolean; history?: object[] } & Record<string, unknown>;
  if (!imported) return rest;
  const kept = { ...rest, imported, placed_at, total, ...(history?.length ? { history: history.slice(0, 1) } : { status }) };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}
