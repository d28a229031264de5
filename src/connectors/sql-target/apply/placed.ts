import type { Reject } from '../../batch.ts';
import { type CanonicalType, comparable, type Value } from '../../canonical.ts';
import type { LoggedRow, TargetChange } from '../../changes.ts';
import type { Field } from '../../contract.ts';

/** A change with its place in the set, and the keys that it concerns. Changes of the same key keep their order, others need not. */
export interface Placed {
  readonly place: number;
  readonly change: TargetChange;
  /** One, or two where the key changes; none of a truncate, which concerns all. */
  readonly keys: readonly string[];
}

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
    const keys = keysOf(change, keying);
    if (keys) good.push({ place, change, keys });
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

function keysOf(change: TargetChange, { places, types }: Keying): readonly string[] | undefined {
  if (change.op === 'truncate') return [];
  if (change.op === 'delete') return only(identity(change.key, types));
  const now = identity(
    places.map((place) => change.row[place]),
    types,
  );
  if (change.op === 'insert' || !change.key || now === undefined) return only(now);
  const before = identity(change.key, types);
  return before === undefined ? undefined : before === now ? [now] : [before, now];
}

function only(key: string | undefined): readonly string[] | undefined {
  return key === undefined ? undefined : [key];
}

/** A text that is the same for keys which any target may take for the same one. That it may be the same for others costs a round at most. */
function identity(values: readonly (Value | undefined)[], types: readonly CanonicalType[]): string | undefined {
  let all = '';
  for (let i = 0; i < types.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) return undefined;
    const type = types[i] as CanonicalType;
    const text = type === 'text' ? folded(value) : isPlainNumber(type, value) ? value : (comparable(type, value) as string);
    if (types.length === 1) return text;
    all += `${text.length}:${text}`;
  }
  return all;
}

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
