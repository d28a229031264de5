import type { Config } from '../config.ts';
import { scalarText } from '../lib/exact-json.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { CliError } from './errors.ts';
import { createClient } from './service/client.ts';
import { listAll } from './service/pages.ts';
import { amount } from './shown/amounts.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { type FoundOrder, showOrders } from './shown/orders.ts';
import { table } from './shown/table.ts';

const PATH = '/api/v1/customers';
const ID = ['id of the customer'];

interface Customer {
  id: string;
  orders: number;
  last_order: { created_at: string };
  totals: { currency: string; total: unknown }[];
  customer: { name?: string; email?: string } | null;
}

interface Erasure {
  id: string;
  status: string;
  customer_id: string | null;
  orders: number;
  created_at: string;
}

const ACTIONS: Actions = { list, show: showOne, orders, erase, erasures };

/** Lists those who ordered, and erases a person, of a running service. */
export function customers(args: string[], config: Config): Promise<number> {
  return runAction('customers', ACTIONS, args, config);
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { limit: { type: 'string' }, ...JSON_OPTION });
  const limit = values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 1000);
  const { data, total } = await createClient(config).call<{ data: Customer[]; total: number }>('GET', `${PATH}?limit=${limit}`);
  const rows = data.map(rowOf);
  const empty = 'There is no customer yet: one is there with the first order.';
  showList({ json: values.json, found: data, headings: HEADINGS, rows, empty });
  if (!values.json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}

async function showOne(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ID);
  const { data } = await createClient(config).call<{ data: Customer }>('GET', pathOf(positionals));
  show(values.json ? pretty(data) : table(HEADINGS, [rowOf(data)]));
  return 0;
}

async function orders(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { limit: { type: 'string' }, ...JSON_OPTION }, ID);
  const limit = values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 1000);
  const { data, total } = await createClient(config).call<{ data: FoundOrder[]; total: number }>(
    'GET',
    `${pathOf(positionals)}/orders?limit=${limit}`,
  );
  showOrders(data, total, values.json);
  return 0;
}

async function erasures(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Erasure>(createClient(config), '/api/v1/erasures');
  const rows = found.map(({ id, status, customer_id, orders: count, created_at }) => [
    id,
    status,
    customer_id ?? '',
    String(count),
    created_at,
  ]);
  const headings = ['ID', 'STATUS', 'CUSTOMER NOW', 'ORDERS', 'ASKED FOR'];
  showList({ json: values.json, found, headings, rows, empty: 'No person was erased.' });
  return 0;
}

async function erase(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { yes: { type: 'boolean' }, ...JSON_OPTION }, ID);
  const client = createClient(config);
  if (!values.yes) {
    const { data } = await client.call<{ data: Customer }>('GET', pathOf(positionals));
    throw new CliError(
      `This takes the person out of ${amount(data.orders, 'order')}, of events, logs, rejected rows and calls, and cannot be taken back. ` +
        'What was ordered and paid stays. Nothing was done: say --yes to do it.',
    );
  }
  const { data } = await client.call<{ data: Erasure }>('POST', `${pathOf(positionals)}/erase`);
  const isDone = data.status === 'done';
  show(values.json ? pretty(data) : `${isDone ? 'Erased' : 'Erasing'}: ${data.id}, ${amount(data.orders, 'order')}.\n`);
  if (!isDone) explain('It goes on in the service.');
  return 0;
}

const HEADINGS = ['ID', 'NAME', 'E-MAIL', 'ORDERS', 'SUM', 'LAST ORDER'];

function rowOf({ id, customer, orders, totals, last_order }: Customer): string[] {
  const sums = totals.map(({ currency, total }) => `${scalarText(total)} ${currency}`).join(', ');
  return [id, customer?.name ?? '', customer?.email ?? '', String(orders), sums, last_order.created_at];
}

function pathOf([id = '']: string[]): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
