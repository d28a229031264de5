import { readFileSync } from 'node:fs';
import { repeatedMember } from '../../lib/json-text/json-repeats.ts';
import { CliError } from '../errors.ts';

/** A file, `-` for standard input (so that secrets stay out of the list of processes), or the JSON itself. */
export function readJsonText(given: string, what: string): string {
  if (/^\s*[{[]/.test(given)) return given;
  try {
    return readFileSync(given === '-' ? 0 : given, 'utf8');
  } catch (error) {
    throw new CliError(`The ${what} cannot be read from ${given}: ${(error as Error).message}.`);
  }
}

/** The object in a JSON text. What the parser has to say is not repeated: it may quote a secret. */
export function parseObject(text: string, what: string, example: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CliError(`The ${what} must be a JSON object, such as ${example}.`);
  const repeated = repeatedMember(text, value);
  if (repeated !== undefined) throw new CliError(`The ${what} gives ${repeated} more than once. Give each member once.`);
  return value as Record<string, unknown>;
}
