import { minorDigits } from '../../../lib/currency.ts';
import { parseExactly, scalarText } from '../../../lib/exact-json.ts';
import { roundedTo, type Units, unitsOfText } from '../../../lib/money.ts';

// What the customer has paid for each line, and for some of its pieces. It is counted up: what the first n pieces, or lines, come to is
// rounded, and a piece is worth what it adds to that. So parts never come to more than the whole, and all of them to exactly that.

type Exact = number | object;

interface KeptLine {
  quantity: number;
  line_total: Exact;
  discount?: { amount: Exact };
  tax?: { amount: Exact };
}

interface KeptMoney {
  prices_include_tax?: boolean;
  shipping?: { price: Exact; tax?: { amount: Exact } };
  discounts?: { amount: Exact }[];
  taxes?: { amount: Exact }[];
}

export interface WorthOrder {
  items: string;
  extra: string | null;
  currency: string;
}

/** What each line comes to: after its discount and its part of the discounts of the order, with its taxes. Shipping is not in it. */
export function worthOfLines({ items, extra, currency }: WorthOrder): Units[] {
  const lines = parseExactly(items) as KeptLine[];
  const { discounts = [], taxes = [], shipping, prices_include_tax } = (extra === null ? {} : parseExactly(extra)) as KeptMoney;
  const nets = lines.map(({ line_total, discount }) => units(line_total) - units(discount?.amount));
  const left = sumOf(nets) - sumOf(discounts.map(({ amount }) => units(amount)));
  const goods = sumOf(nets) || 1n;
  // Over `goods`: what is left of each line after the discounts of the order, and all that the taxes of the order are on.
  const bases = nets.map((net) => net * left);
  const ofShipping = shipping && !shipping.tax ? units(shipping.price) * goods : 0n;
  const untaxed = sumOf(bases.filter((_, index) => !lines[index]?.tax)) + ofShipping || 1n;
  const ofOrder = prices_include_tax ? 0n : sumOf(taxes.map(({ amount }) => units(amount)));
  const exact = bases.map((base, index) => {
    const own = lines[index]?.tax;
    const tax = own ? (prices_include_tax ? 0n : units(own.amount) * goods * untaxed) : ofOrder * base * goods;
    return base * untaxed + tax;
  });
  return countedUp(exact, goods * untaxed, minorDigits(currency));
}

/** Parts `above / below` of a whole, of which the last one takes what is left. */
function countedUp(above: readonly bigint[], below: bigint, digits: number): Units[] {
  const whole = sumOf(above);
  const end = whole % below === 0n ? whole / below : roundedTo(digits, whole, below);
  let [sum, given] = [0n, 0n];
  return above.map((part, index) => {
    sum += part;
    const upTo = index === above.length - 1 ? end : smaller(roundedTo(digits, sum, below), end);
    const worth = upTo - given;
    given = upTo;
    return worth;
  });
}

/** What `quantity` pieces of a line come to, when `before` of its `ordered` pieces were counted already. */
export function worthOfPieces(worth: Units, ordered: number, before: number, quantity: number, currency: string): Units {
  const digits = minorDigits(currency);
  const first = (n: number): Units => (n === ordered ? worth : smaller(roundedTo(digits, worth * BigInt(n), BigInt(ordered)), worth));
  return first(before + quantity) - first(before);
}

function units(number: Exact | undefined): Units {
  return number === undefined ? 0n : unitsOfText(scalarText(number) ?? '0');
}

function smaller(one: Units, other: Units): Units {
  return one < other ? one : other;
}

function sumOf(amounts: readonly Units[]): Units {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return sum;
}
