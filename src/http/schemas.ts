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

// What `parseTime` reads, as far as a pattern can say it: it cannot say how many days a month has.
const TIME =
  '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$';

/** Input: a point in time. The handler reads it, as there is more to it than a pattern. */
export function TimeInput(description: string, example = '2026-11-01T00:00:00Z') {
  return Type.String({
    maxLength: 40,
    pattern: TIME,
    'x-pattern-words': `must be a time such as ${example}`,
    description: `${description} ISO 8601 with its zone; a bare date is midnight UTC.`,
    examples: ['2026-11-01T00:00:00.000Z'],
  });
}

/** Input: how long, such as `15m`. `such` are examples and bounds in words; the handler knows the bounds. */
export function SpanInput(such: string, options: object) {
  return Type.String({
    maxLength: 20,
    pattern: '^[1-9][0-9]{0,8}[smhd]$',
    'x-pattern-words': `must be a number and a unit, such as ${such}`,
    ...options,
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
