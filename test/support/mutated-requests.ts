import type { Route } from '../../src/http/route.ts';
import type { TSchema } from '../../src/lib/schema.ts';
import { mutateValue, type Random, WRONG_TIMES } from './mutated-values.ts';
import { entrySchema } from './valid-orders.ts';
import type { Parts } from './valid-requests.ts';
import type { World } from './valid-world.ts';
import { bodyText, targetOf, type WireRequest, wireOf } from './wire.ts';

/** What must come back. */
export interface Expected {
  status: readonly number[];
  code?: string;
  field?: string;
  /** The entry of a batch that must have failed; the others must not have. */
  entry?: number;
}

export interface Mutated {
  what: string;
  request: WireRequest;
  expected: Expected;
}

type Mutation = (route: Route, parts: Parts, valid: WireRequest, random: Random, world: World) => Mutated | undefined;

/** A request with one thing wrong. */
export function mutate(route: Route, parts: Parts, key: string, random: Random, world: World): Mutated {
  const valid = wireOf(route, parts, key);
  const kinds = [body, body, body, body, query, query, strangeQuery, param, bytes, bytes, contentType, twice, authorization, header];
  for (let at = random(kinds.length); ; at = (at + 1) % kinds.length) {
    const mutated = (kinds[at] as Mutation)(route, parts, valid, random, world);
    if (mutated) return mutated;
  }
}

function invalid(field: string): Expected {
  return { status: [400], code: 'INVALID_PARAMS', field };
}

const body: Mutation = (route, parts, valid, random, world) => {
  if (parts.body === undefined) return undefined;
  if (!route.takesLines) {
    const { value, what, field } = mutateValue(route.body as TSchema, parts.body, random);
    return { what, request: { ...valid, body: JSON.stringify(value) }, expected: invalid(field) };
  }
  const entries = [...(parts.body as unknown[])];
  const entry = random(entries.length);
  const { value, what, field, isPoison } = mutateValue(entrySchema(route, world), entries[entry], random);
  entries[entry] = value;
  const text = bodyText({ body: entries, asLines: parts.asLines }) as string;
  const wholeBody = isPoison && !parts.asLines;
  return {
    what: `entry ${entry}: ${what}`,
    request: { ...valid, body: text },
    expected: wholeBody ? invalid(`[${entry}].${field}`) : { status: [200], code: 'INVALID_PARAMS', field, entry },
  };
};

const query: Mutation = (route, parts, valid, random) => {
  const properties = Object.entries((route.query?.properties ?? {}) as Record<string, TSchema>);
  if (properties.length === 0) return undefined;
  const [name, schema] = properties[random(properties.length)] as [string, TSchema];
  const wrong = wrongTexts(name, schema);
  const value = wrong[random(wrong.length)] as string;
  const { cursor: _, offset: __, after: ___, ...others } = parts.query;
  const target = targetOf(route, { ...parts, query: { ...others, [name]: value } });
  return { what: `${name}=${value.slice(0, 80)}`, request: { ...valid, target }, expected: invalid(name) };
};

function wrongTexts(name: string, { type, minLength, maxLength, minimum = 0, maximum = 0, ...schema }: TSchema): string[] {
  if (type === 'integer') {
    const outside = [String(minimum - 1), String(BigInt(maximum) + 1n), '-99', '99999999999999999999'];
    return [...outside, '', ' ', '1.5', '1e2', '0x10', '+1', '1 ', '1_000', 'NaN', 'Infinity', 'null', 'true', '[1]', '{}', '९', '1,2'];
  }
  const texts = ['\0', 'a\0b'];
  if (schema.enum) texts.push('', 'NEW', 'nonsense', 'new ', 'new,shipped', 'toString', '__proto__');
  if (name === 'cursor') texts.push('x', 'AAAA', 'MTo', 'null', '-1', '1e3', Buffer.from('2:x').toString('base64url'), 'MTph\n');
  if (/_(from|to|since)$/.test(name)) texts.push(...WRONG_TIMES);
  if (minLength) texts.push('');
  // In the longest of them, signs of four bytes would be more than the headers of a request may have.
  if (maxLength !== undefined) texts.push('x'.repeat(maxLength + 1), (maxLength > 1000 ? 'x' : '😀').repeat(maxLength + 1));
  return texts;
}

