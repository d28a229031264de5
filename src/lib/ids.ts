import { randomFillSync } from 'node:crypto';

// TypeID (github.com/jetify-com/typeid): a prefix, "_", and a UUIDv7 in Crockford's base32. As the time comes first and
// the alphabet is in ASCII order, ids sort as text by the moment they were made, which our lists rely on.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PAIRS = Array.from({ length: 1024 }, (_, i) => ALPHABET.charAt(i >> 5) + ALPHABET.charAt(i & 31));
const TIME_LENGTH = 10;
const SUFFIX_LENGTH = 26;
const MAX_TIME = 2 ** 48 - 1;

export type IdPrefix =
  | 'ord'
  | 'evt'
  | 'key'
  | 'aud'
  | 'src'
  | 'syn'
  | 'run'
  | 'rej'
  | 'log'
  | 'nod'
  | 'whk'
  | 'hok'
  | 'alt'
  | 'inc'
  | 'msg'
  | 'sec'
  | 'ful'
  | 'ret'
  | 'rfd'
  | 'mov'
  | 'era'
  | 'ses';

export interface NewId {
  id: string;
  /** The millisecond that the id carries: `created_at` of the thing it names. */
  time: number;
}

const pool = new Uint8Array(8 * 512);
let used = pool.length;
let lastTime = 0;
let counter = 0;

/** A new id that sorts after every one this process made before it, even when the clock is set back. */
export function newId(prefix: IdPrefix, now: number): NewId {
  tick(now);
  return { id: `${prefix}_${encode(lastTime, counter)}`, time: lastTime };
}

/** The ids of this process sort after this one from now on, as if it had been made here: it may carry a time that has not come yet. */
export function idsFollow(id: string): void {
  tick(timeIn(id) + 1);
}

/** The time that an id carries. */
export function timeIn(id: string): number {
  const start = id.indexOf('_') + 1;
  let time = 0;
  for (let at = start; at < start + TIME_LENGTH && at < id.length; at++) time = time * 32 + ALPHABET.indexOf(id.charAt(at));
  return time;
}

/** An id for something that happened at a moment of the past (sample data, imports). */
export function idAt(prefix: IdPrefix, time: number): string {
  return `${prefix}_${encode(time, random16() & 0xfff)}`;
}

/** The id of something that has a time and a number of its own, and so needs no other place to keep an id. */
export function idOf(prefix: IdPrefix, time: number, number: number): string {
  return `${prefix}_${encodeTime(time)}${encode40(versionBits(0) + Math.floor(number / 2 ** 40))}${encode40(number % 2 ** 40)}`;
}

/** The number in an id that `idOf` has made; of any other id it is some number. */
export function numberIn(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1 + TIME_LENGTH);
  const decoded = (part: string): number => Array.from(part).reduce((value, digit) => value * 32 + ALPHABET.indexOf(digit), 0);
  return (decoded(digits.slice(0, 8)) % 2 ** 22) * 2 ** 40 + decoded(digits.slice(8));
}

/** The smallest id that can carry this time: turns a time range into an id range. */
export function firstIdAt(prefix: IdPrefix, time: number): string {
  const bounded = Math.min(Math.max(time, 0), MAX_TIME);
  return `${prefix}_${encodeTime(bounded)}${'0'.repeat(SUFFIX_LENGTH - TIME_LENGTH)}`;
}

/** Whether the text could be an id of this kind at all; spares a look into the database. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 1 + SUFFIX_LENGTH &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]+$/.test(text.slice(prefix.length + 1))
  );
}

/** Random text of this many base32 characters, five bits each. */
export function randomText(length: number): string {
  let text = '';
  for (const byte of randomFillSync(new Uint8Array(length))) text += ALPHABET.charAt(byte & 31);
  return text;
}

/** A 32-bit number as seven base32 characters. */
export function encode32(value: number): string {
  return encode40(value).slice(1);
}

function tick(now: number): void {
  if (now > lastTime) {
    lastTime = now;
    counter = random16() & 0x3ff;
  } else if (++counter > 0xfff) {
    lastTime++;
    counter = 0;
  }
}

function encode(time: number, sequence: number): string {
  const high = versionBits(sequence) + (random32() & 0x3fffff);
  const low = random32() * 256 + (random32() & 0xff);
  return encodeTime(time) + encode40(high) + encode40(low);
}

/** The 40 bits after the time: 4 say version 7, 12 are a sequence, 2 the variant, and 22 are left. Another 40 follow. */
function versionBits(sequence: number): number {
  return 7 * 2 ** 36 + sequence * 2 ** 24 + 2 ** 23;
}

function encodeTime(time: number): string {
  return encode40(Math.floor(time / 2 ** 10)) + pair(time % 2 ** 10);
}

function encode40(value: number): string {
  const high = Math.floor(value / 2 ** 20);
  const low = value % 2 ** 20;
  return pair(high >> 10) + pair(high & 1023) + pair(low >> 10) + pair(low & 1023);
}

function pair(index: number): string {
  return PAIRS[index] as string;
}

function random32(): number {
  if (used + 4 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const value = (pool[used++]! << 24) | (pool[used++]! << 16) | (pool[used++]! << 8) | pool[used++]!;
  return value >>> 0;
}

function random16(): number {
  return random32() & 0xffff;
}
