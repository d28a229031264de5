import type { Input } from '../../../api/client.ts';
import type { Order } from '../../../api/resources.ts';

// What the form to change an order holds, and what of it is sent: only what was touched, so that all else stays as it is, to the digit.

export type OrderPatch = NonNullable<Input<'PATCH /api/v1/orders/{id}'>['body']>;

export const ADDRESS_FIELDS = ['name', 'street', 'zip', 'city', 'state', 'country', 'phone'] as const;
export const CUSTOMER_FIELDS = ['name', 'email', 'phone', 'company', 'tax_id'] as const;
type AddressTexts = Record<(typeof ADDRESS_FIELDS)[number], string>;
type CustomerTexts = Record<(typeof CUSTOMER_FIELDS)[number], string>;

export interface FormLine {
  product_id: string;
  quantity: string;
  price: string;
  /** The line of the order that it was; undefined for one that is new. */
  was: Order['items'][number] | undefined;
}

export interface OrderForm {
  shipping_address: AddressTexts;
  billing_address: AddressTexts;
  customer: CustomerTexts;
  note: string;
  tags: string[];
  /** JSON. */
  metadata: string;
  lines: FormLine[];
}

function textsOf<Field extends string>(fields: readonly Field[], object: Partial<Record<Field, unknown>> | null | undefined) {
  return Object.fromEntries(fields.map((field) => [field, String(object?.[field] ?? '')])) as Record<Field, string>;
}

export function formOf(order: Order): OrderForm {
  return {
    shipping_address: textsOf(ADDRESS_FIELDS, order.shipping_address),
    billing_address: textsOf(ADDRESS_FIELDS, order.billing_address),
    customer: textsOf(CUSTOMER_FIELDS, order.customer),
    note: order.note ?? '',
    tags: [...(order.tags ?? [])],
    metadata: Object.keys(order.metadata).length === 0 ? '' : JSON.stringify(order.metadata, null, 2),
    lines: order.items.map((was) => ({ product_id: was.product_id, quantity: String(was.quantity), price: String(was.price), was })),
  };
}

/** One thing that is to be another. */
export interface OrderDifference {
  /** The member of the order. */
  member: keyof OrderForm | 'items';
  name: string;
  before: string;
  after: string;
}

const WORDS: Readonly<Record<string, string>> = {
  shipping_address: 'Shipping address',
  billing_address: 'Billing address',
  customer: 'Customer',
  tax_id: 'tax id',
  zip: 'postal code',
  email: 'e-mail',
};

const OBJECTS = { shipping_address: ADDRESS_FIELDS, billing_address: ADDRESS_FIELDS, customer: CUSTOMER_FIELDS } as const;

/** What will be another, as it is shown before it is saved. */
export function differencesOf(order: Order, form: OrderForm): OrderDifference[] {
  const before = formOf(order);
  const found: OrderDifference[] = [];
  const compare = (member: OrderDifference['member'], name: string, old: string, now: string): void => {
    if (old !== now) found.push({ member, name, before: old, after: now });
  };
  for (const [member, fields] of Object.entries(OBJECTS) as [keyof typeof OBJECTS, readonly string[]][]) {
    for (const field of fields) {
      const of = (texts: OrderForm): string => (texts[member] as Record<string, string>)[field]?.trim() ?? '';
      compare(member, `${WORDS[member]}, ${WORDS[field] ?? field}`, of(before), of(form));
    }
  }
  compare('note', 'Note', before.note, form.note.trim() === '' ? '' : form.note);
  compare('tags', 'Tags', before.tags.join(', '), form.tags.join(', '));
  if (JSON.stringify(metadataIn(form.metadata)) !== JSON.stringify(order.metadata))
    compare('metadata', 'Metadata', before.metadata, form.metadata);
  if (!isSameLines(before.lines, form.lines)) {
    for (let n = 0; n < Math.max(before.lines.length, form.lines.length); n++)
      compare('items', `Line ${n + 1}`, lineText(before.lines[n]), lineText(form.lines[n]));
  }
  return found;
}

function lineText(line: FormLine | undefined): string {
  return line ? `${line.quantity} × ${line.was?.name ?? line.product_id} at ${line.price}` : '';
}

function isSameLines(before: readonly FormLine[], after: readonly FormLine[]): boolean {
  const text = (lines: readonly FormLine[]): string =>
    JSON.stringify(lines.map(({ product_id, quantity, price }) => [product_id.trim(), Number(quantity), Number(price)]));
  return text(before) === text(after);
}

