/** The part of JSON Schema that connectors describe their configuration with. */
export interface ConfigSchema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: (string | number | boolean)[];
  properties?: Record<string, ConfigSchema>;
  required?: string[];
  items?: ConfigSchema;
  /** Objects that are told apart by a member that is constant in each: `type`, where nothing else is. */
  oneOf?: ConfigSchema[];
  /** Another member has a text that describes what may be in this one. */
  'x-secrets-by'?: { member: string };
  writeOnly?: boolean;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

export type ConfigObject = Readonly<Record<string, unknown>>;

/** From so many characters on, text is written on several lines. */
const LONG_TEXT = 50_000;

/** Whether a text may have several lines: a field of one line would join them, which breaks certificates and keys. */
export function isMultiline({ description = '', maxLength = 0, writeOnly = false }: ConfigSchema): boolean {
  return /\bPEM\b/.test(description) || (!writeOnly && maxLength >= LONG_TEXT);
}

export type Member = readonly [name: string, schema: ConfigSchema];

/** The members of an object, without the one that tells variants apart. */
export function membersOf({ properties = {} }: ConfigSchema): Member[] {
  return Object.entries(properties).filter(([, member]) => member.const === undefined);
}

/**
 * What every user has to look at, and what few have to. Schemas name the most important first: everything up to the last member that
 * is mandatory, and the secret that follows; where nothing is mandatory, what has no default.
 */
export function partsOf(schema: ConfigSchema): { main: Member[]; more: Member[] } {
  const members = membersOf(schema);
  const last = members.findLastIndex(([name]) => schema.required?.includes(name));
  const behind = members.findIndex(([, member], place) => place > last && !(last < 0 ? member.default === undefined : member.writeOnly));
  const end = behind < 0 ? members.length : behind;
  return { main: members.slice(0, end), more: members.slice(end) };
}

/** Of several variants, the one that a value is of; the first when it does not say. */
export function variantOf(variants: readonly ConfigSchema[], value: ConfigObject): ConfigSchema {
  const tag = tagOf(variants);
  return variants.find((variant) => typeOf(variant, tag) === textOf(value[tag])) ?? variants[0] ?? {};
}

/** The member that tells variants apart. */
export function tagOf(variants: readonly ConfigSchema[]): string {
  const isTag = (name: string): boolean => variants.every((variant) => variant.properties?.[name]?.const !== undefined);
  return Object.keys(variants[0]?.properties ?? {}).find(isTag) ?? 'type';
}

export function typeOf(variant: ConfigSchema, tag: string): string {
  return textOf(variant.properties?.[tag]?.const);
}

/** What a member is called: by its title, or by its name. */
export function labelOf({ title }: ConfigSchema, path: string): string {
  return title ?? path.slice(path.lastIndexOf('.') + 1);
}

/** Whether there is no field for it but its JSON. */
export function isAnything({ type, properties, oneOf }: ConfigSchema): boolean {
  return type === undefined ? oneOf === undefined : type === 'object' && !oneOf && Object.keys(properties ?? {}).length === 0;
}

/** What a new entry of a list begins with. */
export function emptyItem({ type, default: preset }: ConfigSchema): unknown {
  return preset ?? (type === 'object' ? {} : type === 'boolean' ? false : '');
}

/** The object with one member changed; `undefined` takes it out. */
export function withMember(value: ConfigObject, name: string, member: unknown): ConfigObject {
  const { [name]: _, ...rest } = value;
  return member === undefined ? rest : { ...value, [name]: member };
}

export function isObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A single value as text; nothing for what is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
