import { unitsOfText } from '../../../lib/money.ts';
import { Gathering } from './gathering.ts';
import { placedAt } from './placed.ts';
import { PlaceSet, stepsOf } from './places.ts';
import { type FindableOrder, KINDS, eachTerm } from './terms.ts';

// A segment is the index of some thousand orders whose ids follow each other. An order is known in it by its place. Terms lie in pages of text,
// sorted, a line each with the places that have it; what changes without a term, or is sorted by, lies in columns with a value for each place.

/** PostgreSQL keeps rows up to about this size in one piece, and a search reads one page of each segment. */
const PAGE_SIZE = 1800;
/** Words with the same beginning whose lines are longer than this get another line for all of them: a search for that beginning reads one line and not all of theirs. */
const CROWD = 1024;
/** Sorts before everything that may follow a beginning. */
export const CROWD_MARK = '\x01';

/** A column of a segment; ids are in several pieces. */
export type ColumnName = 'statuses' | 'totals' | 'updates' | 'placed' | 'hashes';

/** So many ids are one piece: few are wanted at a time. */
export const IDS_PIECE = 256;

/** The name under which a piece is kept. Names of pieces are in their order. */
export function pieceName(piece: number): string {
  return `ids${String(piece).padStart(6, '0')}`;
}

export interface FindSegment {
  n: number;
  /** By their names. */
  columns: Readonly<Record<string, string>>;
  pages: { first: string; data: string }[];
}

/** Makes a segment of orders that come in the order of their ids, some at a time. */
export class SegmentBuilder {
  readonly orders: Pick<FindableOrder, 'id' | 'status' | 'total' | 'updated_at' | 'customer_id'>[] = [];
  readonly #terms = new Gathering();
  readonly #hashes: number[] = [];
  readonly #placed: number[] = [];

