/** The part of JSON Schema that connectors describe their configuration with. */
export interface ConfigSchema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: string[];
  properties?: Record<string, ConfigSchema>;
  required?: string[];
  items?: ConfigSchema;
  /** Objects that are told apart by the constant in their member `type`. */
  oneOf?: ConfigSchema[];
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
  return variants.find((variant) => typeOf(variant) === value['type']) ?? variants[0] ?? {};
}

export function typeOf(variant: ConfigSchema): string {
  return textOf(variant.properties?.['type']?.const);
}

/** What a new entry of a list begins with. */
export function emptyItem({ type }: ConfigSchema): unknown {
  return type === 'object' ? {} : '';
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
