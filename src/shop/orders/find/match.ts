import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { numbersOf, stillBeingMade } from './numbers.ts';
import { PlaceSet } from './places.ts';
import {
  allSegments,
  countUnfolded,
  findableById,
  findableOrders,
  findState,
  idsOf,
  pagesBetween,
  type PageRow,
  pagesWith,
  type SegmentRow,
  toldOrders,
  unpackedColumn,
} from './rows.ts';
import { CROWD_MARK, placesInStates, type SegmentIds } from './segment.ts';
import { type FindableOrder, KINDS } from './terms.ts';
import { exactTermsOf, idsBeginning, isMeant, isWithin, type OrderWish, wordsOf } from './wish.ts';

/** More orders than this are not looked at one by one: the index is being made for the first time, or far behind. */
const MOST_UNINDEXED = 100_000;
const AT_ONCE = 1_000;

/** Of one segment, the orders that are meant. */
export interface SegmentMatch {
  segment: SegmentRow;
  /** Orders of the segment are before this id. */
  end: string;
  places: PlaceSet;
  count: number;
}

export interface Matches {
  /** In the order of their ids, without those that have none. */
  segments: SegmentMatch[];
  /** Orders that are not in the index yet, or have changed since, in the order of their ids. */
  fresh: FindableOrder[];
  total: number;
}

/** All orders that are meant: by the index, and by a look at those that it does not know yet. */
export async function matchOrders(db: Connection, wish: OrderWish): Promise<Matches> {
  const [state, segments, unfolded] = await Promise.all([findState(db), allSegments(db), countUnfolded(db)]);
  if (unfolded > MOST_UNINDEXED) throw stillBeingMade();
  const within = withinRange(segments, state.upto, wish);
  const words = wordsOf(wish);
  const exact = exactTermsOf(wish);
  const stale = state.upto === '' ? [] : await staleOrders(db, state.position, state.upto);
  const fresh = await freshOrders(db, state.upto, stale, (order) => isMeant(order, wish, words, exact));
  const matches = within.map(({ segment, end }): SegmentMatch => ({ segment, end, places: PlaceSet.all(segment.n), count: segment.n }));
  const bySegment = new Map(matches.map((match) => [match.segment.number, match]));
  for (const term of exact) await keepTerm(db, bySegment, term);
  for (const word of words) await keepWord(db, bySegment, word);
  await keepRange(db, bySegment, wish);
  if (wish.statuses) {
    const columns = await unpackedColumn(db, 'statuses', [...bySegment.keys()], String);
    for (const [number, { places }] of bySegment) places.keep(placesInStates(columns.get(number) ?? '|', wish.statuses));
  }
  if (wish.updated_since !== undefined) await keepUpdated(db, bySegment, Date.parse(wish.updated_since));
  if (wish.placed_from !== undefined || wish.placed_before !== undefined) await keepPlaced(db, bySegment, wish);
  await dropStale(db, matches, stale);
  let total = fresh.length;
  for (const match of matches) total += match.count = match.places.count();
  return { segments: matches.filter(({ count }) => count > 0), fresh, total };
}

function withinRange(segments: readonly SegmentRow[], upto: string, { from_id, before_id }: OrderWish) {
  return segments
    .map((segment, index) => ({ segment, end: segments[index + 1]?.start ?? upto }))
    .filter(({ segment, end }) => (from_id === undefined || end > from_id) && (before_id === undefined || segment.start < before_id));
}

/** Those orders in the index that have changed since it was made. */
async function staleOrders(db: Connection, position: number, upto: string): Promise<string[]> {
  const told = await toldOrders(db, position, 2 * MOST_UNINDEXED);
  return [...new Set(told.map(({ object_id }) => object_id))].filter((id) => id < upto);
}

async function freshOrders(
  db: Connection,
  upto: string,
  stale: readonly string[],
  meant: (order: FindableOrder) => boolean,
): Promise<FindableOrder[]> {
  const fresh: FindableOrder[] = [];
  for (let at = 0; at < stale.length; at += AT_ONCE) fresh.push(...(await findableById(db, stale.slice(at, at + AT_ONCE))).filter(meant));
  for (let last = upto; ; ) {
    const page = await findableOrders(db, sql`id > ${last}`, AT_ONCE);
    if (page.length === 0) break;
    fresh.push(...page.filter(meant));
    last = page.at(-1)?.id ?? last;
  }
  return fresh.sort((a, b) => (a.id < b.id ? -1 : 1));
}

type BySegment = ReadonlyMap<number, SegmentMatch>;

async function keepTerm(db: Connection, matches: BySegment, term: string): Promise<void> {
  const found = new Map((await pagesWith(db, term, some(matches))).map(({ segment, data }) => [segment, data]));
  for (const [number, { segment, places }] of matches) {
    const data = found.get(number) ?? '';
    const at = data.indexOf(`\n${term}\t`);
    const having = new PlaceSet(segment.n);
    if (at >= 0) having.addText(data.slice(at + term.length + 2, data.indexOf('\n', at + 1)));
    places.keep(having);
  }
}

/** Naming all of them costs more than naming none; so does joining a few with all when most are not wanted. */
function some(matches: BySegment): number[] | undefined {
  return matches.size > 1000 ? undefined : [...matches.keys()];
}