/** The object that a text holds; undefined when it holds none. */
function metadataIn(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What is sent (JSON Merge Patch): members that were touched, null for those that were emptied. */
export function patchOf(order: Order, form: OrderForm): OrderPatch {
  const touched = new Set(differencesOf(order, form).map(({ member }) => member));
  const patch: Record<string, unknown> = {};
  for (const [member, fields] of Object.entries(OBJECTS) as [keyof typeof OBJECTS, readonly string[]][])
    if (touched.has(member)) patch[member] = patchOfObject(fields, formOf(order)[member], form[member]);
  if (touched.has('note')) patch['note'] = form.note.trim() === '' ? null : form.note;
  if (touched.has('tags')) patch['tags'] = form.tags.length === 0 ? null : form.tags;
  if (touched.has('metadata')) patch['metadata'] = patchOfMetadata(order.metadata, metadataIn(form.metadata) ?? {});
  if (touched.has('items')) patch['items'] = form.lines.map(sentLine);
  return patch;
}

function patchOfObject(fields: readonly string[], before: Record<string, string>, after: Record<string, string>): object | null {
  const texts = fields.map((field) => [field, after[field]?.trim() ?? ''] as const);
  if (texts.every(([, text]) => text === '')) return null;
  return Object.fromEntries(
    texts.filter(([field, text]) => text !== before[field]).map(([field, text]) => [field, text === '' ? null : text]),
  );
}

/** Members that stay are not sent: numbers that a browser cannot hold stay as they are. */
function patchOfMetadata(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): object {
  const gone = Object.keys(before).filter((name) => !(name in after));
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  // A patch merges objects. One that has another value is put in the place of the old one by what it must lose.
  return Object.fromEntries([...gone.map((name) => [name, null]), ...changed.map(([name, value]) => [name, merging(before[name], value)])]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merging(before: unknown, after: unknown): unknown {
  return isObject(before) && isObject(after) ? patchOfMetadata(before, after) : after;
}

function sentLine({ product_id, quantity, price, was }: FormLine): object {
  const { name, sku, variant, discount, metadata } = was ?? {};
  const given = { name, sku, variant, metadata, discount: discount && discountOf(discount) };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { product_id: product_id.trim(), quantity: Number(quantity), price: Number(price), ...kept };
}

function discountOf({ code, percent, amount }: { code?: string; percent?: number; amount: number }): object {
  return { ...(code !== undefined && { code }), ...(percent === undefined ? { amount } : { percent }) };
}

/** Why the lines cannot be changed here; undefined when they can. */
export function linesFixed({ status, items, fulfillments, returns, refunds }: Order): string | undefined {
  if (!['new', 'on_hold', 'processing'].includes(status)) return `The order is ${status}: its lines stay as they are.`;
  if (fulfillments ?? returns) return 'Something was shipped already: the lines stay as they are.';
  if (refunds?.some(({ lines }) => lines)) return 'Lines were refunded already: they stay as they are.';
  // A rate and the amount that was told with it cannot be told apart from a rate alone.
  if (items.some(({ tax }) => tax)) return 'Lines that have taxes of their own are changed over the API.';
  if (items.some(({ metadata }) => /\d{16}/.test(JSON.stringify(metadata ?? {}))))
    return 'The metadata of a line has a number with more digits than a browser keeps. Change the lines over the API.';
  return undefined;
}

/** What is wrong with the metadata as it was entered. */
export function metadataFault(order: Order, form: OrderForm): string | undefined {
  const metadata = metadataIn(form.metadata);
  if (metadata === undefined) return 'Metadata has to be a JSON object.';
  const changed = Object.entries(metadata).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(order.metadata[name]));
  return changed.some(([, value]) => hasNull(value))
    ? 'Null takes a member of the metadata away: leave the member out instead.'
    : undefined;
}

/** What is wrong with the lines as they were entered. */
export function linesFault(form: OrderForm): string | undefined {
  if (form.lines.length === 0) return 'An order has at least one line.';
  const bad = form.lines.findIndex(
    ({ product_id, quantity, price }) =>
      product_id.trim() === '' || !/^[1-9]\d{0,6}$/.test(quantity.trim()) || !/^\d{1,8}(\.\d{1,4})?$/.test(price.trim()),
  );
  return bad === -1 ? undefined : `Line ${bad + 1} needs a product, a whole quantity from 1 on, and a price with at most four decimals.`;
}

function hasNull(value: unknown): boolean {
  return value === null || (isObject(value) && Object.values(value).some(hasNull));
}

/** What others have changed since a version: the members. */
export function changedSince(order: Order, version: number): string[] {
  return [...new Set((order.changes ?? []).filter((change) => change.version > version).flatMap(({ members }) => members))];
}