const strangeQuery: Mutation = (route, parts, valid, random) => {
  const known = Object.keys(route.query?.properties ?? {});
  const name = known[random(known.length)] ?? 'unknown';
  const cases: [query: string, field: string][] = [
    ...['unexpected', '__proto__', 'constructor', 'Limit', 'limit[]', 'limit.x', 'ünï', '日本', ''].map((odd): [string, string] => [
      `${encodeURIComponent(odd)}=1`,
      odd,
    ]),
    ...['%', '%zz', '%ff', '%C0%80', '%ED%A0%80', '1%'].map((odd): [string, string] => [`${name}=${odd}`, name]),
    ['%zz=1', '%zz'],
  ];
  if (known.length > 0) cases.push([`${name}=1&${name}=1`, name], [`${name}=1&${name}`, name]);
  if (known.includes('offset')) cases.push(['cursor=MTpvcmQ&offset=0', 'cursor']);
  const [text, field] = cases[random(cases.length)] as [string, string];
  return {
    what: `?${text}`,
    request: { ...valid, target: `${targetOf(route, { ...parts, query: {} })}?${text}` },
    expected: invalid(field),
  };
};

const UNKNOWN_IDS = [
  'nonsense',
  'ord_',
  '__proto__',
  'constructor',
  "1'%20or%20'1'='1",
  '..%2F..%2Fetc%2Fpasswd',
  '%F0%9F%98%80',
  '%252e',
  '...',
];

const param: Mutation = (route, parts, valid, random) => {
  const name = Object.keys(route.params?.properties ?? {})[0];
  if (name === undefined) return undefined;
  // A product or a customer may well be called like that, by chance; nothing else is.
  const isNamedByCallers = name === 'product_id' || route.path.startsWith('/api/v1/customers/');
  const nothing: Expected = isNamedByCallers ? { status: [200, 404] } : { status: [404], code: 'NOT_FOUND' };
  const cases: [text: string, expected: Expected][] = [
    ['%00', invalid(name)],
    ['a%00b', invalid(name)],
    ...['%zz', '%', '%ff', '%C0%80', 'a'.repeat(1001)].map((text): [string, Expected] => [text, invalid('path')]),
    ...UNKNOWN_IDS.map((text): [string, Expected] => [text, nothing]),
  ];
  if (name === 'product_id') cases.push(['x'.repeat(65), invalid(name)], ['%F0%9F%98%80'.repeat(65), invalid(name)]);
  const [text, expected] = cases[random(cases.length)] as [string, Expected];
  const target = route.path.replace(/\{(\w+)\}/g, (_, other: string) =>
    other === name ? text : encodeURIComponent(parts.params[other] as string),
  );
  return { what: `${name} is ${text.slice(0, 80)}`, request: { ...valid, target }, expected };
};

/** Bodies that are not JSON, or JSON of the wrong shape altogether. */
const bytes: Mutation = (route, parts, valid, random) => {
  if (route.method === 'GET' || parts.asLines) return undefined;
  const text = Buffer.from(valid.body ?? '{"a":[1,2]}');
  const at = 1 + random(text.length - 1);
  const inserted = (hex: string): Buffer => Buffer.concat([text.subarray(0, at), Buffer.from(hex, 'hex'), text.subarray(at)]);
  const malformed: Expected = { status: [400], code: 'MALFORMED_JSON', field: '' };
  const refused: Expected = { status: route.takesLines ? [200, 400] : [400] };
  const cases: [what: string, body: Buffer | string, expected: Expected][] = [
    ['truncated', text.subarray(0, at), malformed],
    ['a byte order mark', Buffer.concat([Buffer.from('efbbbf', 'hex'), text]), malformed],
    ...['ff', 'c080', 'eda080', 'f4908080', '80'].map((hex): (typeof cases)[number] => [`invalid UTF-8 ${hex}`, inserted(hex), malformed]),
    ['something after the end', Buffer.concat([text, Buffer.from('}')]), malformed],
    ['random bytes', Buffer.from(Array.from({ length: 1 + random(200) }, () => random(256))), { status: [400] }],
    ...[
      'NaN',
      'undefined',
      "{'a':1}",
      '{a:1}',
      '{"a":1,}',
      '[1,]',
      '01',
      '+1',
      '.5',
      '1.',
      '"\u0001"',
      '"\\x"',
      '/**/{}',
      ' ',
      '\ufeff',
    ].map((odd): (typeof cases)[number] => [odd, odd, malformed]),
    ...['null', 'true', '0', '-0', '1e400', '""', '"text"', '[]'].map((odd): (typeof cases)[number] => [
      odd,
      odd,
      invalid(route.body ? '' : 'body'),
    ]),
    ['deep arrays', '['.repeat(10_000) + ']'.repeat(10_000), refused],
    ['deep objects', `${'{"metadata":'.repeat(10_000)}1e400${'}'.repeat(10_000)}`, { status: [400] }],
    ['deep and cut off', '['.repeat(10_000), malformed],
  ];
  if (route.body && !route.bodyOptional) cases.push(['nothing', '', invalid('body')]);
  const [what, content, expected] = cases[random(cases.length)] as (typeof cases)[number];
  return { what, request: { ...valid, headers: { ...valid.headers, 'Content-Type': 'application/json' }, body: content }, expected };
};

