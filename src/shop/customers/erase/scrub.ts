import { parseNamed } from '../../../lib/json-names.ts';

// What is taken out of an order when the person is: pure. What was ordered and what was paid stays.

type Members = Record<string, unknown>;

/** Of an order as it is stored, the columns that tell of a person. */
export interface PersonalColumns {
  customer_id: string;
  external_id: string | null;
  items: string;
  shipping_address: string | null;
  metadata: string;
  extra: string | null;
  past: string | null;
  since: string | null;
  as_created: string | null;
}

/** The members of an order that go, as a whole. */
const GONE = ['customer', 'billing_address', 'note'] as const;
/** What a provider of payments calls it leads to the person who paid. */
const GONE_OF_PAYMENT = 'reference';

/** The columns of an order without the person. `texts` are what names them: an external id that has one of them goes too. */
export function scrubbedColumns(order: PersonalColumns, pseudonym: string, texts: readonly string[]): PersonalColumns {
  return {
    customer_id: pseudonym,
    external_id: order.external_id !== null && texts.some((text) => order.external_id?.includes(text)) ? null : order.external_id,
    items: scrubbedItems(order.items),
    shipping_address: null,
    metadata: '{}',
    extra: scrubbedExtra(order.extra),
    past: order.past === null ? null : rewritten(order.past, (past) => withoutReasons(past as Members[])),
    since: order.since === null ? null : rewritten(order.since, (since) => scrubDeeds(since as Members)),
    as_created: order.as_created === null ? null : scrubbedCreated(order.as_created),
  };
}

/** The columns of an order that was changed, as they were when it came: the event of that day is told from them. */
function scrubbedCreated(json: string): string {
  const then = JSON.parse(json) as Pick<PersonalColumns, 'items' | 'metadata' | 'shipping_address' | 'extra'>;
  return JSON.stringify({
    ...then,
    items: scrubbedItems(then.items),
    shipping_address: null,
    metadata: '{}',
    extra: scrubbedExtra(then.extra),
  });
}

/** The data of an event that tells of an order, without the person. */
export function scrubbedEvent(json: string, pseudonym: string, texts: readonly string[]): string {
  return rewritten(json, (value) => {
    const order = value as Members;
    order['customer_id'] = pseudonym;
    if (typeof order['external_id'] === 'string' && texts.some((text) => (order['external_id'] as string).includes(text)))
      order['external_id'] = null;
    order['shipping_address'] = null;
    order['metadata'] = {};
    scrubExtra(order);
    scrubDeeds(order);
    withoutMetadata(order['items'] as Members[]);
    withoutReasons((order['history'] ?? []) as Members[]);
  });
}

/** An order that has nothing else left is like one that never had. */
function scrubbedExtra(json: string | null): string | null {
  const left = json === null ? null : rewritten(json, (extra) => scrubExtra(extra as Members));
  return left === '{}' ? null : left;
}

function scrubbedItems(items: string): string {
  return items.includes('"metadata"') ? rewritten(items, (lines) => withoutMetadata(lines as Members[])) : items;
}

function withoutMetadata(lines: readonly Members[]): void {
  for (const line of lines) delete line['metadata'];
}

function withoutReasons(history: readonly Members[]): void {
  for (const entry of history) entry['reason'] = null;
}

function scrubExtra(extra: Members): void {
  for (const name of GONE) delete extra[name];
  const payment = extra['payment'] as Members | undefined;
  if (payment) delete payment[GONE_OF_PAYMENT];
}

/** A parcel leads to the door of the person, and reasons are what people wrote. */
function scrubDeeds(order: Members): void {
  for (const deeds of ['fulfillments', 'returns', 'refunds'])
    for (const deed of (order[deeds] ?? []) as Members[]) {
      delete deed['tracking'];
      delete deed['reason'];
    }
}

/** Digits stay as they were written. */
function rewritten(json: string, change: (value: unknown) => void): string {
  const value = parseNamed(json, JSON.rawJSON);
  change(value);
  return JSON.stringify(value);
}

interface Address {
  name?: string;
  phone?: string;
  street?: string;
}

interface Named {
  customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
  billing_address?: Address;
}

/** Shorter ones occur in texts that have nothing to do with the person. */
const SHORTEST = 5;

type NamingColumns = Pick<PersonalColumns, 'customer_id' | 'shipping_address' | 'extra'>;

/** What names the person of an order, now or when it came, wherever it stands: to be looked for in logs and in rows of others. */
export function textsOf(order: NamingColumns & Pick<PersonalColumns, 'as_created'>): string[] {
  const then = order.as_created === null ? undefined : { ...order, ...(JSON.parse(order.as_created) as Partial<NamingColumns>) };
  return [...new Set([...textsIn(order), ...(then ? textsIn(then) : [])])];
}

function textsIn({ customer_id, shipping_address, extra }: NamingColumns): string[] {
  const { customer, billing_address } = (extra === null ? {} : JSON.parse(extra)) as Named;
  const shipped = shipping_address === null ? undefined : (JSON.parse(shipping_address) as Address);
  return spelled([customer_id, ...namesOf(customer, [shipped, billing_address])], [customer_id]);
}

/** What named the person when an event told of the order: what was changed twice is neither in the order nor in the request that made it. */
export function textsOfEvent(json: string): string[] {
  const { customer, billing_address, shipping_address } = JSON.parse(json) as Named & { shipping_address?: Address | null };
  return spelled(namesOf(customer, [shipping_address ?? undefined, billing_address]), []);
}

function namesOf(customer: Named['customer'], addresses: readonly (Address | undefined)[]): (string | undefined)[] {
  const places = addresses.flatMap((address) => [address?.name, address?.phone, address?.street]);
  return [customer?.email, customer?.name, customer?.phone, customer?.tax_id, ...places];
}

/** As they may be written elsewhere; `ids` also when they are short, as a whole JSON text is meant then. */
function spelled(texts: readonly (string | undefined)[], ids: readonly string[]): string[] {
  const spellings = texts.flatMap((given) => {
    const text = given?.trim() ?? '';
    return [text, text.toLowerCase(), JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  });
  return [...new Set([...spellings.filter((text) => text.length >= SHORTEST), ...ids.map((id) => JSON.stringify(id))])];
}
