import { isDeepStrictEqual } from 'node:util';
import { NAME, type TSchema } from '../../lib/schema.ts';

/** Where a value is: in a request, which may have nothing that we do not know, or in an answer, which may have more in a later version. */
type Place = 'request' | 'answer';

/** The parts of a document that have names, collected while the rest is written. */
export class Components {
  readonly #schemas = new Map<string, object>();
  readonly #responses = new Map<string, object>();
  /** What stands for a schema that was met before: many routes answer the same thing. */
  readonly #met = { request: new Map<TSchema, object>(), answer: new Map<TSchema, object>() };

  /** A schema as the document shows it: one with a name is told once, and referred to. */
  schema(schema: TSchema, place: Place): object {
    const name = schema[NAME];
    if (name === undefined) return this.#plain(schema, place);
    const met = this.#met[place].get(schema);
    if (met) return met;
    const plain = this.#plain(schema, place);
    const reference = { $ref: `#/components/schemas/${name}` };
    if (!isDeepStrictEqual(this.#schemas.get(name) ?? plain, plain))
      throw new Error(`Two schemas are called ${name}, or one is in requests and in answers. Give each a name of its own.`);
    this.#schemas.set(name, plain);
    this.#met[place].set(schema, reference);
    return reference;
  }

  /** A response that several operations may give; the same name is always the same response. */
  response(name: string, make: () => object): object {
    if (!this.#responses.has(name)) this.#responses.set(name, make());
    return { $ref: `#/components/responses/${name}` };
  }

  /** All that was collected, in the order of its names. */
  get all(): { schemas: Record<string, object>; responses: Record<string, object> } {
    return { schemas: sorted(this.#schemas), responses: sorted(this.#responses) };
  }

  #plain(schema: TSchema, place: Place): object {
    const shown: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      // How the program carries a value is nobody else's business, and answers may get new members within v1.
      if (keyword === 'x-json-text' || (keyword === 'additionalProperties' && value === false && place === 'answer')) continue;
      shown[keyword] = this.#value(keyword, value, place);
    }
    // Some generators know constants of a type only.
    if (shown['const'] !== undefined) shown['type'] = typeof shown['const'];
    return shown;
  }

  #value(keyword: string, value: unknown, place: Place): unknown {
    const nested = (one: unknown): object => this.schema(one as TSchema, place);
    switch (keyword) {
      case 'properties':
        return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, nested(member)]));
      case 'items':
        return nested(value);
      case 'anyOf':
      case 'oneOf':
        return (value as TSchema[]).map(nested);
      default:
        return value;
    }
  }
}

function sorted(parts: ReadonlyMap<string, object>): Record<string, object> {
  return Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
