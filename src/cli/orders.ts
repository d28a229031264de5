import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { CliError } from './errors.ts';
import { importLines } from './import-lines.ts';
import { ORDER_DEEDS } from './order-deeds.ts';
import { createClient } from './service/client.ts';
import { ORDERS } from './service/find.ts';
import { ORDER_ARGUMENT, withOrder } from './service/one-order.ts';
import { type FoundOrder, showOrders } from './shown/orders.ts';
import { explain, pretty, show } from './shown/output.ts';

const TEXT = { type: 'string' } as const;

/** The filters of the API, under the names of options. */
const FILTERS = {
  q: TEXT,
  status: TEXT,
  customer: TEXT,
  'external-id': TEXT,
  product: TEXT,
  currency: TEXT,
  channel: TEXT,
  tag: TEXT,
  from: TEXT,
  to: TEXT,
  'placed-from': TEXT,
  'placed-to': TEXT,
  'updated-since': TEXT,
} as const;
const PARAMETERS: Readonly<Record<keyof typeof FILTERS, string>> = {
  q: 'q',
  status: 'status',
  customer: 'customer_id',
  'external-id': 'external_id',
  product: 'product_id',
  currency: 'currency',
  channel: 'channel',
  tag: 'tag',
  from: 'created_from',
  to: 'created_to',
  'placed-from': 'placed_from',
  'placed-to': 'placed_to',
  'updated-since': 'updated_since',
};

const ACTIONS: Actions = {
  find,
  show: showOrder,
  ...ORDER_DEEDS,
  import: (args, config) => importLines(args, config, { what: 'order', path: `${ORDERS.path}/batch` }),
  export: exportOrders,
};

/** Finds, shows, changes and exports orders of a running service. */
export function orders(args: string[], config: Config): Promise<number> {
  return runAction('orders', ACTIONS, args, config);
}

function queryOf(values: Partial<Record<keyof typeof FILTERS, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [option, parameter] of Object.entries(PARAMETERS)) {
    const value = values[option as keyof typeof FILTERS];
    if (value !== undefined) query.set(parameter, value);
  }
  return query;
}

async function find(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { ...FILTERS, sort: TEXT, limit: TEXT, ...JSON_OPTION });
  const query = queryOf(values);
  if (values.sort !== undefined) query.set('sort', values.sort);
  query.set('limit', String(values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 1000)));
  const { data, total } = await createClient(config).call<{ data: FoundOrder[]; total: number }>(
    'GET',
    `/api/v1/orders?${query.toString()}`,
  );
  showOrders(data, total, values.json);
  return 0;
}

async function showOrder(args: string[], config: Config): Promise<number> {
  const { positionals } = readArguments(args, JSON_OPTION, [ORDER_ARGUMENT]);
  const client = createClient(config);
  const { data } = await withOrder(client, positionals[0] ?? '', (path) => client.call<{ data: object }>('GET', path));
  show(pretty(data));
  return 0;
}

/** To standard output, or to a file that is there only when it is whole. */
async function exportOrders(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { ...FILTERS, format: TEXT, rows: TEXT, out: TEXT });
  const query = queryOf(values);
  if (values.format !== undefined) query.set('format', values.format);
  if (values.rows !== undefined) query.set('rows', values.rows);
  const bytes = createClient(config).bytes(`/api/v1/orders/export?${query.toString()}`);
  if (values.out === undefined) {
    await pipeline(Readable.from(bytes), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      // Nobody reads any more, such as after `| head`.
      if (error.code !== 'EPIPE') throw error;
    });
    return 0;
  }
  const unfinished = `${values.out}.part`;
  try {
    await pipeline(Readable.from(bytes), createWriteStream(unfinished, { mode: 0o600 }));
    await rename(unfinished, values.out);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    const { syscall, message } = error as NodeJS.ErrnoException;
    // The service has been asked by then: what the system says is of the file.
    if (syscall === 'open' || syscall === 'write' || syscall === 'rename') throw new CliError(`Cannot write ${values.out}: ${message}.`);
    throw error;
  }
  explain(`Exported to ${values.out}.`);
  return 0;
}
