import { foldedWords } from '../../../lib/folded-words.ts';
import { placedAt } from './placed.ts';
import { unitsAsNumber } from './segment.ts';
import { exactTerm, type FindableOrder, rememberedTerms, wordTerm } from './terms.ts';

export const ORDER_SORTS = [
  '-created_at',
  'created_at',
  '-placed_at',
  'placed_at',
  '-updated_at',
  'updated_at',
  '-total',
  'total',
] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

/** What is looked for. Orders have to meet all of it. */
export interface OrderWish {
  q?: string | undefined;
  statuses?: readonly string[] | undefined;
  customer_id?: string | undefined;
  external_id?: string | undefined;
  product_id?: string | undefined;
  currency?: string | undefined;
  channel?: string | undefined;
  tag?: string | undefined;
  updated_since?: string | undefined;
  /** Milliseconds: placed at this time or later … */
  placed_from?: number | undefined;
  /** … and before this one. */
  placed_before?: number | undefined;
  from_id?: string | undefined;
  before_id?: string | undefined;
}

const EXACT = ['customer_id', 'external_id', 'product_id', 'currency', 'channel', 'tag'] as const;

/** The terms that an order has to have. */
export function exactTermsOf(wish: OrderWish): string[] {
  return EXACT.flatMap((kind) => {
    const value = wish[kind];
    return value === undefined ? [] : [exactTerm(kind, value)];
  });
}

/** The words of which each has to begin one of the order's, or its id. */
export function wordsOf({ q }: OrderWish): string[] {
  return [...new Set(foldedWords(q ?? ''))];
}

/** What every id begins with is a word of every order. */
const ID_WORD = 'ord';

/** The ids that begin with a word; `all` when each does. */
export function idsBeginning(word: string): { from: string; before: string } | 'all' {
  return ID_WORD.startsWith(word) ? 'all' : { from: `${ID_WORD}_${word}`, before: `${ID_WORD}_${word}~` };
}

/** Whether an order is one of those that are looked for: what the index tells of others, told of one that is not in it. */
export function isMeant(order: FindableOrder, wish: OrderWish, words: readonly string[], exact: readonly string[]): boolean {
  const { id, status, updated_at } = order;
  if (wish.statuses && !wish.statuses.includes(status)) return false;
  if (wish.updated_since !== undefined && updated_at < wish.updated_since) return false;
  if (!isWithin(wish, placedAt(order))) return false;
  if (wish.from_id !== undefined && id < wish.from_id) return false;
  if (wish.before_id !== undefined && id >= wish.before_id) return false;
  if (words.length === 0 && exact.length === 0) return true;
  const terms = rememberedTerms(order);
  if (!exact.every((term) => terms.has(term))) return false;
  return words.every((word) => beginsId(id, word) || hasWord(terms, word));
}

/** Whether a moment is in the range in which orders have to be placed. */
export function isWithin({ placed_from, placed_before }: OrderWish, at: number): boolean {
  return (placed_from === undefined || at >= placed_from) && (placed_before === undefined || at < placed_before);
}

function beginsId(id: string, word: string): boolean {
  const range = idsBeginning(word);
  return range === 'all' || (id >= range.from && id < range.before);
}

function hasWord(terms: ReadonlySet<string>, word: string): boolean {
  const beginning = wordTerm(word).trimEnd();
  for (const term of terms) if (term.startsWith(beginning)) return true;
  return false;
}

/** What an order is sorted by; undefined when its id says it. */
export function sortValue(order: FindableOrder, sort: OrderSort): number | undefined {
  if (sort.endsWith('total')) return unitsAsNumber(order.total);
  if (sort.endsWith('placed_at')) return placedAt(order);
  return sort.endsWith('updated_at') ? Date.parse(order.updated_at) : undefined;
}
