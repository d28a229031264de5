import { TypeMismatch } from './failures.ts';
import { type Arguments, isInt, Undefined } from './values.ts';

/** The arguments of a call under the names of its parameters; undefined where none was given. */
export function bound(name: string, parameters: readonly string[], args: readonly unknown[], named: Arguments): unknown[] {
  if (args.length > parameters.length) throw new TypeMismatch(`${name} takes at most ${parameters.length} arguments`);
  for (const given of named.keys()) {
    const at = parameters.indexOf(given);
    if (at === -1 || at < args.length) throw new TypeMismatch(`${name} has no argument ${given}`);
  }
  return parameters.map((parameter, i) => (i < args.length ? args[i] : named.get(parameter)));
}

/** A text that must be there. */
export function textArgument(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeMismatch(`${name} needs a text`);
  return value;
}

export function intArgument(name: string, value: unknown, missing?: number): number {
  if (value === undefined && missing !== undefined) return missing;
  if (value instanceof Undefined) value.use();
  if (typeof value === 'boolean') return Number(value);
  if (!isInt(value)) throw new TypeMismatch(`${name} needs a whole number`);
  return Number(value);
}
