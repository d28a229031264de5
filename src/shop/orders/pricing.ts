import { roundedTo, type Units } from '../../lib/money.ts';

// What an order comes to. Amounts that were given are taken as they are, with up to four decimals. What is computed (a discount by percent, a
// tax by rate) is rounded once, to the decimals of the currency, a half upwards. The total is the sum of these parts and is not rounded again.

/** So much off: an amount, or a part in ten-thousandths of a percent. */
export interface Reduction {
  amount?: Units | undefined;
  percent?: Units | undefined;
}

/** A tax: its rate in ten-thousandths of a percent, its amount, or both; then the amount counts. */
export interface Levy {
  rate?: Units | undefined;
  amount?: Units | undefined;
}

interface PricedLine {
  /** Quantity × price. */
  sum: Units;
  discount?: Reduction | undefined;
  tax?: Levy | undefined;
}

export interface Priceable {
  lines: readonly PricedLine[];
  /** Off the whole order, after the discounts of its lines. */
  discounts: readonly Reduction[];
  shipping?: { price: Units; tax?: Levy | undefined } | undefined;
  /** On lines, and on shipping, that have no tax of their own. */
  taxes: readonly Levy[];
  pricesIncludeTax: boolean;
  /** The decimals of the currency. */
  digits: number;
}

export interface Priced {
  lines: readonly { discount?: Units | undefined; tax?: Units | undefined }[];
  discounts: readonly Units[];
  shippingTax?: Units | undefined;
  taxes: readonly Units[];
  subtotal: Units;
  discountTotal: Units;
  shippingTotal: Units;
  taxTotal: Units;
  total: Units;
}

export interface PriceFault {
  field: string;
  kind: 'more_than_line' | 'more_than_goods' | 'more_than_total';
}

/** One as a percentage in ten-thousandths. */
const WHOLE = 1_000_000n;

export function priceOrder(order: Priceable): Priced | { fault: PriceFault } {
  const { lines, digits, shipping } = order;
  const lineDiscounts = lines.map(({ sum, discount }) => discount && reduction(discount, sum, digits));
  const tooMuch = lines.findIndex(({ sum }, index) => (lineDiscounts[index] ?? 0n) > sum);
  if (tooMuch !== -1) return { fault: { field: `items[${tooMuch}].discount`, kind: 'more_than_line' } };

  const nets = lines.map(({ sum }, index) => sum - (lineDiscounts[index] ?? 0n));
  const goods = sumOf(nets);
  const discounts = order.discounts.map((discount) => reduction(discount, goods, digits));
  const offAll = sumOf(discounts);
  if (offAll > goods) return { fault: { field: 'discounts', kind: 'more_than_goods' } };

  const share: Share = { left: goods - offAll, of: goods === 0n ? 1n : goods };
  const taxes = taxesOf(order, nets, share);
  const subtotal = sumOf(lines.map(({ sum }) => sum));
  const discountTotal = subtotal - goods + offAll;
  const shippingTotal = shipping?.price ?? 0n;
  const taxTotal = sumOf(taxes.lines) + (taxes.shipping ?? 0n) + sumOf(taxes.order);
  const beforeTax = subtotal - discountTotal + shippingTotal;
  if (order.pricesIncludeTax && taxTotal > beforeTax) return { fault: { field: 'prices_include_tax', kind: 'more_than_total' } };
  return {
    lines: lines.map((_, index) => ({ discount: lineDiscounts[index], tax: taxes.lines[index] })),
    discounts,
    shippingTax: taxes.shipping,
    taxes: taxes.order,
    subtotal,
    discountTotal,
    shippingTotal,
    taxTotal,
    total: order.pricesIncludeTax ? beforeTax : beforeTax + taxTotal,
  };
}

/** Of an order that is nothing but its lines: what `priceOrder` answers where nothing is off and nothing comes on. */
export function sumsAlone(sums: readonly Units[]): Priced {
  const subtotal = sumOf(sums);
  return { lines: [], discounts: [], taxes: [], subtotal, discountTotal: 0n, shippingTotal: 0n, taxTotal: 0n, total: subtotal };
}

/** What is left of the goods after the discounts of the order: each line has its part of them, exactly. */
interface Share {
  left: Units;
  of: Units;
}

function taxesOf({ lines, shipping, taxes, pricesIncludeTax, digits }: Priceable, nets: readonly Units[], { left, of }: Share) {
  // In a price that includes its tax, the tax is rate / (1 + rate) of it.
  const levied = (levy: Levy, above: bigint, below: bigint, rates: bigint): Units => {
    if (levy.amount !== undefined) return levy.amount;
    return roundedTo(digits, above * (levy.rate ?? 0n), below * (pricesIncludeTax ? WHOLE + rates : WHOLE));
  };
  const alone = (levy: Levy, above: bigint, below: bigint): Units => levied(levy, above, below, levy.rate ?? 0n);

  let untaxed = shipping && !shipping.tax ? shipping.price * of : 0n;
  const ofLines = lines.map(({ tax }, index) => {
    const above = (nets[index] as Units) * left;
    if (tax) return alone(tax, above, of);
    untaxed += above;
    return undefined;
  });
  const rates = taxes.reduce((sum, { rate }) => sum + (rate ?? 0n), 0n);
  return {
    lines: ofLines,
    shipping: shipping?.tax && alone(shipping.tax, shipping.price, 1n),
    order: taxes.map((tax) => levied(tax, untaxed, of, rates)),
  };
}

function reduction({ amount, percent = 0n }: Reduction, from: Units, digits: number): Units {
  return amount ?? roundedTo(digits, from * percent, WHOLE);
}

function sumOf(amounts: readonly (Units | undefined)[]): Units {
  let sum = 0n;
  for (const amount of amounts) sum += amount ?? 0n;
  return sum;
}
