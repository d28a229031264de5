import { isJsonObject, type JsonObject } from '../../../src/lib/exact-json.ts';

/** The days before now at which invented settings let a stream begin. */
const DAYS = 12;
const DAY = 86_400_000;
/** Members that are not required, but without which there is little to read or nobody to be. */
const WORTH_GIVING = /start|begin|since|from|token|key|secret|id$|credential|user|password/i;
const ENDS = /end|until|_to$|before/i;
const DATES = /date|time|since|from$|start|begin/i;

/** Settings that fit the form of a manifest, with a start a few days before now. */
export function inventedSettings(specification: unknown, now: number, text: string): JsonObject {
  const invented = addressed(valueFor(specification, '', now, 0), text);
  if (!isJsonObject(invented)) return {};
  // Where the manifest writes the time that is now otherwise than it reads it, it only works with an end.
  const ends = [...text.matchAll(/config\.(\w+) or now_utc\(\)/g)].map(([, name = '']) => [
    name,
    new Date(now - 2 * DAY).toISOString().slice(0, 10),
  ]);
  return { ...Object.fromEntries(ends), ...invented };
}

/** Addresses begin with what the manifest does not write before them. */
function addressed(value: unknown, text: string): unknown {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (typeof member !== 'string') return [name, addressed(member, text)];
    const isBegun = new RegExp(`(url|url_base|endpoint): ['"]?\\{\\{\\s*config[^}]*\\b${name}\\b`).test(text);
    return [name, isBegun && !/^https?:/.test(member) ? `https://${member}` : member];
  });
  return Object.fromEntries(entries);
}

function valueFor(schema: unknown, name: string, now: number, depth: number): unknown {
  if (!isJsonObject(schema) || depth > 10) return 'something';
  const value = roughValue(schema, name, now, depth);
  const pattern = patternOf(schema);
  if (typeof value !== 'string' || !pattern || pattern.test(value)) return value;
  const time = new Date(now - DAYS * DAY).toISOString();
  const candidates = [
    `${time.slice(0, 19)}Z`,
    time.slice(0, 10),
    `${time.slice(0, 19)}.000Z`,
    `${time.slice(0, 19)}.000000Z`,
    time.slice(0, 19),
    `${time.slice(0, 10)} 00:00:00`,
    'sandbox_abc',
    'sk_test_abc',
    'https://example.com',
    'example',
    '1',
    '123456',
  ];
  return candidates.find((candidate) => pattern.test(candidate)) ?? value;
}

function patternOf({ pattern }: JsonObject): RegExp | undefined {
  try {
    return typeof pattern === 'string' ? new RegExp(pattern) : undefined;
  } catch {
    return undefined;
  }
}

function roughValue(schema: JsonObject, name: string, now: number, depth: number): unknown {
  const { type: types, examples, oneOf, anyOf, format } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  const isText = !Array.isArray(types) && (types === 'string' || types === undefined);
  const sample = firstOf(schema['default'], schema['enum'], types === 'array' ? undefined : examples, schema['example']);
  if (isText && (format === 'date' || format === 'date-time' || (DATES.test(name) && isDate(sample))))
    return dateLike(schema, sample, name, now);
  if (sample !== undefined) return sample;
  const variants = oneOf ?? anyOf;
  const own = isJsonObject(schema['properties']) ? membersOf(schema, now, depth) : {};
  if (Array.isArray(variants)) {
    const chosen = valueFor(variants[0], name, now, depth + 1);
    return isJsonObject(chosen) ? { ...own, ...chosen } : chosen;
  }
  const type: unknown = Array.isArray(types) ? types.find((one) => one !== 'null') : types;
  if (type === 'object' || schema['properties'] !== undefined) return own;
  if (type === 'array') return [valueFor(schema['items'] ?? { type: 'string' }, name, now, depth + 1)];
  if (type === 'integer' || type === 'number') return Math.max(Number(schema['minimum'] ?? 1), 1);
  if (type === 'boolean') return false;
  if (DATES.test(name) && !/timezone|format/i.test(name)) return dateLike(schema, undefined, name, now);
  return /url|domain|host/.test(name) ? 'example.com' : `some-${name || 'value'}`;
}

function firstOf(usual: unknown, ...others: unknown[]): unknown {
  if (usual !== undefined) return usual;
  for (const other of others) {
    const value: unknown = Array.isArray(other) ? other[0] : other;
    if (value !== undefined) return value;
  }
  return undefined;
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value);
}

/** A recent date, written as the form wants it. */
function dateLike(schema: JsonObject, sample: unknown, name: string, now: number): string {
  const time = new Date(now - (ENDS.test(name) ? 0 : DAYS * DAY)).toISOString();
  const written = `${typeof schema['pattern'] === 'string' ? schema['pattern'] : ''}${isDate(sample) ? sample : ''}`;
  if (isDate(sample) ? sample.length === 10 : schema['format'] === 'date' || (schema['format'] === undefined && !/T/.test(written)))
    return time.slice(0, 10);
  if (/\.000000|\.\[0-9\]\{6\}|\.\\d\{6\}/.test(written)) return `${time.slice(0, 19)}.000000Z`;
  return /\.000|\.\[0-9\]|\.\\d/.test(written) ? `${time.slice(0, 19)}.000Z` : `${time.slice(0, 19)}Z`;
}

function membersOf(schema: JsonObject, now: number, depth: number): JsonObject {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const members: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema['properties'] as JsonObject)) {
    const part = isJsonObject(property) ? property : {};
    const isGiven =
      part['const'] !== undefined ||
      part['default'] !== undefined ||
      part['type'] === 'array' ||
      (WORTH_GIVING.test(name) && !ENDS.test(name));
    if (required.has(name) || isGiven) members[name] = valueFor(part, name, now, depth + 1);
  }
  return members;
}
