import type { TSchema } from '../../src/lib/schema.ts';
import { faultsOf, variantOf } from './json-schema.ts';

// One thing wrong in a value that was right, and the name of the field that must be told.

export interface MutatedValue {
  value: unknown;
  what: string;
  field: string;
  /** Refused while the JSON is read, before the schema is looked at. */
  isPoison: boolean;
}

/** A number below `n`, by chance. */
export type Random = (n: number) => number;

interface Place {
  path: string;
  schema: TSchema;
  holder: Record<string | number, unknown>;
  key: string | number;
  mandatory: boolean;
}

/** What a client might send instead: every type, and numbers at the edges of what a double holds. */
const NASTY: readonly unknown[] = [
  null,
  true,
  false,
  '',
  'text',
  '0',
  'NaN',
  'Infinity',
  [],
  [[]],
  {},
  { length: 1 },
  { toString: 'x', valueOf: 'y' },
  -1,
  0.5,
  1e-7,
  0.1 + 0.2,
  ...['-0', '-0.0', '1e400', '-1e400', '1e-400', '9007199254740991', '9007199254740992', '9007199254740993', '1e21'].map(JSON.rawJSON),
  ...['12345678901234567890', '0.12345678901234567890', '1.00000000000000000001', '99999999.99990000000000001'].map(JSON.rawJSON),
];
const NAMES = ['unexpected', 'constructor', 'toString', 'hasOwnProperty', 'Customer_id', 'items[0]', 'a.b', 'ünï', '日本', '😀', ' '];
export const WRONG_TIMES = [
  '',
  'now',
  '2026-13-01',
  '2026-02-30',
  '2026-11-01T00:00:00',
  '2026-11-01T24:00Z',
  '1767225600',
  '+010000-01-01',
  '0000-01-01T00:00+01:00',
];

export function mutateValue(schema: TSchema, original: unknown, random: Random): MutatedValue {
  const root: Record<string, unknown> = { body: copy(original) };
  const places = placesOf(schema, root, 'body', '', true, random);
  const place = places[random(places.length)] as Place;
  const kinds = [replace, replace, bounds, drop, addMember, poison];
  for (let at = random(kinds.length); ; at = (at + 1) % kinds.length) {
    const done = (kinds[at] as typeof replace)(place, random);
    if (done) return { value: root['body'], isPoison: false, ...done };
  }
}

type Done = { what: string; field: string; isPoison?: boolean } | undefined;

function replace({ holder, key, path, schema }: Place, random: Random): Done {
  const start = random(NASTY.length);
  for (let i = 0; i < NASTY.length; i++) {
    const nasty = NASTY[(start + i) % NASTY.length];
    const field = firstFault(schema, nasty, path, key);
    if (field === undefined) continue;
    holder[key] = nasty;
    return { what: `${path || 'the body'} is ${JSON.stringify(nasty)}`, field };
  }
  return undefined;
}

