import { MAX_CURSOR } from './paging.ts';
import { type Static, type TSchema, Type } from '../lib/schema.ts';

/** Exact decimals: a JSON number on the wire, decimal text in the program. */
export function Decimal(options: object = {}) {
  return Type.Unsafe<string>({ type: 'number', 'x-exact': true, ...options });
}

/** A JSON value that the program carries as JSON text and never looks into. */
export function JsonText(schema: TSchema) {
  return Type.Unsafe<string>({ ...schema, 'x-json-text': true });
}

/** One of a few words. */
export function OneOf<const Word extends string>(words: readonly Word[], options: object = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...options });
}

/** A value or null. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] });
}

/** Input: a point in time. Checked by the handler, as its reading is more than a pattern. */
export function TimeInput(description: string) {
  return Type.String({
    maxLength: 40,
    description: `${description} ISO 8601 with its zone; a bare date is midnight UTC.`,
    examples: ['2026-11-01T00:00:00.000Z'],
  });
}

/** Output: ISO 8601 in UTC with milliseconds. */
export function Time(description?: string) {
  return Type.String({ format: 'date-time', ...(description && { description }), examples: ['2026-11-01T09:30:00.000Z'] });
}

export function Strict<Properties extends Record<string, TSchema>>(properties: Properties, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The same with a name, by which the document and the programs that are made from it know it. A name is that of one schema. */
export function Named<Properties extends Record<string, TSchema>>(name: string, properties: Properties, options: object = {}) {
  return Type.Named(name, Strict(properties, options));
}

/** The answer of every route that answers one thing. */
export function Success<Data extends TSchema>(data: Data) {
  return Strict({ success: Type.Literal(true), data });
}

/** The answer of every list. */
export function ListOf<Item extends TSchema>(item: Item) {
  return Strict({
    success: Type.Literal(true),
    data: Type.Array(item),
    total: Type.Integer({ description: 'How many items match in all, whatever the page.' }),
    next_cursor: Nullable(Type.String({ description: 'Send it as `cursor` for the page that follows; null on the last page.' })),
  });
}

export const PAGING = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'How many items to return.' })),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'How many items to skip. Not together with `cursor`.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_CURSOR, description: '`next_cursor` of the page before; stays right while items arrive.' }),
  ),
};