  add(order: FindableOrder): void {
    const { id, status, total, updated_at, customer_id } = order;
    const place = this.orders.push({ id, status, total, updated_at, customer_id }) - 1;
    this.#placed.push(placedAt(order));
    let sum = 0;
    eachTerm(
      order,
      (term) => (sum += this.#terms.add(term, place)),
      (terms) => (sum += this.#terms.addAll(terms, place)),
    );
    this.#hashes.push(sum >>> 0);
  }

  finish(): FindSegment {
    const { orders } = this;
    const lines = sorted(this.#terms.terms).map((term): Line => {
      const places = this.#terms.placesOf(term);
      return { term, places, text: placesText(places, orders.length) };
    });
    const crowds = crowdsOf(lines, orders.length);
    const ids: Record<string, string> = {};
    for (let at = 0; at < orders.length; at += IDS_PIECE)
      ids[pieceName(at / IDS_PIECE)] = orders
        .slice(at, at + IDS_PIECE)
        .map(({ id }) => suffixOf(id))
        .join('');
    return {
      n: orders.length,
      columns: { ...factsOf(orders), ...ids, placed: packedNumbers(this.#placed), hashes: base64Of(Uint32Array.from(this.#hashes)) },
      pages: pagesOf(crowds.length === 0 ? lines : merged(lines, crowds)),
    };
  }
}

/** The columns of what may change while an order's terms stay. */
export function factsOf(
  orders: readonly Pick<FindableOrder, 'status' | 'total' | 'updated_at'>[],
): Record<'statuses' | 'totals' | 'updates', string> {
  return {
    statuses: statusText(orders.map(({ status }) => status)),
    totals: packedNumbers(orders.map(({ total }) => unitsAsNumber(total))),
    updates: packedNumbers(orders.map(({ updated_at }) => Date.parse(updated_at))),
  };
}

/** Totals have 15 digits at most, which a double holds. One that an edit has made negative sorts below zero. */
export function unitsAsNumber(total: string): number {
  return total.startsWith('-') ? -Number(unitsOfText(total.slice(1))) : Number(unitsOfText(total));
}

/** Ids are as long as each other, and begin alike. */
const PREFIX = 'ord_';
const SUFFIX_LENGTH = 26;

function suffixOf(id: string): string {
  return id.slice(PREFIX.length);
}

/** The ids of a segment. */
export class SegmentIds {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length / SUFFIX_LENGTH;
  }

  at(place: number): string {
    return PREFIX + this.#text.slice(place * SUFFIX_LENGTH, (place + 1) * SUFFIX_LENGTH);
  }

  /** The first place whose id is not before this one. */
  placeFrom(id: string): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Its place, or undefined when it is none of them. */
  placeOf(id: string): number | undefined {
    const place = this.placeFrom(id);
    return place < this.length && this.at(place) === id ? place : undefined;
  }
}

const MOST_STEP = 2 ** 32;

/** Numbers as text: how much each is above the lowest, behind that, in four bytes where they lie near each other, as they mostly do. */
export function packedNumbers(numbers: readonly number[]): string {
  const lowest = numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
  const isNear = numbers.every((number) => number - lowest < MOST_STEP);
  const steps = isNear ? Uint32Array.from(numbers, (number) => number - lowest) : Float64Array.from(numbers, (number) => number - lowest);
  return `${lowest}${isNear ? '+' : '*'}${base64Of(steps)}`;
}

/** The lowest, how much each is above it, and the highest. */
export interface UnpackedNumbers {
  lowest: number;
  steps: Uint32Array | Float64Array;
  highest: number;
}

export function unpackedNumbers(text: string): UnpackedNumbers {
  const sign = text.search(/[+*]/);
  const lowest = Number(text.slice(0, Math.max(0, sign)));
  const bytes = bytesOf(text.slice(sign + 1));
  const steps = text.charAt(sign) === '+' ? new Uint32Array(bytes) : new Float64Array(bytes);
  let most = 0;
  for (const step of steps) if (step > most) most = step;
  return { lowest, steps, highest: lowest + most };
}

export function unpackedHashes(text: string): Uint32Array {
  return new Uint32Array(bytesOf(text));
}

function base64Of(numbers: Uint32Array | Float64Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64');
}

function bytesOf(base64: string): ArrayBuffer {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

/** A letter for each order, behind the states that the letters stand for. */
function statusText(statuses: readonly string[]): string {
  const known = [...new Set(statuses)];
  const letters = new Map(known.map((status, n) => [status, String.fromCharCode(97 + n)]));
  return `${known.join(',')}|${statuses.map((status) => letters.get(status)).join('')}`;
}

/** The places of orders in one of these states. */
export function placesInStates(text: string, statuses: readonly string[]): PlaceSet {
  const start = text.indexOf('|') + 1;
  const meant = text
    .slice(0, start - 1)
    .split(',')
    .map((status) => statuses.includes(status));
  const places = new PlaceSet(text.length - start);
  for (let place = 0; place < text.length - start; place++) if (meant[text.charCodeAt(start + place) - 97]) places.add(place);
  return places;
}

/** What stands on a page. */
interface PageLine {
  term: string;
  text: string;
}

interface Line extends PageLine {
  places: readonly number[];
}

function placesText(places: readonly number[], room: number): string {
  // Most words are those of one order, or of a few.
  if (places.length < 64) return stepsOf(places);
  const set = new PlaceSet(room);
  for (const place of places) set.add(place);
  return set.text();
}

/** Beginnings that many words share, with the places of all of them. */
function crowdsOf(lines: readonly Line[], room: number): PageLine[] {
  const found: PageLine[] = [];
  const [start, end] = wordsWithin(lines);
  // Where each line would end, if they were one text.
  const ends = [0];
  for (const line of lines.slice(start, end)) ends.push((ends.at(-1) ?? 0) + line.term.length + line.text.length);
  const visit = (from: number, before: number, depth: number): PlaceSet | undefined => {
    if (before - from < 2 || (ends[before - start] ?? 0) - (ends[from - start] ?? 0) < CROWD) return undefined;
    const all = new PlaceSet(room);
    for (let at = from; at < before; ) {
      const beginning = (lines[at] as Line).term.slice(0, depth + 1);
      let next = at + 1;
      while (next < before && (lines[next] as Line).term.startsWith(beginning)) next++;
      const within = visit(at, next, depth + 1);
      if (within) all.addAll(within);
      else for (let one = at; one < next; one++) for (const place of (lines[one] as Line).places) all.add(place);
      at = next;
    }
    if (depth > 1) found.push({ term: (lines[from] as Line).term.slice(0, depth) + CROWD_MARK, text: all.text() });
    return all;
  };
  visit(start, end, 1);
  return found;
}

/** Words lie side by side, among terms of other kinds. */
function wordsWithin(lines: readonly Line[]): [from: number, before: number] {
  const start = lines.findIndex(({ term }) => term.startsWith(KINDS.word));
  return start < 0 ? [0, 0] : [start, lines.findLastIndex(({ term }) => term.startsWith(KINDS.word)) + 1];
}

/** Two sorted lists as one. */
function merged(lines: readonly PageLine[], crowds: readonly PageLine[]): PageLine[] {
  const byTerm = new Map(crowds.map((line) => [line.term, line]));
  const waiting = sorted([...byTerm.keys()]).map((term) => byTerm.get(term) as PageLine);
  const all: PageLine[] = [];
  let next = 0;
  for (const line of lines) {
    // A line of a crowd comes before the first of its words.
    while (next < waiting.length && line.term.startsWith((waiting[next] as PageLine).term.slice(0, -1)))
      all.push(waiting[next++] as PageLine);
    all.push(line);
  }
  return all;
}

function pagesOf(lines: readonly PageLine[]): FindSegment['pages'] {
  const pages: FindSegment['pages'] = [];
  let first = '';
  let data = '\n';
  for (const { term, text } of lines) {
    if (data.length > 1 && data.length + term.length + text.length > PAGE_SIZE) {
      pages.push({ first, data });
      [first, data] = [term, '\n'];
    }
    data += `${term}\t${text}\n`;
  }
  pages.push({ first, data });
  return pages;
}

/** In the order of their bytes, as databases compare them. */
function sorted(terms: string[]): string[] {
  return terms.some((term) => /[\ud800-\uffff]/.test(term)) ? terms.sort(compareByBytes) : terms.sort();
}

function compareByBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
