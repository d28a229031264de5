import { keptNumber } from '../../../lib/exact-json.ts';
import { TypeMismatch, UndefinedUse } from './failures.ts';

// The values of templates are those of Python, as far as JSON has them: null is None, objects are dicts, lists are arrays,
// whole numbers are ints. What JSON does not tell apart has a class here.

/** A number with a point, even when nothing but zeros follow it. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A list that is written in round brackets. */
export class Tuple extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A value that is not there. It is empty as a text and as a list; to ask anything else of it is a failure. */
export class Undefined {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }

  use(): never {
    throw new UndefinedUse(this.what);
  }
}

/** What was found, or that it is not there. None is something that was found. */
export function orMissing(found: unknown, what: string): unknown {
  return found === undefined ? new Undefined(what) : found;
}

export type Arguments = ReadonlyMap<string, unknown>;

/** Something that can be called in a template. */
export class Callable {
  readonly name: string;
  readonly call: (args: readonly unknown[], named: Arguments) => unknown;
  constructor(name: string, call: (args: readonly unknown[], named: Arguments) => unknown) {
    this.name = name;
    this.call = call;
  }
}

/** A dict made by a template: its keys may be other than texts. */
export class Dict {
  readonly #entries = new Map<string, readonly [unknown, unknown]>();

  get size(): number {
    return this.#entries.size;
  }

  has(key: unknown): boolean {
    return this.#entries.has(hashOf(key));
  }

  get(key: unknown): unknown {
    return this.#entries.get(hashOf(key))?.[1];
  }

  set(key: unknown, value: unknown): void {
    const hash = hashOf(key);
    this.#entries.set(hash, [this.#entries.get(hash)?.[0] ?? key, value]);
  }

  delete(key: unknown): void {
    this.#entries.delete(hashOf(key));
  }

  entries(): (readonly [unknown, unknown])[] {
    return [...this.#entries.values()];
  }
}

/**
 * A map with attributes beside its members, such as a slice with its partition: `x.name` is the attribute, `x['name']` the
 * member, and each is tried where the other is missing.
 */
export class Facade {
  readonly members: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  constructor(members: Readonly<Record<string, unknown>>, attributes: Readonly<Record<string, unknown>>) {
    this.members = members;
    this.attributes = attributes;
  }
}

/** What a template may keep things in across loops: `namespace(count=0)`. */
export class Namespace {
  readonly members = new Map<string, unknown>();
}

/** A value that comes from outside: a number that a double cannot hold is kept as it was written. */
export function fromOutside(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === undefined ? null : value;
  const kept = keptNumber(value);
  if (kept === undefined) return value;
  return /^-?\d+$/.test(kept) ? BigInt(kept) : new Float(Number(kept));
}

export type PlainObject = Readonly<Record<string, unknown>>;

function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isDict(value: unknown): value is Dict | PlainObject | Facade {
  return value instanceof Dict || value instanceof Facade || isPlainObject(value);
}

export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

export function isFloat(value: unknown): value is Float | number {
  return value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
}

/** Ints, floats and booleans, which count as 0 and 1. */
export function isNumeric(value: unknown): value is number | bigint | Float | boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' || value instanceof Float;
}

export function numberOf(value: number | bigint | Float | boolean): number {
  return value instanceof Float ? value.value : Number(value);
}

export function sizeOfDict(dict: Dict | PlainObject | Facade): number {
  return dict instanceof Dict ? dict.size : Object.keys(dict instanceof Facade ? dict.members : dict).length;
}

export function entriesOf(dict: Dict | PlainObject | Facade): (readonly [unknown, unknown])[] {
  if (dict instanceof Dict) return dict.entries();
  return Object.entries(dict instanceof Facade ? dict.members : dict).map(([key, value]) => [key, fromOutside(value)] as const);
}

/** The value under a key; undefined when there is none. */
export function lookUp(dict: Dict | PlainObject | Facade, key: unknown): unknown {
  if (dict instanceof Dict) return dict.get(key);
  const members = dict instanceof Facade ? dict.members : dict;
  if (typeof key !== 'string') {
    hashOf(key);
    return undefined;
  }
  if (!Object.hasOwn(members, key)) return undefined;
  return fromOutside(members[key]);
}

/** Two keys are the same when this is. */
function hashOf(key: unknown): string {
  if (typeof key === 'string') return `s${key}`;
  if (isNumeric(key)) return `n${typeof key === 'bigint' ? key : numberOf(key)}`;
  if (key === null) return 'N';
  if (key instanceof Tuple) return `t${key.map(hashOf).join('\0')}`;
  if (key instanceof Undefined) return 'u';
  if (Array.isArray(key) || isDict(key)) throw new TypeMismatch('a list or a dict cannot be a key');
  return `o${typeName(key)}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (isInt(value)) return 'int';
  if (isFloat(value)) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (Array.isArray(value)) return 'list';
  if (isDict(value)) return 'dict';
  if (value instanceof Undefined) return 'Undefined';
  return (value as object).constructor.name.toLowerCase();
}
