import { minorDigits } from '../../lib/currency.ts';
import { parseTime } from '../../lib/clock.ts';
import { type FieldError, invalidParam, invalidParams } from '../../lib/errors.ts';
import { metadataText } from '../../lib/metadata.ts';
import { decimalText, type Units, unitsOf } from '../../lib/money.ts';
import type { Static } from '../../lib/schema.ts';
import { type Levy, type Priceable, type Priced, type PriceFault, priceOrder, type Reduction, sumsAlone } from './pricing.ts';
import type { OrderLine } from './rules.ts';
import type { NewOrder } from './schemas.ts';

// What an order has beyond its lines and its address becomes JSON text here, once. The money in it is computed before, and written as decimals.

type Body = Static<typeof NewOrder>;
type Item = Body['items'][number];
type DiscountInput = NonNullable<Item['discount']>;
type TaxInput = NonNullable<Item['tax']> & { name?: string };
export type OtherExtras = Pick<Body, (typeof OTHERS)[number]>;
/** The members that are kept of an order, beside those that each has. */
export type Extras = Pick<Body, (typeof MONEY)[number] | (typeof OTHERS)[number]> & {
  items: Body['items'];
  currency?: string;
  reserve?: boolean;
};

/** Where something is in an order. It is put into words only of what is at fault, as hardly anything is. */
type Field = () => string;

const LENGTH_TO_MILLISECONDS = '2026-11-01T00:00:00.000'.length;

/** What changes the total, and what does not. */
export const MONEY = ['prices_include_tax', 'shipping', 'discounts', 'taxes'] as const;
export const OTHERS = ['customer', 'billing_address', 'payment', 'note', 'tags', 'channel'] as const;

/** What an order that was placed elsewhere brings with it. */
export interface Brought {
  /** What was paid, whatever the parts come to. */
  total: Units | undefined;
  placed_at: string | undefined;
}

export interface Dressed {
  lines: OrderLine[];
  total: Units;
  /** JSON text of an object; undefined when there is nothing to say. */
  extra: string | undefined;
}

/** Whether an order has nothing but what every order has: then none of this concerns it. */
export function isPlain(body: Extras): boolean {
  for (const name of MONEY) if (body[name] !== undefined) return false;
  for (const name of OTHERS) if (body[name] !== undefined) return false;
  if (body.reserve) return false;
  return body.items.every(isPlainLine);
}

function isPlainLine({ name, sku, variant, discount, tax, metadata }: Item): boolean {
  return (name ?? sku ?? variant ?? discount ?? tax ?? metadata) === undefined;
}

/**
 * Computes what the order comes to, and writes down all that it has, in `lines` that of each of them; throws INVALID_PARAMS for what a schema
 * cannot say.
 */
export function dress(body: Extras, lines: OrderLine[], sums: readonly Units[], currency: string, brought?: Brought): Dressed {
  const isPriced = MONEY.some((name) => body[name] !== undefined) || body.items.some(({ discount, tax }) => discount ?? tax);
  const priced = isPriced ? priceOrder(priceableOf(body, sums, currency)) : sumsAlone(sums);
  if ('fault' in priced) throw tooMuch(priced.fault);
  const total = brought?.total ?? priced.total;
  const adjustment = total - priced.total;
  const members = isPriced || adjustment !== 0n ? moneyMembers(body, priced, adjustment) : [];
  addOtherMembers(body, members);
  if (body.reserve) members.push('"reserve":true');
  if (brought) members.push('"imported":true');
  if (brought?.placed_at !== undefined) members.push(`"placed_at":"${brought.placed_at}"`);
  lines.forEach((line, index) => {
    line.more = lineMembers(body.items[index] as Item, priced.lines[index] ?? {}, index);
  });
  return { lines, total, extra: members.length > 0 ? `{${members.join(',')}}` : undefined };
}

export function priceableOf(
  { items, discounts, shipping, taxes, prices_include_tax }: Extras,
  sums: readonly Units[],
  currency: string,
): Priceable {
  const faults: FieldError[] = [];
  const units = (number: number | undefined, field: Field, member: string): Units | undefined => {
    if (number === undefined) return undefined;
    const found = unitsOf(number);
    if (found === undefined) faults.push({ field: `${field()}.${member}`, reason: 'must have at most 4 decimals' });
    return found ?? 0n;
  };
  const reduction = ({ amount, percent }: DiscountInput, field: Field): Reduction => ({
    amount: units(amount, field, 'amount'),
    percent: units(percent, field, 'percent'),
  });
  const levy = ({ rate, amount }: TaxInput, field: Field): Levy => ({
    rate: units(rate, field, 'rate'),
    amount: units(amount, field, 'amount'),
  });
  const priceable: Priceable = {
    lines: items.map(({ discount, tax }, index) => ({
      sum: sums[index] as Units,
      discount: discount && reduction(discount, () => `items[${index}].discount`),
      tax: tax && levy(tax, () => `items[${index}].tax`),
    })),
    discounts: (discounts ?? []).map((discount, index) => reduction(discount, () => `discounts[${index}]`)),
    shipping: shipping && {
      price: units(shipping.price, () => 'shipping', 'price') ?? 0n,
      tax: shipping.tax && levy(shipping.tax, () => 'shipping.tax'),
    },
    taxes: (taxes ?? []).map((tax, index) => levy(tax, () => `taxes[${index}]`)),
    pricesIncludeTax: prices_include_tax ?? false,
    digits: minorDigits(currency),
  };
  if (faults.length > 0) throw invalidParams(faults);
  return priceable;
}

