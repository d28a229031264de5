import { isoTime } from '../../lib/clock.ts';
import type { Customer } from '../../sample/people.ts';
import type { Random } from '../../sample/random.ts';
import { draftOrder } from '../../shop/orders/draft.ts';

type OrderBody = Parameters<typeof draftOrder>[0];
export interface BoughtItem {
  product_id: string;
  name: string;
  quantity: number;
  price: number;
}

const MINUTE = 60_000;
const VAT = { rate: 19 };
const VOUCHER = { code: 'WELCOME10', percent: 10 };
const FREE_FROM = 50;
const PARCEL = 4.9;
const EXPRESS = 9.9;
const METHODS = [
  ['card', 55],
  ['paypal', 33],
  ['invoice', 12],
] as const;
const WISHES = ['Please wrap it as a gift.', 'Leave it with the neighbours, please.', 'Ring twice.', 'Not before five in the afternoon.'];

/** What a customer of this shop orders and pays: the tax is in the prices, shipping is free from a sum on, and some have a voucher. */
export function bodyOf(random: Random, customer: Customer, channel: string, items: readonly BoughtItem[], time: number): OrderBody {
  const isCollected = channel === 'store';
  const goods = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const isExpress = !isCollected && random.chance(0.06);
  const isGift = random.chance(0.07);
  const shipping = isExpress ? { method: 'express', price: EXPRESS } : { method: 'parcel', price: goods < FREE_FROM ? PARCEL : 0 };
  const note = isGift ? WISHES[0] : random.chance(0.05) ? random.pick(WISHES.slice(1)) : undefined;
  const tags = [...(isGift ? ['gift'] : []), ...(isExpress ? ['express'] : [])];
  return {
    customer_id: customer.customer_id,
    items: items.map((item) => ({ ...item, sku: item.product_id, tax: VAT })),
    prices_include_tax: true,
    ...(!isCollected && { shipping: { ...shipping, tax: VAT }, shipping_address: customer.address }),
    ...(random.chance(0.08) && { discounts: [VOUCHER] }),
    customer: personOf(customer),
    ...(isFirm(customer) && { billing_address: { ...customer.address, name: firmOf(customer) } }),
    payment: paymentOf(random, channel, time),
    ...(note !== undefined && { note }),
    ...(tags.length > 0 && { tags }),
    channel,
    ...(random.chance(0.1) && { metadata: { campaign: random.pick(['spring', 'newsletter', 'coffee-week']) } }),
  };
}

function paymentOf(random: Random, channel: string, time: number): NonNullable<OrderBody['payment']> {
  if (channel === 'marketplace') return { status: 'paid', method: 'marketplace', paid_at: isoTime(time) };
  if (channel === 'store') return { status: 'paid', method: 'cash', paid_at: isoTime(time) };
  const method = random.weighted(METHODS);
  if (method === 'invoice') return { status: 'pending', method };
  const reference = `pay_${random.between(10_000_000, 99_999_999)}`;
  return { status: 'paid', method, reference, paid_at: isoTime(time + random.between(0, MINUTE)) };
}

function personOf(customer: Customer): NonNullable<OrderBody['customer']> {
  const { name } = customer.address;
  const mailbox = name.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase().split(' ').join('.');
  const number = numberOf(customer);
  return {
    name,
    email: `${mailbox}.${number % 1000}@example.com`,
    // A part of the numbers that are kept free for stories.
    ...(number % 3 === 0 && { phone: `+49 30 23125 ${String(number % 1000).padStart(3, '0')}` }),
    ...(isFirm(customer) && { company: firmOf(customer), tax_id: `DE${100_000_000 + number}` }),
  };
}

/** Some who order are firms, such as cafés. */
function isFirm(customer: Customer): boolean {
  return numberOf(customer) % 14 === 0;
}

function firmOf({ address }: Customer): string {
  return `Café ${address.name.split(' ').at(-1)}`;
}

function numberOf({ customer_id }: Customer): number {
  return Number(customer_id.slice('C-'.length));
}
