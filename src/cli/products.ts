import type { Config } from '../config.ts';
import { scalarText } from '../lib/exact-json.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { importLines } from './import-lines.ts';
import { createClient } from './service/client.ts';
import { PRODUCTS } from './service/find.ts';
import { deleting, objectFrom, showing } from './service/simple-actions.ts';
import { explain, pretty, show } from './shown/output.ts';
import { table } from './shown/table.ts';

const TEXT = { type: 'string' } as const;
const PATH = PRODUCTS.path;

interface Product {
  product_id: string;
  name: string;
  price: unknown;
  stock_quantity: number;
  categories: string[];
  updated_at: string;
}

const ACTIONS: Actions = {
  find,
  show: showing(PRODUCTS),
  put,
  update,
  import: (args, config) => importLines(args, config, { what: 'product', path: `${PATH}/sync/batch` }),
  delete: deleting(PRODUCTS),
};

/** Finds, puts and changes products of a running service. */
export function products(args: string[], config: Config): Promise<number> {
  return runAction('products', ACTIONS, args, config);
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

async function put(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { product: TEXT, ...JSON_OPTION });
  const example = '{"product_id": "mug-1", "name": "Mug", "price": 4.5, "stock_quantity": 10}';
  return send(config, 'POST', `${PATH}/sync`, objectFrom('product', values.product, example), values.json);
}

async function update(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { changes: TEXT, ...JSON_OPTION }, ['id of the product']);
  const path = `${PATH}/${encodeURIComponent(positionals[0] ?? '')}`;
  return send(config, 'PATCH', path, objectFrom('changes', values.changes, '{"price": 5}'), values.json);
}

async function send(config: Config, method: string, path: string, body: object, json: boolean | undefined): Promise<number> {
  const { data } = await createClient(config).call<{ data: Product }>(method, path, body);
  show(json ? pretty(data) : `${data.product_id}\n`);
  return 0;
}
