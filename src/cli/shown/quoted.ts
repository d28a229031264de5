import { printable } from '../../lib/check.ts';

/** A name as it is written in a command that a person copies. */
export function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${printable(name).replaceAll("'", `'\\''`)}'`;
}