const TOO_MUCH: Readonly<Record<PriceFault['kind'], string>> = {
  more_than_line: 'must not be more than quantity × price of the line',
  more_than_goods: 'must not be more than the lines come to after their own discounts',
  more_than_total: 'cannot hold: the taxes are more than the total that they are to be in',
};

function tooMuch({ field, kind }: PriceFault): Error {
  return invalidParam(field, TOO_MUCH[kind]);
}

function lineMembers({ name, sku, variant, discount, tax, metadata }: Item, priced: Priced['lines'][number], index: number): string {
  let text = '';
  if (name !== undefined) text += `,"name":${JSON.stringify(name)}`;
  if (sku !== undefined) text += `,"sku":${JSON.stringify(sku)}`;
  if (variant !== undefined) text += `,"variant":${JSON.stringify(variant)}`;
  if (discount) text += `,"discount":${discountText(discount, priced.discount ?? 0n)}`;
  if (tax) text += `,"tax":${taxText(tax, priced.tax ?? 0n)}`;
  if (metadata) text += `,"metadata":${metadataText(metadata, `items[${index}].metadata`)}`;
  return text;
}

function moneyMembers({ prices_include_tax, shipping, discounts, taxes }: Extras, priced: Priced, adjustment: Units): string[] {
  const members = [
    `"subtotal":${decimalText(priced.subtotal)}`,
    `"discount_total":${decimalText(priced.discountTotal)}`,
    `"shipping_total":${decimalText(priced.shippingTotal)}`,
    `"tax_total":${decimalText(priced.taxTotal)}`,
  ];
  if (adjustment !== 0n) members.push(`"adjustment":${decimalText(adjustment)}`);
  if (prices_include_tax !== undefined) members.push(`"prices_include_tax":${prices_include_tax}`);
  if (shipping) {
    const { method, tax } = shipping;
    const named = method === undefined ? '' : `"method":${JSON.stringify(method)},`;
    const taxed = tax ? `,"tax":${taxText(tax, priced.shippingTax ?? 0n)}` : '';
    members.push(`"shipping":{${named}"price":${decimalText(priced.shippingTotal)}${taxed}}`);
  }
  if (discounts)
    members.push(`"discounts":[${discounts.map((discount, i) => discountText(discount, priced.discounts[i] ?? 0n)).join(',')}]`);
  if (taxes) members.push(`"taxes":[${taxes.map((tax, i) => taxText(tax, priced.taxes[i] ?? 0n)).join(',')}]`);
  return members;
}

function discountText({ code, percent }: DiscountInput, amount: Units): string {
  const named = code === undefined ? '' : `"code":${JSON.stringify(code)},`;
  const part = percent === undefined ? '' : `"percent":${plain(percent)},`;
  return `{${named}${part}"amount":${decimalText(amount)}}`;
}

function taxText({ name, rate }: TaxInput, amount: Units): string {
  const named = name === undefined ? '' : `"name":${JSON.stringify(name)},`;
  const part = rate === undefined ? '' : `"rate":${plain(rate)},`;
  return `{${named}${part}"amount":${decimalText(amount)}}`;
}

/** A percentage as decimal text; a double would write small ones with an exponent. */
function plain(percent: number): string {
  return decimalText(unitsOf(percent) ?? 0n);
}

/** What has no effect on the total, as JSON members. */
export function otherMembers(body: OtherExtras): string[] {
  const members: string[] = [];
  addOtherMembers(body, members);
  return members;
}

function addOtherMembers(body: OtherExtras, members: string[]): void {
  for (const name of OTHERS) {
    const value = body[name];
    if (value !== undefined) members.push(`"${name}":${JSON.stringify(name === 'payment' ? paymentOf(body.payment ?? {}) : value)}`);
  }
}

function paymentOf(payment: NonNullable<Body['payment']>): object {
  const { paid_at, ...rest } = payment;
  return paid_at === undefined ? rest : { ...rest, paid_at: timeOf(paid_at, 'payment.paid_at').text };
}

/** A moment that was given: its milliseconds, and as we write it. */
export function timeOf(given: string, field: string): { milliseconds: number; text: string } {
  const time = parseTime(given);
  if (!time) throw invalidParam(field, 'must be a time such as 2026-11-01T00:00:00Z');
  const { milliseconds, exact } = time;
  return { milliseconds, text: `${exact.slice(0, LENGTH_TO_MILLISECONDS)}Z` };
}
