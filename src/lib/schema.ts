/**
 * JSON Schemas that TypeScript understands: `Static<typeof Schema>` is the type of what passes. The subset that our
 * interface needs, in a few hundred lines that load in a millisecond.
 */
export interface TSchema<T = unknown> {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Beside `properties`: members of which one or more have to be there, see member-choice.ts. */
  readonly anyOf?: readonly TSchema[];
  /** Objects told apart by the constant in their member `type`. Beside `properties`: members of which one has to be there. */
  readonly oneOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /** Members that are mandatory, unless another one has one of these texts, in any case. */
  readonly 'x-required-unless'?: Readonly<Record<string, { readonly member: string; readonly values: readonly string[] }>>;
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** What is said of a text that the pattern does not fit, in words. */
  readonly 'x-pattern-words'?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  /** What the document of the interface calls it, and so every program that is made from that. */
  readonly [NAME]?: string;
  /** Never there: carries the type. */
  readonly [STATIC]?: T;
}

declare const STATIC: unique symbol;
const OPTIONAL = Symbol('optional');
/** Where a schema keeps its name. Copies of it are called the same; nothing that goes through its keywords sees it. */
export const NAME: unique symbol = Symbol('name');

export type Static<Schema> = Schema extends TSchema<infer T> ? T : never;

type OptionalSchema<T> = TSchema<T> & { readonly [OPTIONAL]: true };
type Properties = Readonly<Record<string, TSchema>>;
type OptionalNames<P extends Properties> = { [Name in keyof P]: P[Name] extends OptionalSchema<unknown> ? Name : never }[keyof P];
type ObjectOf<P extends Properties> = { [Name in Exclude<keyof P, OptionalNames<P>>]: Static<P[Name]> } & {
  [Name in OptionalNames<P>]?: Static<P[Name]>;
};

type Options = Omit<TSchema, 'type' | 'properties' | 'items' | typeof STATIC> & Readonly<Record<string, unknown>>;

export const Type = {
  String: (options: Options = {}): TSchema<string> => ({ type: 'string', ...options }),
  Integer: (options: Options = {}): TSchema<number> => ({ type: 'integer', ...options }),
  Number: (options: Options = {}): TSchema<number> => ({ type: 'number', ...options }),
  Boolean: (options: Options = {}): TSchema<boolean> => ({ type: 'boolean', ...options }),
  Literal: <const Value extends string | number | boolean>(value: Value): TSchema<Value> => ({ const: value }),
  Unknown: (options: Options = {}): TSchema => ({ ...options }),
  /** One of several objects, told apart by the literal in their member `type`. */
  OneOf: <Variants extends readonly TSchema[]>(variants: Variants, options: Options = {}): TSchema<Static<Variants[number]>> => ({
    type: 'object',
    oneOf: variants,
    ...options,
  }),
  Array: <T>(items: TSchema<T>, options: Options = {}): TSchema<T[]> => ({ type: 'array', items, ...options }),
  Named: <Schema extends TSchema>(name: string, schema: Schema): Schema => ({ ...schema, [NAME]: name }),
  Optional: <T>(schema: TSchema<T>): OptionalSchema<T> =>
    Object.defineProperty({ ...schema }, OPTIONAL, { value: true }) as OptionalSchema<T>,
  /** A schema whose type in the program is not what its JSON would suggest. */
  Unsafe: <T>(schema: TSchema | Options): TSchema<T> => schema as TSchema<T>,
  Object: <P extends Properties>(properties: P, options: Options = {}): TSchema<ObjectOf<P>> => ({
    type: 'object',
    properties,
    // What has a default may be left out.
    required: Object.keys(properties).filter(
      (name) => !(OPTIONAL in (properties[name] as object)) && !('default' in (properties[name] as object)),
    ),
    ...options,
  }),
};
