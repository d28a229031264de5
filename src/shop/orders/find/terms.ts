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

/** What is found of `extra`: that of most orders has none of it, and is not taken apart. */
const FOUND_BY = /"(?:customer|channel|tags)":/;

/** Everything that an order is found by. Its id is no term: ids are in order, and found by that. */
export function termsOf(order: FindableOrder): Set<string> {
  const terms = new Set<string>();
  eachTerm(
    order,
    (term) => terms.add(term),
    (some) => {
      for (const term of some) terms.add(term);
    },
  );
  return terms;
}

/** Visits all of them, one by one, and those of products in lists that are the same for the same product. A term may come twice. */
export function eachTerm(
  { customer_id, currency, external_id, items, extra }: FindableOrder,
  visit: (term: string) => void,
  visitAll: (terms: readonly string[]) => void,
): void {
  visit(exactTerm('customer_id', customer_id));
  visit(exactTerm('currency', currency));
  if (external_id !== null) visit(exactTerm('external_id', external_id));
  if (!visitPlainLines(items, visitAll)) for (const line of JSON.parse(items) as Line[]) visitAll(lineTermsOf(line));
  // One text: no word goes beyond a space.
  let text = external_id === null ? customer_id : `${customer_id} ${external_id}`;
  if (extra !== null && FOUND_BY.test(extra)) {
    const { customer, channel, tags } = JSON.parse(extra) as Extra;
    if (customer) text += ` ${customer.email ?? ''} ${customer.name ?? ''}`;
    if (channel !== undefined) visit(exactTerm('channel', channel));
    if (tags) for (const tag of tags) visit(exactTerm('tag', tag));
  }
  for (const word of foldedWords(text)) visit(wordTerm(word));
}

/** A line as it is rendered that has nothing but what every line has. */
const PLAIN_LINE = /[[,]\{"product_id":"([^"\\]*)","quantity":[^,"]*,"price":[^,"]*,"line_total":[^,"]*,"product_known":(?:true|false)\}/y;

/** Visits the terms of lines as long as they are plain: to read their ids takes a third of the time that taking them apart does. Answers whether all are. */
function visitPlainLines(items: string, visitAll: (terms: readonly string[]) => void): boolean {
  for (PLAIN_LINE.lastIndex = 0; PLAIN_LINE.lastIndex < items.length - 1; ) {
    const line = PLAIN_LINE.exec(items);
    if (!line) return false;
    const id = line[1] as string;
    // What is kept is a copy: a part of a text would keep all of it, which may be long.
    visitAll(plainLines.get(id) ?? known(plainLines, copied(id)));
  }
  return true;
}

function copied(plain: string): string {
  return JSON.parse(`"${plain}"`) as string;
}

/** Products come again and again. */
const MOST_KNOWN = 20_000;
/** By product. */
const plainLines = new Map<string, readonly string[]>();
/** By all that they are found by. */
const namedLines = new Map<string, readonly string[]>();

function lineTermsOf({ product_id, name = '', sku = '' }: Line): readonly string[] {
  const text = `${product_id} ${name} ${sku}`;
  // The id ends where its length says.
  return known(namedLines, product_id, text, `${product_id.length} ${text}`);
}

function known(lines: Map<string, readonly string[]>, productId: string, text = productId, key = text): readonly string[] {
  let terms = lines.get(key);
  if (terms === undefined) {
    terms = [exactTerm('product_id', productId), ...foldedWords(text).map(wordTerm)];
    if (lines.size >= MOST_KNOWN) lines.clear();
    lines.set(key, terms);
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
