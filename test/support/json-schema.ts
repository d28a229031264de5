// A second opinion on JSON Schema, for the tests only: small, slow, and written without a look at src/lib/check.ts.
// It knows every keyword that the interface uses and refuses those it does not know, so that none is passed over.

export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  /** Objects told apart by the constant in their member `type`. */
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean;
  'x-required-unless'?: Record<string, { member: string; values: readonly string[] }>;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  examples?: readonly unknown[];
  description?: string;
}

const KEYWORDS = new Set(
  (
    '$ref type const enum anyOf oneOf properties required additionalProperties items minItems maxItems uniqueItems ' +
    'minLength maxLength pattern format minimum maximum examples title description default x-exact x-json-text x-transitions x-required-unless x-pattern-words'
  ).split(' '),
);
const TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const known = new WeakSet<Schema>();

/** What does not fit, each with its place. An object is closed unless its schema says `additionalProperties: true`. */
export function faultsOf(schema: Schema, value: unknown, root: object, path = '$'): string[] {
  demandKnown(schema);
  if (schema.$ref !== undefined) return faultsOf(resolve(schema.$ref, root), value, root, path);
  if (schema.anyOf && !schema.properties) {
    const each = schema.anyOf.map((member) => ({ faults: faultsOf(member, value, root, path), isList: member.type === 'array' }));
    if (each.some(({ faults }) => faults.length === 0)) return [];
    // What is wrong with a list is told of the list first that may stand there, not of the single one.
    const isAlike = ({ isList }: { isList: boolean }): number => Number(isList === Array.isArray(value));
    return each.toSorted((a, b) => isAlike(b) - isAlike(a)).flatMap(({ faults }) => faults);
  }
  if (schema.oneOf && !schema.properties) {
    const variant = variantOf(schema.oneOf, value);
    return variant ? faultsOf(variant, value, root, path) : [`${path}${isObject(value) ? '.type' : ''} is of none of the kinds`];
  }
  if ('const' in schema && value !== schema.const) return [`${path} is not ${JSON.stringify(schema.const)}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path} is none of ${schema.enum.join(', ')}`];
  switch (schema.type) {
    case undefined:
      return [];
    case 'null':
      return value === null ? [] : [`${path} is not null`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path} is no boolean`];
    case 'string':
      return typeof value === 'string' ? stringFaults(schema, value, path) : [`${path} is no string`];
    case 'integer':
      return Number.isInteger(value) ? numberFaults(schema, value as number, path) : [`${path} is no integer`];
    case 'number':
      return typeof value === 'number' ? numberFaults(schema, value, path) : [`${path} is no number`];
    case 'array':
      return Array.isArray(value) ? arrayFaults(schema, value, root, path) : [`${path} is no array`];
    case 'object':
      return isObject(value) ? objectFaults(schema, value, root, path) : [`${path} is no object`];
    default:
      throw new Error(`The type ${schema.type} is unknown to JSON Schema.`);
  }
}

/** The kind of object that a value is, by its member `type`. */
export function variantOf<Kind extends Schema>(variants: readonly Kind[], value: unknown): Kind | undefined {
  if (!isObject(value)) return undefined;
  return variants.find((variant) => Object.hasOwn(value, 'type') && variant.properties?.['type']?.const === value['type']);
}

function demandKnown(schema: Schema): void {
  if (known.has(schema)) return;
  const strange = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  if (strange.length > 0) throw new Error(`The checker does not know the keywords ${strange.join(', ')}.`);
  known.add(schema);
}

/** What a reference points to. */
export function resolve<Part = Schema>(ref: string, root: object): Part {
  let place: unknown = root;
  if (!ref.startsWith('#/')) throw new Error(`${ref} does not point into the document.`);
  for (const name of ref.slice(2).split('/')) place = isObject(place) ? place[name] : undefined;
  if (!isObject(place)) throw new Error(`${ref} points to nothing.`);
  return place as Part;
}

function stringFaults(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format }: Schema,
  text: string,
  path: string,
): string[] {
  const faults: string[] = [];
  const length = Array.from(text).length;
  if (length < minLength || length > maxLength) faults.push(`${path} has ${length} characters`);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) faults.push(`${path} does not match ${pattern}`);
  if (format !== undefined && (format !== 'date-time' || !TIME.test(text))) faults.push(`${path} is no ${format}`);
  return faults;
}

function numberFaults(
  { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Schema,
  number: number,
  path: string,
): string[] {
  return number >= minimum && number <= maximum ? [] : [`${path} is ${number}`];
}

function arrayFaults(schema: Schema, values: readonly unknown[], root: object, path: string): string[] {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema;
  const faults = values.flatMap((value, index) => faultsOf(items, value, root, `${path}[${index}]`));
  if (values.length < minItems || values.length > maxItems) faults.push(`${path} has ${values.length} entries`);
  if (uniqueItems && new Set(values.map((value) => JSON.stringify(value))).size < values.length) faults.push(`${path} has an entry twice`);
  return faults;
}

function objectFaults(schema: Schema, object: Record<string, unknown>, root: object, path: string): string[] {
  const { properties = {}, additionalProperties = false } = schema;
  const missed = Object.entries(schema['x-required-unless'] ?? {}).filter(
    ([, { member, values }]) => !values.some((word) => word.toLowerCase() === String(object[member]).toLowerCase()),
  );
  const required = [...(schema.required ?? []), ...missed.map(([name]) => name)];
  const faults = required.filter((name) => !Object.hasOwn(object, name)).map((name) => `${path}.${name} is missing`);
  for (const [keyword, least, most] of [
    ['anyOf', 1, Infinity],
    ['oneOf', 1, 1],
  ] as const) {
    const met = (schema[keyword] ?? []).filter((one) => (one.required ?? []).every((name) => Object.hasOwn(object, name))).length;
    if (schema[keyword] && (met < least || met > most)) faults.push(`${path} meets ${met} of ${keyword}`);
  }
  for (const [name, value] of Object.entries(object)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) faults.push(...faultsOf(property, value, root, `${path}.${name}`));
    else if (!additionalProperties) faults.push(`${path}.${name} is not documented`);
  }
  return faults;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
