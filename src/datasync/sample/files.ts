import { writeFile } from 'node:fs/promises';
import type { Roots } from '../../outside/roots.ts';
import { isoTime } from '../../lib/clock.ts';
import { CATALOGUE } from '../../sample/catalogue.ts';
import { newCustomer } from '../../sample/people.ts';
import { randomFrom } from '../../sample/random.ts';

const CUSTOMERS = 400;
const ORDERS = 5_000;
const HOUR = 3_600_000;

/** Below the first folder that connectors may touch. */
export const SAMPLE_FOLDER = 'sample/shop';

export interface SampleFile {
  name: string;
  rows: number;
}

type SampleRow = readonly (string | number)[];

/** Writes a small shop as CSV files. What is there already stays as it is: the user may have tried something in it. */
export async function writeSample(roots: Roots, now: number): Promise<SampleFile[]> {
  const folder = await roots.folder(SAMPLE_FOLDER, true);
  const tables = shopOf(now);
  try {
    for (const [name, rows] of Object.entries(tables)) {
      await writeFile(folder.at(`${name}.csv`), csvOf(rows), { flag: 'wx', mode: 0o640 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    }
  } finally {
    folder.close();
  }
  return Object.entries(tables).map(([name, rows]) => ({ name, rows: rows.length - 1 }));
}

function shopOf(now: number): Record<'customers' | 'products' | 'orders', SampleRow[]> {
  const random = randomFrom('sample');
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => newCustomer(random, index + 1));
  const orders = Array.from({ length: ORDERS }, (_, index) => {
    const { product_id, price } = random.pick(CATALOGUE);
    const quantity = random.between(1, 4);
    const time = isoTime(now - (ORDERS - index) * HOUR);
    return [index + 1, random.pick(customers).customer_id, product_id, quantity, cents(quantity * price), time] as const;
  });
  return {
    customers: [
      ['id', 'name', 'street', 'zip', 'city', 'country'],
      ...customers.map(({ customer_id, address: { name, street, zip, city, country } }) => [customer_id, name, street, zip, city, country]),
    ],
    products: [
      ['id', 'name', 'price', 'category'],
      ...CATALOGUE.map(({ product_id, name, price, categories }) => [product_id, name, cents(price), categories[0] ?? '']),
    ],
    orders: [['id', 'customer_id', 'product_id', 'quantity', 'total', 'ordered_at'], ...orders],
  };
}

function cents(amount: number): string {
  return (amount / 100).toFixed(2);
}

function csvOf(rows: readonly SampleRow[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
