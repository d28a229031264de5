import type { Connection } from '../../../db/database.ts';
import { type Matches, matchOrders, type SegmentMatch } from './match.ts';
import { numbersOf } from './numbers.ts';
import { idsAt, idsOf } from './rows.ts';
import type { SegmentIds, UnpackedNumbers } from './segment.ts';
import { type OrderSort, type OrderWish, sortValue } from './wish.ts';

/** Where a page begins: behind the order that has this. */
export interface OrderPlace {
  id: string;
  /** What the list is sorted by; undefined when that is the id. */
  value?: number | undefined;
}

export interface FoundPage {
  /** One more than was asked for when more follow. */
  found: OrderPlace[];
  total: number;
}

export interface OrderSearch {
  wish: OrderWish;
  sort: OrderSort;
  /** How many are wanted. */
  limit: number;
  offset: number;
  after?: OrderPlace | undefined;
}

/** The ids of a page of orders that are meant, and how many are meant in all. */
export async function findPage(db: Connection, { wish, sort, limit, offset, after }: OrderSearch): Promise<FoundPage> {
  const matches = await matchOrders(db, wish);
  const down = sort.startsWith('-');
  const found = sort.endsWith('created_at')
    ? await byId(db, matches, { down, limit: limit + 1, offset, after: after?.id })
    : await byValue(db, matches, { sort, down, limit: limit + 1, offset, after });
  return { found, total: matches.total };
}

/** Segments whose ids are asked for together. */
const MOST_OPENED = 100;

interface Cut {
  down: boolean;
  limit: number;
  offset: number;
}

/** Segments are in the order of ids, and so are the places in them: only those that the page lies in are opened. */
async function byId(db: Connection, matches: Matches, { down, limit, offset, after }: Cut & { after: string | undefined }) {
  const isBehind = (id: string): boolean => after === undefined || (down ? id < after : id > after);
  const inOrder = <Item>(items: readonly Item[]): readonly Item[] => (down ? items.toReversed() : items);
  const fresh = inOrder(matches.fresh.map(({ id }) => id).filter(isBehind));
  const found: string[] = [];
  let skip = offset;
  let at = 0;
  const take = (ids: readonly string[]): void => {
    const from = Math.min(skip, ids.length);
    skip -= from;
    found.push(...ids.slice(from, from + limit - found.length));
  };
  const segments = inOrder(matches.segments).filter(
    ({ segment, end }) => after === undefined || (down ? segment.start < after : end > after),
  );
  let opened = new Map<number, string[]>();
  for (const [index, match] of segments.entries()) {
    if (found.length >= limit) break;
    const { segment, end, count } = match;
    // Those that are fresh and come before the end of this segment, seen in the order of the list.
    let next = at;
    while (next < fresh.length && (down ? (fresh[next] as string) >= segment.start : (fresh[next] as string) < end)) next++;
    const isWhole = after === undefined || (down ? end <= after : segment.start > after);
    if (isWhole && count + next - at <= skip) skip -= count + next - at;
    else {
      if (!opened.has(segment.number)) opened = await idsAt(db, placesOf(segments.slice(index), skip + limit - found.length));
      const merged = [...(opened.get(segment.number) ?? []).filter(isBehind), ...fresh.slice(at, next)].sort();
      take(inOrder(merged));
    }
    at = next;
  }
  if (found.length < limit) take(fresh.slice(at));
  return found.map((id) => ({ id }));
}

/** Those of so many segments that they have as many orders as are wanted: matches may be few and far between. */
function placesOf(segments: readonly SegmentMatch[], wanted: number): Map<number, number[]> {
  const places = new Map<number, number[]>();
  let sum = 0;
  for (const match of segments) {
    places.set(match.segment.number, match.places.list());
    sum += match.count;
    if (sum >= wanted || places.size >= MOST_OPENED) break;
  }
  return places;
}

interface Candidate {
  value: number;
  /** Of an order in a segment its place there, of a fresh one its id. */
  match: SegmentMatch | undefined;
  place: number;
  id: string;
}

