import type { Reject } from '../../batch.ts';
import { type CanonicalType, comparable, type Value } from '../../canonical.ts';
import type { LoggedRow, TargetChange } from '../../changes.ts';
import type { Field } from '../../contract.ts';

/** A change with its place in the set, and the keys that it concerns. Changes of the same key keep their order, others need not. */
export interface Placed {
  readonly place: number;
  readonly change: TargetChange;
  /** None of a truncate, which concerns all. */
  readonly key: Identity | undefined;
  /** The key before, where it was another one. */
  readonly before: Identity | undefined;
}

/** Says which row. Most keys are numbers, which are compared quicker than texts are. */
type Identity = string | number;

/** What tells rows of a stream apart. */
export interface KeyedStream {
  readonly fields: readonly Field[];
  readonly key: readonly string[];
}

export type ChangeReject = Reject & { readonly index: number; readonly stream: number };

/** Changes whose keys are all there, and those that nobody could find the row of. */
export function placed(streams: readonly KeyedStream[], changes: readonly TargetChange[]): { good: Placed[]; rejects: ChangeReject[] } {
  const keyings = streams.map(keyingOf);
  const good: Placed[] = [];
  const rejects: ChangeReject[] = [];
  for (let place = 0; place < changes.length; place++) {
    const change = changes[place] as TargetChange;
    const keying = keyings[change.stream] as Keying;
    if (change.op === 'truncate') {
      good.push({ place, change, key: undefined, before: undefined });
      continue;
    }
    const key = change.op === 'delete' ? identity(change.key, undefined, keying) : identity(change.row, keying.places, keying);
    const before = change.op === 'update' && change.key ? identity(change.key, undefined, keying) : key;
    if (key !== undefined && before !== undefined) good.push({ place, change, key, before: before === key ? undefined : before });
    else rejects.push({ ...withoutKey(streams[change.stream] as KeyedStream, change), index: place, stream: change.stream });
  }
  return { good, rejects };
}

interface Keying {
  readonly places: readonly number[];
  readonly types: readonly CanonicalType[];
}

function keyingOf({ fields, key }: KeyedStream): Keying {
  const places = key.map((name) => fields.findIndex((field) => field.name === name));
  return { places, types: places.map((place) => (fields[place] as Field).type) };
}

/**
 * The same for keys which any target may take for the same one. That it may be the same for others costs a round at most. The values stand in the
 * order of the key, unless it is said where.
 */
function identity(values: readonly (Value | undefined)[], places: readonly number[] | undefined, { types }: Keying): Identity | undefined {
  let all = '';
  for (let i = 0; i < types.length; i++) {
    const value = values[places ? (places[i] as number) : i];
    if (value === null || value === undefined) return undefined;
    const type = types[i] as CanonicalType;
    if (isPlainNumber(type, value)) {
      if (types.length === 1) return value.length <= EXACT_DIGITS ? Number(value) : value;
      all += `${value.length}:${value}`;
      continue;
    }
    const text = type === 'text' ? folded(value) : (comparable(type, value) as string);
    if (types.length === 1) return text;
    all += `${text.length}:${text}`;
  }
  return all;
}

/** So many a number has at least before it is rounded. */
const EXACT_DIGITS = 15;

/** Most keys are these: nothing has to be made of them. */
function isPlainNumber(type: CanonicalType, value: string): boolean {
  const first = value.charCodeAt(0);
  return type === 'int64' && first > 0x30 && first <= 0x39;
}

/** Some columns take capitals for small letters, letters for others with an accent, and texts with blanks at their end for those without. */
function folded(text: string): string {
  const plain = /\P{ASCII}/u.test(text) ? text.normalize('NFKD').replace(/\p{M}/gu, '') : text;
  return plain.toLowerCase().trimEnd();
}

function withoutKey({ fields, key }: KeyedStream, change: TargetChange): Reject {
  const row = recordOf({ fields, key }, change);
  const field = key.find((name) => row[name] === null || row[name] === undefined) ?? key[0] ?? '';
  return { row, field, reason: `"${field}" is part of the key and may not be empty.` };
}

/** The row of a change by the names of its fields, for people. What the log has not told is left out. */
export function recordOf({ fields, key }: KeyedStream, change: TargetChange): Record<string, unknown> {
  if (change.op === 'truncate') return {};
  if (change.op === 'delete') return Object.fromEntries(key.map((name, i) => [name, change.key[i]]));
  return Object.fromEntries(fields.flatMap(({ name }, i) => (change.row[i] === undefined ? [] : [[name, change.row[i]]])));
}

/** The places of the values that the log has not told, as a text; empty when it has told all. */
export function absentIn(row: LoggedRow, length: number): string {
  let absent = '';
  for (let i = 0; i < length; i++) if (row[i] === undefined) absent += absent === '' ? i : ` ${i}`;
  return absent;
}
