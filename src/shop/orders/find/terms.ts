import { foldedWords } from '../../../lib/folded-words.ts';

/** Of an order, what it can be found by and sorted by. */
export interface FindableOrder {
  id: string;
  version: number;
  status: string;
  total: string;
  updated_at: string;
  customer_id: string;
  currency: string;
  external_id: string | null;
  /** JSON text. */
  items: string;
  /** JSON text. */
  extra: string | null;
}

/** The columns of a findable order. */
export const FINDABLE = 'id, version, status, total, updated_at, customer_id, currency, external_id, items, extra';

// A term is a letter that says of what kind it is, and a text. Words end with a space, so that all that begins with the same letters lies side by side.
export const KINDS = { word: 'w', customer_id: 'c', external_id: 'x', product_id: 'p', currency: 'y', channel: 'h', tag: 't' } as const;
type ExactKind = Exclude<keyof typeof KINDS, 'word'>;

export function exactTerm(kind: ExactKind, value: string): string {
  return KINDS[kind] + escaped(value);
}

export function wordTerm(word: string): string {
  return `${KINDS.word}${word} `;
}

/** Terms stand in lines of text: what would end a line, or a term, is written otherwise. */
function escaped(value: string): string {
  return /[\p{Cc}\\]/u.test(value) ? value.replace(/[\p{Cc}\\]/gu, (sign) => `\\${sign.charCodeAt(0).toString(16)};`) : value;
}

interface Line {
  product_id: string;
  name?: string;
  sku?: string;
}

interface Extra {
  customer?: { email?: string; name?: string };
  channel?: string;
  tags?: string[];
}

/** Everything that an order is found by. Its id is no term: ids are in order, and found by that. */
export function termsOf({ customer_id, currency, external_id, items, extra }: FindableOrder): Set<string> {
  const terms = new Set<string>();
  terms.add(exactTerm('customer_id', customer_id)).add(exactTerm('currency', currency));
  if (external_id !== null) terms.add(exactTerm('external_id', external_id));
  for (const line of JSON.parse(items) as Line[]) for (const term of lineTermsOf(line)) terms.add(term);
  // One text: no word goes beyond a space.
  let text = external_id === null ? customer_id : `${customer_id} ${external_id}`;
  if (extra !== null) {
    const { customer, channel, tags } = JSON.parse(extra) as Extra;
    if (customer) text += ` ${customer.email ?? ''} ${customer.name ?? ''}`;
    if (channel !== undefined) terms.add(exactTerm('channel', channel));
    if (tags) for (const tag of tags) terms.add(exactTerm('tag', tag));
  }
  for (const word of foldedWords(text)) terms.add(wordTerm(word));
  return terms;
}

/** Products come again and again. */
const MOST_KNOWN = 20_000;
const knownLines = new Map<string, readonly string[]>();

function lineTermsOf({ product_id, name = '', sku = '' }: Line): readonly string[] {
  const text = `${product_id} ${name} ${sku}`;
  // The id ends where its length says.
  const key = `${product_id.length} ${text}`;
  let terms = knownLines.get(key);
  if (terms === undefined) {
    terms = [exactTerm('product_id', product_id), ...foldedWords(text).map(wordTerm)];
    if (knownLines.size >= MOST_KNOWN) knownLines.clear();
    knownLines.set(key, terms);
  }
  return terms;
}

/** Orders that are not in the index yet are looked at by one search after the other. */
const MOST_REMEMBERED = 4_000;
const remembered = new Map<string, { version: number; terms: ReadonlySet<string> }>();

/** The same of an order that was looked at a moment ago, when it has not changed. */
export function rememberedTerms(order: FindableOrder): ReadonlySet<string> {
  const known = remembered.get(order.id);
  if (known?.version === order.version) return known.terms;
  const terms = termsOf(order);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(order.id, { version: order.version, terms });
  return terms;
}
