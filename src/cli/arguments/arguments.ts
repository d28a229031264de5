import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Reads the options of a command and exactly the arguments it names; whatever else is there is refused by its name. */
export function readArguments<const Given extends Options>(args: string[], options: Given, names: readonly string[] = []) {
  const { values, positionals } = parse(args, options);
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`The ${missing} is missing.`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many.`);
  return { values, positionals };
}

function parse<const Given extends Options>(args: string[], options: Given) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const [, option] = /^Option '(?:-\w, )?(--[\w-]+).*' argument is ambiguous/.exec(message) ?? [];
    if (option !== undefined) throw new UsageError(`${option} needs a value. Write ${option}=<value> when it begins with a dash.`);
    // Node's advice about arguments that begin with a dash is of no use to ours.
    throw new UsageError(`${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')}.`);
  }
}

/** The options of a command, and any number of arguments. */
export function parseAny<const Given extends Options>(args: string[], options: Given) {
  return parse(args, options);
}

/** The value of an option that must be given. */
export function mandatory(name: string, text: string | undefined): string {
  if (text === undefined || text.trim() === '') throw new UsageError(`--${name} is missing.`);
  return text;
}

/** The value of an option that takes a whole number. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  return wholeNumberOf(`--${name}`, text, min, max);
}

/** A whole number, of an option or an argument that is called so in a message. */
export function wholeNumberOf(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`${name} must be a whole number from ${min} to ${max.toLocaleString('en')}, not "${text}".`);
  }
  return value;
}
