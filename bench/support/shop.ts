import type { LoadRequest } from './load.ts';
import { pseudoRandom } from './statistics.ts';

export const ORDERS = '/api/v1/orders';
export const CATALOGUE = 1000;

export interface Product {
  product_id: string;
  name: string;
  price: number;
  stock_quantity: number;
  categories: string[];
}

/** Products `from`, `from + 1` …; another `cents` gives each of them another price and nothing else. */
export function products(from: number, count: number, cents = 0): Product[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return {
      product_id: `sku-${number}`,
      name: `Product number ${number}`,
      price: (100 + (number % 5000) * 10 + cents) / 100,
      stock_quantity: number % 400,
      categories: [`category-${number % 20}`, `season-${number % 4}`],
    };
  });
}

/** Orders of three items each from the catalogue, all different. */
export function newOrders(count: number): object[] {
  const random = pseudoRandom(1);
  const below = (bound: number): number => Math.floor(random() * bound);
  return Array.from({ length: count }, () => ({
    customer_id: `customer-${below(20_000)}`,
    items: [1, 2, 3].map(() => ({ product_id: `sku-${below(CATALOGUE)}`, quantity: 1 + below(9), price: below(20_000) / 100 })),
    shipping_address: { street: `Main Street ${1 + below(200)}`, city: 'Springfield', zip: String(10_000 + below(90_000)) },
  }));
}

/** The same orders with what was paid: shipping, a tax on each line, and a discount. */
export function paidOrders(count: number): object[] {
  return (newOrders(count) as { items: object[] }[]).map(({ items, ...order }) => ({
    ...order,
    items: items.map((item) => ({ ...item, tax: { rate: 19 } })),
    prices_include_tax: true,
    shipping: { method: 'parcel', price: 4.9 },
    discounts: [{ code: 'WELCOME10', percent: 10 }],
  }));
}

export function postOrders(key: string, orders = newOrders(500)): LoadRequest[] {
  return orders.map((order) => ({
    method: 'POST',
    path: ORDERS,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  }));
}

export function getPages(key: string, queries: readonly string[]): LoadRequest[] {
  return queries.map((query) => ({ method: 'GET', path: `${ORDERS}?${query}`, headers: { authorization: `Bearer ${key}` } }));
}