function bounds({ holder, key, path, schema }: Place, random: Random): Done {
  const { type, minLength, maxLength, pattern, minimum, maximum, minItems, maxItems, uniqueItems } = schema;
  const others: unknown[] = [];
  if (type === 'string') {
    if (schema.enum) others.push('NEW', 'new ', '__proto__');
    if (minLength) others.push('x'.repeat(minLength - 1));
    if (maxLength !== undefined) others.push('x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1), 'é'.repeat(3 * maxLength));
    if (pattern !== undefined) others.push('eur', 'EU', 'EURO', 'EUR\n', '€€€');
    if (isTime(key)) others.push(...WRONG_TIMES);
  }
  if (minimum !== undefined) others.push(minimum - 1, -Number.MAX_VALUE);
  if (maximum !== undefined) others.push(JSON.rawJSON(String(BigInt(Math.ceil(maximum)) + 1n)), Number.MAX_VALUE);
  const entries = holder[key] as unknown[];
  if (minItems) others.push(entries.slice(0, minItems - 1));
  if (maxItems !== undefined) others.push(Array.from({ length: maxItems + 1 }, (_, i) => (uniqueItems ? `entry ${i}` : entries[0])));
  if (uniqueItems && entries.length > 0) others.push([...entries, entries[0]]);
  if (others.length === 0) return undefined;
  holder[key] = others[random(others.length)];
  return { what: `${path || 'the body'} is out of bounds: ${JSON.stringify(holder[key]).slice(0, 80)}`, field: path };
}

function drop({ holder, key, path, mandatory }: Place): Done {
  if (!mandatory || path === '' || Array.isArray(holder)) return undefined;
  delete holder[key];
  return { what: `${path} is missing`, field: path };
}

function addMember({ holder, key, path, schema }: Place, random: Random): Done {
  if (schema.type !== 'object' || schema.additionalProperties !== false) return undefined;
  const name = NAMES[random(NAMES.length)] as string;
  holder[key] = { ...(holder[key] as object), [name]: NASTY[random(NASTY.length)] };
  return { what: `${path || 'the body'} has the member ${name}`, field: join(path, name) };
}

function poison({ holder, key, path, schema }: Place, random: Random): Done {
  const bad = ['\0', 'a\0b', '\ud800', 'a\udfff', '\udc00\ud800'][random(5)] as string;
  if (schema.type === 'string') {
    holder[key] = bad;
    return { what: `${path} is poisoned`, field: path, isPoison: true };
  }
  if (schema.type !== 'object') return undefined;
  const member = { [random(2) === 0 ? '__proto__' : 'within']: bad };
  const name = Object.keys(member)[0] as string;
  // A spread would give the object another prototype instead of a member of that name.
  holder[key] = Object.fromEntries([...Object.entries(holder[key] as object), [name, bad]]);
  return { what: `${path || 'the body'} has a poisoned member ${name}`, field: join(path, name), isPoison: true };
}

/** The places of a value where something can go wrong, some entries of a long array standing for all of them. */
function placesOf(
  given: TSchema,
  holder: Place['holder'],
  key: string | number,
  path: string,
  mandatory: boolean,
  random: Random,
): Place[] {
  const value = holder[key];
  const places: Place[] = [{ path, schema: given, holder, key, mandatory }];
  const schema = partOf(given, value);
  if (schema.type === 'array' && Array.isArray(value) && value.length > 0) {
    const index = random(value.length);
    places.push(...placesOf(schema.items ?? {}, value as never, index, `${path}[${index}]`, true, random));
  }
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    for (const [name, of] of Object.entries(properties)) {
      if (Object.hasOwn(value as object, name))
        places.push(...placesOf(of, value as Place['holder'], name, join(path, name), required.includes(name), random));
    }
  }
  return places;
}

/** Of several schemas the one that the value is of: what is not null, or an object of one kind. */
function partOf(schema: TSchema, value: unknown): TSchema {
  const some = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (some.length === 1 && value !== null) return some[0] as TSchema;
  return (schema.oneOf && (variantOf(schema.oneOf as never[], value) as TSchema | undefined)) ?? schema;
}

/** The field that must be told when this value stands at this place; undefined when it fits. */
function firstFault(schema: TSchema, value: unknown, path: string, key: string | number): string | undefined {
  if (JSON.isRawJSON(value)) {
    const text = JSON.stringify(value);
    const number = Number(text);
    // What no double holds fits nowhere; as for the others, only their value counts.
    if (!Number.isFinite(number) || (text.replace(/\D/g, '').length > 15 && !Number.isSafeInteger(number))) return path;
    return firstFault(schema, number, path, key);
  }
  const faults = faultsOf(schema, value, {}, '$');
  // A whole body has no name: the first of what it lacks is told.
  if (path === '' && faults[0] === '$ meets 0 of anyOf') return schema.anyOf?.[0]?.required?.[0];
  if (faults[0] !== undefined) return path + /^\$(\S*)/.exec(faults[0])?.[1]?.replace(path === '' ? /^\./ : '', '');
  if (key === 'price' && typeof value === 'number' && Number(value.toFixed(4)) !== value) return path;
  if (isTime(key)) return path;
  return undefined;
}

function isTime(key: string | number): boolean {
  return typeof key === 'string' && /^(expires_at|stock_as_of)$/.test(key);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map(copy);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]));
}
