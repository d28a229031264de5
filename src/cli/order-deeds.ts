import type { Config } from '../config.ts';
import { type Actions, JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { UsageError } from './errors.ts';
import { createClient } from './service/client.ts';
import { ORDERS } from './service/find.ts';
import { ORDER_ARGUMENT, withOrder } from './service/one-order.ts';
import { objectFrom } from './service/simple-actions.ts';
import { explain, pretty, show } from './shown/output.ts';

const TEXT = { type: 'string' } as const;
const LINES = { line: { type: 'string', multiple: true } } as const;
const KEY = { 'idempotency-key': TEXT } as const;
const WHY = { reason: TEXT, restock: { type: 'boolean' }, location: TEXT } as const;

interface OrderState {
  id: string;
  status: string;
  version: number;
}

/** A parcel, a return or a refund tells of its order beside; an order is one itself. */
type Answer = OrderState | { id: string; order: OrderState };

/** What is done with one order: each is one request. */
export const ORDER_DEEDS: Actions = { create, update, move, ship, return: takeBack, refund };

async function create(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { order: TEXT, ...KEY, ...JSON_OPTION });
  const example = '{"customer_id": "c-1", "items": [{"product_id": "mug-1", "quantity": 1, "price": 4.5}]}';
  const body = objectFrom('order', values.order, example);
  return send(config, { method: 'POST', body, values });
}

async function update(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { changes: TEXT, ...JSON_OPTION }, [ORDER_ARGUMENT]);
  const body = objectFrom('changes', values.changes, '{"note": "Leave it at the door."}');
  return send(config, { method: 'PATCH', order: positionals[0], body, values });
}

async function move(args: string[], config: Config): Promise<number> {
  const options = { reason: TEXT, restock: { type: 'boolean' }, ...JSON_OPTION } as const;
  const { values, positionals } = readArguments(args, options, [ORDER_ARGUMENT, 'status']);
  const body = { to: positionals[1], ...given({ reason: values.reason, restock: values.restock }) };
  return send(config, { method: 'POST', order: positionals[0], under: '/transitions', body, values });
}

async function ship(args: string[], config: Config): Promise<number> {
  const tracked = { carrier: TEXT, tracking: TEXT, 'tracking-url': TEXT } as const;
  const { values, positionals } = readArguments(args, { ...LINES, ...tracked, location: TEXT, ...KEY, ...JSON_OPTION }, [ORDER_ARGUMENT]);
  const tracking = given({ carrier: values.carrier, number: values.tracking, url: values['tracking-url'] });
  const body = {
    ...given({ lines: linesOf(values.line), location: values.location }),
    ...(Object.keys(tracking).length > 0 && { tracking }),
  };
  return send(config, { method: 'POST', order: positionals[0], under: '/fulfillments', body, values });
}

async function takeBack(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { ...LINES, ...WHY, ...KEY, ...JSON_OPTION }, [ORDER_ARGUMENT]);
  const { reason, restock, location } = values;
  const body = given({ lines: linesOf(values.line), reason, restock, location });
  return send(config, { method: 'POST', order: positionals[0], under: '/returns', body, values });
}

async function refund(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { ...LINES, amount: TEXT, ...WHY, ...KEY, ...JSON_OPTION }, [ORDER_ARGUMENT]);
  const { reason, restock, location } = values;
  const body = given({ lines: linesOf(values.line), amount: amountOf(values.amount), reason, restock, location });
  return send(config, { method: 'POST', order: positionals[0], under: '/refunds', body, values });
}

interface Deed {
  method: string;
  /** By its id or its external id; undefined for a new one. */
  order?: string | undefined;
  /** What is asked of it, as the end of a path. */
  under?: string;
  body: object;
  values: { json?: boolean; 'idempotency-key'?: string };
}

async function send(config: Config, { method, order, under = '', body, values }: Deed): Promise<number> {
  const key = values['idempotency-key'];
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const client = createClient(config);
  const ask = (path: string): Promise<{ data: Answer }> => client.call(method, path + under, body, { headers });
  const { data } = await (order === undefined ? ask(ORDERS.path) : withOrder(client, order, ask));
  show(values.json ? pretty(data) : `${data.id}\n`);
  const { status, version } = 'order' in data ? data.order : data;
  if (!values.json) explain(`The order is ${status}, at version ${version}.`);
  return 0;
}

/** `2` is all that is left of the second line, `2=3` are three units of it. */
function linesOf(texts: readonly string[] | undefined): { line: number; quantity?: number }[] | undefined {
  return texts?.map((text) => {
    const [, line, quantity] = /^(\d{1,3})(?:=(\d{1,7}))?$/.exec(text) ?? [];
    if (line === undefined) throw new UsageError(`--line is written as 2 or 2=3, for three units of the second line, not "${text}".`);
    return { line: Number(line), ...(quantity !== undefined && { quantity: Number(quantity) }) };
  });
}

function amountOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,11}(\.\d{1,4})?$/.test(text)) throw new UsageError(`--amount must be an amount such as 4.50, not "${text}".`);
  return Number(text);
}

/** The members that have a value. */
function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