async function keepWord(db: Connection, matches: BySegment, word: string): Promise<void> {
  const ids = idsBeginning(word);
  if (ids === 'all') return;
  const beginning = KINDS.word + word;
  const having = new Map([...matches].map(([number, { segment }]) => [number, new PlaceSet(segment.n)]));
  const open: number[] = [];
  for (const page of await pagesWith(db, beginning + CROWD_MARK, some(matches))) {
    const places = having.get(page.segment);
    if (places && !addBeginning(places, page, beginning)) open.push(page.segment);
  }
  if (open.length > 0) {
    // The largest text that begins so, and is no word.
    const rest = await pagesBetween(db, beginning + CROWD_MARK, `${beginning}\u{10ffff}`, open);
    for (const page of rest) addBeginning(having.get(page.segment) as PlaceSet, page, beginning);
  }
  await addIds(db, matches, having, ids);
  for (const [number, { places }] of matches) places.keep(having.get(number) as PlaceSet);
}

/** Adds what a page has of words that begin so. Answers whether there is no more of it on the pages that follow. */
function addBeginning(places: PlaceSet, { data }: PageRow, beginning: string): boolean {
  let at = data.indexOf(`\n${beginning}`);
  // Nothing here: then it is on the next page, unless this one goes beyond it.
  if (at < 0) return data.slice(data.lastIndexOf('\n', data.length - 2) + 1) > beginning;
  while (at >= 0 && data.startsWith(beginning, at + 1)) {
    const tab = data.indexOf('\t', at);
    const end = data.indexOf('\n', tab);
    places.addText(data.slice(tab + 1, end));
    // The line of the crowd has all of them.
    if (data.charAt(tab - 1) === CROWD_MARK && tab - at - 2 === beginning.length) return true;
    at = end < data.length - 1 ? end : -1;
    if (at >= 0 && !data.startsWith(beginning, at + 1)) return true;
  }
  return false;
}

/** An id is found by how it begins, too. */
async function addIds(
  db: Connection,
  matches: BySegment,
  having: ReadonlyMap<number, PlaceSet>,
  { from, before }: { from: string; before: string },
): Promise<void> {
  const concerned = [...matches.values()].filter(({ segment, end }) => segment.start < before && end > from);
  const whole = concerned.filter(({ segment, end }) => segment.start >= from && end <= before);
  const partial = concerned.filter((match) => !whole.includes(match));
  for (const { segment } of whole) having.get(segment.number)?.addRange(0, segment.n);
  const ids = await idsOf(
    db,
    partial.map(({ segment }) => segment.number),
  );
  for (const [number, own] of ids) having.get(number)?.addRange(own.placeFrom(from), own.placeFrom(before));
}

async function keepRange(db: Connection, matches: BySegment, { from_id, before_id }: OrderWish): Promise<void> {
  const cut = [...matches.values()].filter(
    ({ segment, end }) => (from_id !== undefined && segment.start < from_id) || (before_id !== undefined && end > before_id),
  );
  const ids = await idsOf(
    db,
    cut.map(({ segment }) => segment.number),
  );
  for (const [number, own] of ids) {
    const places = new PlaceSet(own.length);
    places.addRange(from_id === undefined ? 0 : own.placeFrom(from_id), before_id === undefined ? own.length : own.placeFrom(before_id));
    matches.get(number)?.places.keep(places);
  }
}

async function keepUpdated(db: Connection, matches: BySegment, since: number): Promise<void> {
  for (const [number, { lowest, steps }] of await numbersOf(db, 'updates', [...matches.keys()])) {
    const places = matches.get(number)?.places;
    for (let place = 0; place < steps.length; place++) if (lowest + (steps[place] as number) < since) places?.delete(place);
  }
}

async function keepPlaced(db: Connection, matches: BySegment, wish: OrderWish): Promise<void> {
  for (const [number, { lowest, steps, highest }] of await numbersOf(db, 'placed', [...matches.keys()])) {
    // Most segments are of days that lie within the range as a whole.
    if (isWithin(wish, lowest) && isWithin(wish, highest)) continue;
    const { placed_from = Number.NEGATIVE_INFINITY, placed_before = Number.POSITIVE_INFINITY } = wish;
    matches.get(number)?.places.keepWithin(steps, placed_from - lowest, placed_before - lowest);
  }
}

/** Takes out what has changed since: that was looked at. */
async function dropStale(db: Connection, matches: readonly SegmentMatch[], stale: readonly string[]): Promise<void> {
  const bySegment = new Map<SegmentMatch, string[]>();
  for (const id of stale) {
    const match = matches.findLast(({ segment }) => segment.start <= id);
    if (match && id < match.end) bySegment.set(match, [...(bySegment.get(match) ?? []), id]);
  }
  const concerned = [...bySegment.keys()].filter(({ places }) => places.count() > 0);
  const ids = await idsOf(
    db,
    concerned.map(({ segment }) => segment.number),
  );
  for (const match of concerned) {
    const own = ids.get(match.segment.number) as SegmentIds;
    for (const id of bySegment.get(match) ?? []) {
      const place = own.placeOf(id);
      if (place !== undefined) match.places.delete(place);
    }
  }
}
