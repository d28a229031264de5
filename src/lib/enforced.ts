import { isMemberChoice } from './member-choice.ts';
import type { TSchema } from './schema.ts';

// A schema is what we document. Whatever it says of a value and nothing checks would be a lie, so that it stops the start.

/** What kind of value a schema describes: `checkerOf` has a rule for each. */
export type SchemaKind = 'object' | 'variants' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'union' | 'constant' | 'anything';

/** The keywords that the rule of each kind holds a value to. */
const ENFORCED: Readonly<Record<SchemaKind, readonly string[]>> = {
  object: ['type', 'properties', 'required', 'additionalProperties', 'x-required-unless', 'anyOf', 'oneOf'],
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

const SIMPLE: ReadonlySet<SchemaKind> = new Set(['string', 'integer', 'number', 'boolean']);

/** Words about a value that promise nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly']);

export function kindOf(schema: TSchema): SchemaKind {
  switch (schema.type) {
    case 'object':
      return schema.oneOf && !schema.properties ? 'variants' : 'object';
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
  demand(schema, where, false);
}

/** The same for an answer, which we make ourselves: it may also name a format. */
export function demandKnownKeywords(schema: TSchema, where: string): void {
  demand(schema, where, true);
}

function demand(schema: TSchema, where: string, isAnswer: boolean): void {
  const lie = lieIn(schema, isAnswer);
  if (!lie) return;
  const path = lie.path.replace(/^\./, '');
  throw new Error(
    `${where}: the schema${path === '' ? '' : ` of ${path}`} says "${lie.keyword}", which is documented but not checked. Teach lib/check.ts to check it, or leave it out.`,
  );
}

interface Lie {
  readonly path: string;
  readonly keyword: string;
}

/** Looks at every schema of every route at the start: where there is nothing to tell, it leaves nothing behind for the collector. */
function lieIn(schema: TSchema, isAnswer: boolean): Lie | undefined {
  const enforced = ENFORCED[kindOf(schema)];
  for (const keyword in schema) {
    const isTrue = enforced.includes(keyword)
      ? isUnderstood(schema, keyword)
      : isAnnotation(keyword, schema[keyword as keyof TSchema], isAnswer);
    if (!isTrue) return { path: '', keyword };
  }
  for (const name in schema.properties) {
    const lie = lieIn(schema.properties[name] as TSchema, isAnswer);
    if (lie) return below(`.${name}`, lie);
  }
  const lie = schema.items && lieIn(schema.items, isAnswer);
  if (lie) return below('[]', lie);
  // Alternatives of an object's members hold names only, which were looked at.
  if (schema.properties) return undefined;
  return lieAmong('oneOf', schema.oneOf, isAnswer) ?? lieAmong('anyOf', schema.anyOf, isAnswer);
}

function lieAmong(keyword: string, schemas: readonly TSchema[] | undefined, isAnswer: boolean): Lie | undefined {
  for (const [index, schema] of schemas?.entries() ?? []) {
    // A rule for null is no rule of its own.
    const lie = schema.type === 'null' ? undefined : lieIn(schema, isAnswer);
    if (lie) return below(`.${keyword}[${index}]`, lie);
  }
  return undefined;
}

function below(step: string, { path, keyword }: Lie): Lie {
  return { path: `${step}${path}`, keyword };
}

/** Of some keywords, only a part of what JSON Schema makes of them is checked. */
function isUnderstood(
  { properties, required, items, anyOf, oneOf, additionalProperties, 'x-required-unless': unless }: TSchema,
  keyword: string,
): boolean {
  switch (keyword) {
    case 'required':
      return required?.every((name) => properties !== undefined && Object.hasOwn(properties, name)) ?? true;
    case 'x-required-unless':
      return Object.keys(unless ?? {}).every((name) => properties !== undefined && Object.hasOwn(properties, name));
    case 'additionalProperties':
      return typeof additionalProperties === 'boolean';
    case 'uniqueItems':
      // Entries are told apart as they are; two objects are never the same.
      return items !== undefined && SIMPLE.has(kindOf(items));
    case 'anyOf':
      return properties === undefined || isMemberChoice(anyOf ?? [], properties);
    case 'oneOf':
      return properties
        ? isMemberChoice(oneOf ?? [], properties)
        : (oneOf?.every((variant) => variant.properties?.['type']?.const !== undefined) ?? true);
    default:
      return true;
  }
}

function isAnnotation(keyword: string, value: unknown, isAnswer: boolean): boolean {
  if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) return true;
  // A password is no format of a text: it tells forms to hide it.
  return keyword === 'format' && (isAnswer || value === 'password');
}
