import { parseExactly, scalarText } from '../../../lib/exact-json.ts';
import { type Units, unitsOfText } from '../../../lib/money.ts';
import type { Static } from '../../../lib/schema.ts';
import { MONEY, OTHERS, priceableOf } from '../extras.ts';
import { priceOrder } from '../pricing.ts';
import type { RenderableOrder } from '../render.ts';
import type { NewOrder } from '../schemas.ts';
import { reserves } from '../stock.ts';

// An order as the body that would make it, so that a change of it passes the same checks, and is computed by the same rules, as a new one.

export type OrderBody = Static<typeof NewOrder>;
type Item = OrderBody['items'][number];

interface KeptTax {
  name?: string;
  rate?: number;
  amount?: number | object;
}

interface KeptDiscount {
  code?: string;
  percent?: number;
  amount?: number | object;
}

type KeptItem = Item & { line_total?: unknown; product_known?: unknown };

export function reopened(order: RenderableOrder): OrderBody {
  const extra = (order.extra === null ? {} : parseExactly(order.extra)) as Partial<OrderBody>;
  const kept = Object.fromEntries([...MONEY, ...OTHERS].filter((name) => extra[name] !== undefined).map((name) => [name, extra[name]]));
  const items = parseExactly(order.items) as KeptItem[];
  const body = {
    customer_id: order.customer_id,
    ...kept,
    ...(reserves(order) && { reserve: true }),
    items: items.map(({ line_total: _total, product_known: _known, ...item }) => item),
    metadata: parseExactly(order.metadata),
    ...(order.shipping_address !== null && { shipping_address: parseExactly(order.shipping_address) }),
  } as OrderBody;
  return withoutComputed(body, items, order.currency);
}

/** Leaves out what was computed, so that it is computed anew: what a discount by percent and a tax by rate come to. */
function withoutComputed(body: OrderBody, items: readonly KeptItem[], currency: string): OrderBody {
  const bare: OrderBody = {
    ...body,
    items: body.items.map(({ discount, tax, ...item }) => ({
      ...item,
      ...(discount && { discount: bareDiscount(discount) }),
      ...(tax && { tax: bareTax(tax) }),
    })),
    ...(body.discounts && { discounts: body.discounts.map(bareDiscount) }),
    ...(body.taxes && { taxes: body.taxes.map(bareTax) }),
    ...(body.shipping && { shipping: { ...body.shipping, ...(body.shipping.tax && { tax: bareTax(body.shipping.tax) }) } }),
  };
  const sums = items.map(({ line_total }) => unitsIn(line_total));
  const priced = priceOrder(priceableOf(bare, sums, currency));
  if ('fault' in priced) return body;
  // An amount that is not what the rate comes to was given: it stays.
  const told = <Tax extends KeptTax>(tax: Tax, kept: KeptTax | undefined, computed: Units | undefined): Tax =>
    tax.rate === undefined || kept?.amount === undefined || unitsIn(kept.amount) === computed ? tax : { ...tax, amount: kept.amount };
  return {
    ...bare,
    items: bare.items.map((item, i) => (item.tax ? { ...item, tax: told(item.tax, body.items[i]?.tax, priced.lines[i]?.tax) } : item)),
    ...(bare.taxes && { taxes: bare.taxes.map((tax, i) => told(tax, body.taxes?.[i], priced.taxes[i])) }),
    ...(bare.shipping?.tax && { shipping: { ...bare.shipping, tax: told(bare.shipping.tax, body.shipping?.tax, priced.shippingTax) } }),
  };
}

/** Of a discount either is given, the amount or the percentage. */
function bareDiscount<Discount extends KeptDiscount>({ amount, ...rest }: Discount): Discount {
  return (rest.percent === undefined ? { ...rest, amount } : rest) as Discount;
}

function bareTax<Tax extends KeptTax>({ amount, ...rest }: Tax): Tax {
  return (rest.rate === undefined ? { ...rest, amount } : rest) as Tax;
}

function unitsIn(number: unknown): Units {
  return unitsOfText(scalarText(number) ?? '0');
}