/** All values are looked at, and the first ones kept. */
async function byValue(
  db: Connection,
  matches: Matches,
  { sort, down, limit, offset, after }: Cut & { sort: OrderSort; after: OrderPlace | undefined },
): Promise<OrderPlace[]> {
  const name = sort.endsWith('total') ? 'totals' : sort.endsWith('placed_at') ? 'placed' : 'updates';
  const most = offset + limit;
  const direction = down ? -1 : 1;
  const rank = new Map(matches.segments.map((match, index) => [match, index]));
  const opened = new Map<number, SegmentIds>();
  const open = async (wanted: readonly SegmentMatch[]): Promise<void> => {
    const missing = [...new Set(wanted.map(({ segment }) => segment.number))].filter((number) => !opened.has(number));
    for (const [number, ids] of await idsOf(db, missing)) opened.set(number, ids);
  };
  const idOf = ({ match, place, id }: Candidate): string => (match ? (opened.get(match.segment.number) as SegmentIds).at(place) : id);
  // Which comes first, of two that have the same value: the ids decide, and where both are in segments their places do.
  const compare = (a: Candidate, b: Candidate): number => direction * (a.value - b.value || compareIds(a, b));
  const compareIds = (a: Candidate, b: Candidate): number => {
    if (a.match && b.match) return (rank.get(a.match) ?? 0) - (rank.get(b.match) ?? 0) || a.place - b.place;
    if (!a.match && !b.match) return compareTexts(a.id, b.id);
    const [fresh, other] = a.match ? [b, a] : [a, b];
    const { segment, end } = other.match as SegmentMatch;
    const order = fresh.id < segment.start ? -1 : fresh.id >= end ? 1 : compareTexts(fresh.id, idOf(other));
    return fresh === a ? order : -order;
  };
  // Ids within a segment that holds fresh ones too, or the order that the page begins behind, are compared as they are.
  const ofInterest = [...matches.fresh.map(({ id }) => id), ...(after ? [after.id] : [])];
  await open(matches.segments.filter(({ segment, end }) => ofInterest.some((id) => id >= segment.start && id < end)));
  const start: Candidate | undefined = after && { value: after.value ?? 0, match: undefined, place: 0, id: after.id };
  let kept: Candidate[] = [];
  const offer = (candidate: Candidate): void => {
    if (start && compare(candidate, start) <= 0) return;
    kept.push(candidate);
    if (kept.length >= 2 * most + 1024) kept = kept.sort(compare).slice(0, most);
  };
  const columns = await numbersOf(
    db,
    name,
    matches.segments.map(({ segment }) => segment.number),
  );
  // In the order of the list: of equal values those that come first are kept.
  for (const match of down ? matches.segments.toReversed() : matches.segments) {
    const { lowest, steps, highest } = columns.get(match.segment.number) as UnpackedNumbers;
    const worst = kept.length >= most ? direction * (kept[most - 1] as Candidate).value : Number.POSITIVE_INFINITY;
    if (direction * (down ? highest : lowest) >= worst) continue;
    match.places.forEach((place) => {
      const value = lowest + (steps[place] as number);
      if (direction * value < worst) offer({ value, match, place, id: '' });
    });
    kept = kept.sort(compare).slice(0, most);
  }
  for (const order of matches.fresh) offer({ value: sortValue(order, sort) ?? 0, match: undefined, place: 0, id: order.id });
  const page = kept.sort(compare).slice(offset, most);
  return named(db, page);
}

async function named(db: Connection, page: readonly Candidate[]): Promise<OrderPlace[]> {
  const ofSegments = Map.groupBy(page, ({ match }) => match?.segment.number);
  const places = new Map<number, number[]>();
  for (const [segment, own] of ofSegments)
    if (segment !== undefined)
      places.set(
        segment,
        own.map(({ place }) => place).sort((a, b) => a - b),
      );
  const ids = await idsAt(db, places);
  return page.map(({ match, place, id, value }) => {
    const number = match?.segment.number ?? 0;
    return { value, id: match ? (ids.get(number)?.[places.get(number)?.indexOf(place) ?? 0] ?? '') : id };
  });
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
