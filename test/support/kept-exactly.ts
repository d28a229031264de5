// Whether what was sent came back exactly: strings to the character, numbers to the digit. Numbers are compared as the
// text that was sent, and totals computed in whole ten-thousandths, so that no double has a say.

interface SentOrder {
  customer_id: string;
  items: { product_id: string; quantity: unknown; price: unknown }[];
  shipping_address?: object;
  external_id?: string;
  currency?: string;
  metadata?: object;
}

/** Members that come back as they were sent, or not at all. */
const KEPT = ['customer', 'billing_address', 'note', 'tags', 'channel', 'prices_include_tax'];
const KEPT_OF_LINES = ['name', 'sku', 'variant'];

export function orderFaults(sent: unknown, text: string): string[] {
  const { customer_id, items, shipping_address = null, external_id = null, currency = 'EUR', metadata = {} } = sent as SentOrder;
  const order = withExactNumbers(text).data as Record<string, unknown>;
  let total = 0n;
  const lines = items.map((item) => {
    const unit = unitsOf(item.price);
    const line = unit * BigInt(JSON.stringify(item.quantity));
    total += line;
    return {
      product_id: item.product_id,
      quantity: `#${JSON.stringify(item.quantity)}`,
      price: `#${decimal(unit)}`,
      line_total: `#${decimal(line)}`,
      ...only(KEPT_OF_LINES, item),
    };
  });
  const names = ['product_id', 'quantity', 'price', 'line_total', ...KEPT_OF_LINES];
  const kept = (order['items'] as Record<string, unknown>[]).map((line) => only(names, line));
  const pairs: [name: string, expected: unknown, actual: unknown][] = [
    ['customer_id', customer_id, order['customer_id']],
    ['external_id', external_id, order['external_id']],
    ['currency', currency, order['currency']],
    ['shipping_address', shipping_address, order['shipping_address']],
    ['items', lines, kept],
    ['total', `#${decimal(total + beside(order, total))}`, order['total']],
    ['status', 'new', order['status']],
    ...KEPT.map((name): [string, unknown, unknown] => [name, (sent as Record<string, unknown>)[name], order[name]]),
  ];
  const faults = differences(pairs);
  if (!text.includes(`"metadata":${JSON.stringify(metadata)},`)) faults.push(`metadata was ${JSON.stringify(metadata)}`);
  return faults;
}

function only(names: readonly string[], object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}

/** What the parts of an order add to its lines; an order that shows no parts has nothing but lines. */
function beside(order: Record<string, unknown>, lines: bigint): bigint {
  if (order['subtotal'] === undefined) return 0n;
  const part = (name: string): bigint => unitsOf(JSON.rawJSON(String(order[name]).slice(1)));
  const taxes = order['prices_include_tax'] === true ? 0n : part('tax_total');
  return part('subtotal') - lines - part('discount_total') + part('shipping_total') + taxes;
}

export function productFaults(sent: unknown, text: string): string[] {
  const { stock_as_of, ...fields } = sent as Record<string, unknown>;
  const product = withExactNumbers(text).data as Record<string, unknown>;
  // A late message changes nothing, on purpose.
  if (stock_as_of !== undefined && product['result'] === 'unchanged') return [];
  return differences(
    Object.entries(fields).map(([name, value]) => {
      if (name === 'price') return [name, `#${decimal(unitsOf(value))}`, product[name]];
      // What is taken away is not answered. A count of a tracked product tells of its own time.
      if (value === null) return [name, undefined, product[name]];
      if (name === 'stock_quantity' && stock_as_of !== undefined && product['track_stock'] === true) return [name, 0, 0];
      return [name, withExactNumbers(JSON.stringify({ data: value })).data, product[name]];
    }),
  );
}

function differences(pairs: readonly (readonly [string, unknown, unknown])[]): string[] {
  return pairs.flatMap(([name, expected, actual]) => {
    const [a, b] = [JSON.stringify(expected), JSON.stringify(actual)];
    return a === b ? [] : [`${name} is ${b} and should be ${a}`];
  });
}

/** Every number as its own text behind a "#". */
function withExactNumbers(text: string): { data: unknown } {
  return JSON.parse(text, (_name, value: unknown, { source }) => (typeof value === 'number' ? `#${source}` : value)) as { data: unknown };
}

/** Ten-thousandths of a number as it was written. */
function unitsOf(number: unknown): bigint {
  const [mantissa = '', exponent = '0'] = JSON.stringify(number).toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent) - fraction.length + 4;
  const digits = BigInt(whole + fraction);
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
}

/** Decimal text of ten-thousandths. */
function decimal(units: bigint): string {
  const digits = units.toString().padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '');
}
