import type { TSchema } from './schema.ts';

// A schema is what we document. Whatever it says of a value and nothing checks would be a lie, so that it stops the start.

/** What kind of value a schema describes: `checkerOf` has a rule for each. */
export type SchemaKind = 'object' | 'variants' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'union' | 'constant' | 'anything';

/** The keywords that the rule of each kind holds a value to. */
const ENFORCED: Readonly<Record<SchemaKind, readonly string[]>> = {
  object: ['type', 'properties', 'required', 'additionalProperties'],
  variants: ['type', 'oneOf'],
  array: ['type', 'items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['type', 'minLength', 'maxLength', 'pattern', 'enum'],
  integer: ['type', 'minimum', 'maximum'],
  number: ['type', 'minimum', 'maximum'],
  boolean: ['type'],
  union: ['anyOf'],
  constant: ['const'],
  anything: [],
};

/** Words about a value that promise nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly']);

export function kindOf(schema: TSchema): SchemaKind {
  switch (schema.type) {
    case 'object':
      return schema.oneOf ? 'variants' : 'object';
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    default:
      if (schema.anyOf) return 'union';
      return schema.const === undefined ? 'anything' : 'constant';
  }
}

/** Throws when a schema says something that `checkerOf` does not check. `where` is whose schema it is, for the message. */
export function demandEnforced(schema: TSchema, where: string): void {
  demand(schema, { where, path: '', isAnswer: false });
}

/** The same for an answer, which we make ourselves: it may also name a format. */
export function demandKnownKeywords(schema: TSchema, where: string): void {
  demand(schema, { where, path: '', isAnswer: true });
}

interface Place {
  readonly where: string;
  readonly path: string;
  readonly isAnswer: boolean;
}

function demand(schema: TSchema, place: Place): void {
  const enforced = ENFORCED[kindOf(schema)];
  for (const [keyword, value] of Object.entries(schema)) {
    if (enforced.includes(keyword) ? !isUnderstood(schema, keyword) : !isAnnotation(keyword, value, place)) throw lies(keyword, place);
  }
  const inside = (path: string): Place => ({ ...place, path: `${place.path}${path}` });
  for (const [name, member] of Object.entries(schema.properties ?? {})) demand(member, inside(place.path === '' ? name : `.${name}`));
  if (schema.items) demand(schema.items, inside('[]'));
  schema.oneOf?.forEach((variant, index) => demand(variant, inside(`.oneOf[${index}]`)));
  // A rule for null is no rule of its own.
  schema.anyOf?.forEach((member, index) => member.type !== 'null' && demand(member, inside(`.anyOf[${index}]`)));
}

/** Of some keywords, only a part of what JSON Schema makes of them is checked. */
function isUnderstood({ properties = {}, required = [], items, oneOf = [], additionalProperties }: TSchema, keyword: string): boolean {
  switch (keyword) {
    case 'required':
      return required.every((name) => Object.hasOwn(properties, name));
    case 'additionalProperties':
      return typeof additionalProperties === 'boolean';
    case 'uniqueItems':
      // Entries are told apart as they are; two objects are never the same.
      return items !== undefined && ['string', 'integer', 'number', 'boolean'].includes(kindOf(items));
    case 'oneOf':
      return oneOf.every((variant) => variant.properties?.['type']?.const !== undefined);
    default:
      return true;
  }
}

function isAnnotation(keyword: string, value: unknown, { isAnswer }: Place): boolean {
  if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) return true;
  // A password is no format of a text: it tells forms to hide it.
  return keyword === 'format' && (isAnswer || value === 'password');
}

function lies(keyword: string, { where, path }: Place): Error {
  return new Error(
    `${where}: the schema${path === '' ? '' : ` of ${path.replace(/^\./, '')}`} says "${keyword}", which is documented but not checked. Teach lib/check.ts to check it, or leave it out.`,
  );
}
