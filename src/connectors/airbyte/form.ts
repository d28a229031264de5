import { isJsonObject, type JsonObject } from '../../lib/exact-json.ts';
import type { TSchema } from '../../lib/schema.ts';

// A form of Airbyte is a JSON schema with marks of its own. What comes out is the part of JSON schema that our own configurations are
// described with, so that one page and one command line show both.

/** Forms from anywhere may refer to themselves without end. */
const DEEPEST = 12;
const MOST_TEXT = 2000;
/** What says "several lines" in our schemas. */
const MANY_LINES = 100_000;
const PLAIN = new Set(['string', 'integer', 'number', 'boolean']);
/** What is taken over as it is, when it is of this kind. */
const TAKEN: Readonly<Record<string, 'string' | 'number' | 'boolean'>> = {
  pattern: 'string',
  format: 'string',
  minimum: 'number',
  maximum: 'number',
  minLength: 'number',
  maxLength: 'number',
  minItems: 'number',
  maxItems: 'number',
  uniqueItems: 'boolean',
};

type Form = TSchema & Readonly<Record<string, unknown>>;

/** The form that a manifest's `connection_specification` describes. An object without members may hold anything. */
export function formOf(specification: JsonObject): TSchema {
  const { title: _title, description: _description, ...form } = schemaOf({ ...specification, type: 'object' }, 0);
  return form;
}

function schemaOf(given: unknown, depth: number): Form {
  if (!isJsonObject(given) || depth > DEEPEST) return {};
  const isSecret = given['airbyte_secret'] === true;
  const words = { ...wordsOf(given), ...(isSecret && { writeOnly: true, format: 'password' }) };
  const choices = depth > 0 ? choicesOf(given, depth) : undefined;
  if (choices) return { type: 'object', ...words, oneOf: choices, ...defaultOf(given, isJsonObject) };
  const type = typeOf(given);
  if (type === 'object') return { type, ...words, ...membersOf(given, depth) };
  if (type === 'array')
    return { type, ...words, ...taken(given), ...defaultOf(given, Array.isArray), items: schemaOf(given['items'], depth + 1) };
  if (!PLAIN.has(type)) return words;
  const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  const choice = Array.isArray(given['enum']) ? { enum: given['enum'].filter(isScalar) } : {};
  // A constant is the only choice that there is.
  const constant = constantOf(given);
  return {
    type,
    ...taken(given),
    ...words,
    ...(constant === undefined ? choice : { const: constant }),
    ...defaultOf(given, isScalar),
    ...(given['multiline'] === true && { maxLength: MANY_LINES }),
  };
}

/** The members that people fill in, in the order that the form wants. */
function membersOf(given: JsonObject, depth: number): Pick<Form, 'properties' | 'required'> {
  const properties = given['properties'];
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return {};
  const required = new Set(listOf(given['required']));
  const shown = Object.entries(properties)
    .map(([name, member]) => [name, isJsonObject(member) ? member : {}] as const)
    // Hidden ones are for machines, and have defaults. One without could not be left out.
    .filter(([name, member]) => member['airbyte_hidden'] !== true || required.has(name))
    .map(([name, member], at) => ({ name, member, place: typeof member['order'] === 'number' ? member['order'] : 1000 + at }))
    .sort((a, b) => a.place - b.place);
  return {
    properties: Object.fromEntries(shown.map(({ name, member }) => [name, schemaOf(member, depth + 1)])),
    required: shown.filter(({ name, member }) => required.has(name) && member['default'] === undefined).map(({ name }) => name),
  };
}

/** Of several forms to choose from, each with its title. They are told apart by a member that is constant in each. */
function choicesOf(given: JsonObject, depth: number): Form[] | undefined {
  const variants = listOf(given['oneOf'] ?? given['anyOf']).filter(isJsonObject);
  if (variants.length === 0) return undefined;
  const name = Object.keys(objectAt(variants[0], 'properties')).find((member) => areApart(variants, member));
  if (name === undefined) return undefined;
  // What stands beside the choice is part of each.
  const common = objectAt(given, 'properties');
  return variants.map((variant) => {
    const merged = {
      ...variant,
      type: 'object',
      properties: { ...common, ...objectAt(variant, 'properties') },
      required: [...new Set([...listOf(given['required']), ...listOf(variant['required']), name])],
    };
    const form = schemaOf(merged, depth + 1);
    const constant = constantOf(objectAt(objectAt(variant, 'properties'), name));
    return { ...form, title: form['title'] ?? String(constant) };
  });
}

function areApart(variants: readonly JsonObject[], member: string): boolean {
  const values = variants.map((variant) => constantOf(objectAt(objectAt(variant, 'properties'), member)));
  return values.every((value) => value !== undefined) && new Set(values).size === values.length;
}

function constantOf(member: JsonObject): string | number | boolean | undefined {
  const only = 'const' in member ? member['const'] : listOf(member['enum']).length === 1 ? listOf(member['enum'])[0] : undefined;
  return typeof only === 'string' || typeof only === 'number' || typeof only === 'boolean' ? only : undefined;
}

function typeOf(given: JsonObject): string {
  const type = listOf(given['type']).find((name) => name !== 'null') ?? given['type'];
  if (typeof type === 'string') return type;
  if (isJsonObject(given['properties'])) return 'object';
  if ('items' in given) return 'array';
  const [first] = 'const' in given ? [given['const']] : listOf(given['enum']);
  return PLAIN.has(typeof first) ? typeof first : '';
}

function wordsOf(given: JsonObject): Pick<Form, 'description'> & { title?: string; examples?: unknown[] } {
  const [title, description] = [plainText(given['title']), plainText(given['description'])];
  const examples = listOf(given['examples']).filter((one) => typeof one === 'string' || typeof one === 'number');
  return { ...(title && { title }), ...(description && { description }), ...(examples.length > 0 && { examples: examples.slice(0, 5) }) };
}

/** Descriptions have links and other marks of web pages in them; ours are plain. */
function plainText(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .slice(0, MOST_TEXT)
    .replace(/<a\b[^>]*?\bhref\s*=\s*["']?([^"'\s>]+)[^>]*>([^<]*)<\/a>/gi, (_, address: string, words: string) =>
      words.trim() === address ? address : `${words.trim()} (${address})`,
    )
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function taken(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(TAKEN).flatMap(([name, kind]) => (typeof given[name] === kind ? [[name, given[name]]] : [])));
}

function defaultOf(given: JsonObject, fits: (value: unknown) => boolean): JsonObject {
  return given['default'] !== undefined && fits(given['default']) ? { default: given['default'] } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectAt(value: JsonObject | undefined, name: string): JsonObject {
  const found = value?.[name];
  return isJsonObject(found) ? found : {};
}