const contentType: Mutation = (route, _parts, valid, random) => {
  if (route.method === 'GET') return undefined;
  const { 'Content-Type': _, ...headers } = valid.headers;
  const types = ['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
  types.push('application/jsonp', 'application/ld+json', 'application', 'json', '*/*', 'application/json/x', '', ';', 'application/json x');
  const type = types[random(types.length + 1)];
  const told = type === undefined ? headers : { ...headers, 'Content-Type': type };
  return {
    what: `Content-Type: ${type}`,
    request: { ...valid, headers: told, body: valid.body ?? '{}' },
    expected: { status: [415], code: 'UNSUPPORTED_MEDIA_TYPE', field: 'Content-Type' },
  };
};

/** A member that is there twice: it is refused, as the documentation says, whichever of the two is right. */
const twice: Mutation = (route, parts, valid, random) => {
  const names = route.takesLines || Array.isArray(parts.body) ? [] : Object.keys(parts.body ?? {});
  const name = names[random(names.length)];
  if (name === undefined) return undefined;
  const text = valid.body as string;
  const expected = { status: [400], code: 'MALFORMED_JSON', field: name };
  const doubled =
    random(2) === 0 ? `{${JSON.stringify(name)}:[null],${text.slice(1)}` : `${text.slice(0, -1)},${JSON.stringify(name)}:null}`;
  return { what: `${name} twice`, request: { ...valid, body: doubled }, expected };
};

const authorization: Mutation = (_route, _parts, valid, random) => {
  const { Authorization: good = '', ...headers } = valid.headers;
  const key = good.slice('Bearer '.length);
  const others = [
    '',
    'Bearer',
    'Bearer ',
    key,
    `Basic ${key}`,
    `Bearer ${key}0`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key} x`,
    `Bearer "${key}"`,
  ];
  others.push(
    `Bearer ${'a'.repeat(9000)}`,
    'Bearer slk_',
    'Bearer a.b.c',
    'Bearer __proto__',
    `Bearer,${key}`,
    `Bearer ${key.toUpperCase()}`,
  );
  const other = others[random(others.length + 1)];
  const request = { ...valid, headers: other === undefined ? headers : { ...headers, Authorization: other } };
  return {
    what: `Authorization: ${other?.slice(0, 40)}`,
    request,
    expected: { status: [401], code: 'UNAUTHORIZED', field: 'Authorization' },
  };
};

const header: Mutation = (route, _parts, valid, random) => {
  if (!route.headers) return undefined;
  const odd = ['', 'x'.repeat(256), 'é', '\xff', 'a\tb'][random(5)] as string;
  const request = { ...valid, headers: { ...valid.headers, 'Idempotency-Key': odd } };
  return { what: `Idempotency-Key: ${odd.slice(0, 40)}`, request, expected: invalid('Idempotency-Key') };
};

/** What a valid request may be answered with: things that are not there, or not in the right state, are no fault of its form. */
export function validStatuses(route: Route): number[] {
  const errors = route.errors ?? [];
  return [200, ...(errors.includes('NOT_FOUND') ? [404] : []), ...(errors.some((code) => /CONFLICT|TRANSITION/.test(code)) ? [409] : [])];
}
