import type { Config } from '../config.ts';
import { scalarText } from '../lib/exact-json.ts';
import { JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { explain, pretty, show } from './shown/output.ts';
import { table } from './shown/table.ts';

const TEXT = { type: 'string' } as const;
const PATH = '/api/v1/products';

interface Product {
  product_id: string;
  name: string;
  price: unknown;
  stock_quantity: number;
  categories: string[];
  updated_at: string;
}

/** Finds and shows products of a running service. */
export function products(args: string[], config: Config): Promise<number> {
  return runAction('products', { find, show: showOne }, args, config);
}

async function find(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { q: TEXT, category: TEXT, limit: TEXT, ...JSON_OPTION });
  const query = new URLSearchParams({ limit: String(values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 1000)) });
  if (values.q !== undefined) query.set('q', values.q);
  if (values.category !== undefined) query.set('category', values.category);
  const { data, total } = await createClient(config).call<{ data: Product[]; total: number }>('GET', `${PATH}?${query.toString()}`);
  const rows = data.map(({ product_id, name, price, stock_quantity, categories, updated_at }) => [
    product_id,
    name,
    scalarText(price) ?? '',
    String(stock_quantity),
    categories.join(', '),
    updated_at,
  ]);
  show(values.json ? pretty(data) : table(['ID', 'NAME', 'PRICE', 'STOCK', 'CATEGORIES', 'CHANGED'], rows));
  if (!values.json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}

/** The product as the API tells it, which is JSON in any case. */
async function showOne(args: string[], config: Config): Promise<number> {
  const { positionals } = readArguments(args, JSON_OPTION, ['id of the product']);
  const { data } = await createClient(config).call<{ data: Product }>('GET', `${PATH}/${encodeURIComponent(positionals[0] ?? '')}`);
  show(pretty(data));
  return 0;
}
