import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber, wholeNumberOf } from './arguments/arguments.ts';
import { UsageError } from './errors.ts';
import { createClient } from './service/client.ts';
import { amount } from './shown/amounts.ts';
import { explain, pretty, show } from './shown/output.ts';
import { table } from './shown/table.ts';

const TEXT = { type: 'string' } as const;
const PRODUCT = 'id of the product';
const MOST_UNITS = 1_000_000_000_000;

interface Level {
  on_hand: number;
  reserved: number;
  available: number;
}

interface Movement {
  kind: string;
  delta: number;
  on_hand?: number;
  location: string;
  reason: string | null;
  order_id: string | null;
  at: string;
}

interface ProductStock extends Level {
  locations: (Level & { location: string })[];
  track_stock: boolean;
  movements: Movement[];
}

const ACTIONS: Actions = { show: showOne, move, count };

/** Shows the stock of a product of a running service, moves some of it, and takes counts. */
export function stock(args: string[], config: Config): Promise<number> {
  return runAction('stock', ACTIONS, args, config);
}

async function showOne(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { location: TEXT, limit: TEXT, ...JSON_OPTION }, [PRODUCT]);
  const query = new URLSearchParams({ limit: String(values.limit === undefined ? 20 : wholeNumber('limit', values.limit, 1, 1000)) });
  if (values.location !== undefined) query.set('location', values.location);
  const path = `${pathOf(positionals)}/stock?${query.toString()}`;
  const { data, total } = await createClient(config).call<{ data: ProductStock; total: number }>('GET', path);
  if (values.json) {
    show(pretty(data));
    return 0;
  }
  const levels = [...data.locations, ...(data.locations.length === 1 ? [] : [{ ...data, location: 'in all' }])];
  show(table(['LOCATION', 'ON HAND', 'RESERVED', 'AVAILABLE'], levels.map(levelRow)));
  if (!data.track_stock) explain('Its stock is not tracked.');
  if (data.movements.length > 0)
    show(`\n${table(['AT', 'KIND', 'CHANGE', 'ON HAND', 'LOCATION', 'WHY'], data.movements.map(movementRow))}`);
  if (total > data.movements.length) explain(`${data.movements.length} of ${amount(total, 'movement')}.`);
  return 0;
}

async function move(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { add: TEXT, take: TEXT, location: TEXT, reason: TEXT, ...JSON_OPTION }, [PRODUCT]);
  const { add, take, location, reason } = values;
  if ((add === undefined) === (take === undefined)) throw new UsageError('Say either --add or --take, and how many.');
  const delta = add === undefined ? -wholeNumber('take', take ?? '', 1, MOST_UNITS) : wholeNumber('add', add, 1, MOST_UNITS);
  const body = {
    product_id: positionals[0] ?? '',
    delta,
    ...(location !== undefined && { location }),
    ...(reason !== undefined && { reason }),
  };
  const { data } = await createClient(config).call<{ data: Movement }>('POST', '/api/v1/stock/movements', body);
  const left = data.on_hand === undefined ? '' : `, ${data.on_hand} there now`;
  show(values.json ? pretty(data) : `${signed(data.delta)} at ${printable(data.location)}${left}.\n`);
  return 0;
}

async function count(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { 'as-of': TEXT, ...JSON_OPTION }, [PRODUCT, 'number that was counted']);
  const body = {
    stock_quantity: wholeNumberOf('The number that was counted', positionals[1] ?? '', 0, MOST_UNITS),
    ...(values['as-of'] !== undefined && { stock_as_of: values['as-of'] }),
  };
  const { data } = await createClient(config).call<{ data: { result: string; stock_quantity: number } }>(
    'PATCH',
    pathOf(positionals),
    body,
  );
  show(values.json ? pretty(data) : `${countedText(data.result, data.stock_quantity, body.stock_quantity)}\n`);
  return 0;
}

/** A count of an earlier time may agree with what was there then, or be older than one that is known: what is there now is told in any case. */
function countedText(result: string, onHand: number, counted: number): string {
  if (result !== 'unchanged') return `The count is taken: ${onHand} on hand in all.`;
  return onHand === counted ? 'The count agrees.' : `The count changes nothing: ${onHand} on hand in all.`;
}

function levelRow({ location, on_hand, reserved, available }: Level & { location: string }): string[] {
  return [location, String(on_hand), String(reserved), String(available)];
}

function movementRow({ at, kind, delta, on_hand, location, reason, order_id }: Movement): string[] {
  return [at, kind, signed(delta), on_hand === undefined ? '' : String(on_hand), location, reason ?? order_id ?? ''];
}

function signed(delta: number): string {
  return delta > 0 ? `+${delta}` : String(delta);
}

function pathOf([id = '']: string[]): string {
  return `/api/v1/products/${encodeURIComponent(id)}`;
}
