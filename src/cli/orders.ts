import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import { JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { CliError } from './errors.ts';
import { createClient } from './service/client.ts';
import { explain, pretty, show } from './shown/output.ts';
import { table } from './shown/table.ts';

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
  'updated-since': 'updated_since',
};

/** Finds, shows and exports orders of a running service. */
export function orders(args: string[], config: Config): Promise<number> {
  return runAction('orders', { find, show: showOne, export: exportOrders }, args, config);
}

function queryOf(values: Partial<Record<keyof typeof FILTERS, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [option, parameter] of Object.entries(PARAMETERS)) {
    const value = values[option as keyof typeof FILTERS];
    if (value !== undefined) query.set(parameter, value);
  }
  return query;
}

interface FoundOrder {
  id: string;
  status: string;
  total: number;
  created_at: string;
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
  const rows = data.map((order) => [order.id, order.status, String(order.total), order.created_at]);
  show(values.json ? pretty(data) : table(['ID', 'STATUS', 'TOTAL', 'CREATED'], rows));
  if (!values.json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}

/** The order as the API tells it, which is JSON in any case. */
async function showOne(args: string[], config: Config): Promise<number> {
  const { positionals } = readArguments(args, JSON_OPTION, ['id of the order']);
  const { data } = await createClient(config).call<{ data: object }>('GET', `/api/v1/orders/${encodeURIComponent(positionals[0] ?? '')}`);
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
