import { checkerOf, printable } from '../lib/check.ts';
import { type FieldError, invalidParam, invalidParams } from '../lib/errors.ts';
import { textFault } from '../lib/json.ts';
import type { TSchema } from '../lib/schema.ts';

export type Validator = (value: unknown) => unknown;

/** Checks a part of the request against its schema; throws INVALID_PARAMS with every fault that it finds. */
export function validatorOf(schema: TSchema, where?: string): Validator {
  const checker = checkerOf(schema, where);
  return (value) => {
    if (checker.test(value)) return value;
    throw invalidParams(checker.explain(value));
  };
}

/** The same for query and path, which are text: integers are read strictly, lists have commas between or are given several times, whatever else stays the text it is. */
export function textValidatorOf(schema: TSchema, where?: string): Validator {
  const checker = checkerOf(schema, where);
  const named = (wanted: string): Set<string> =>
    new Set(Object.entries(schema.properties ?? {}).flatMap(([name, { type }]) => (type === wanted ? [name] : [])));
  const [integers, lists] = [named('integer'), named('array')];
  return (input) => {
    const value = readText(input as Record<string, unknown>, integers, lists);
    if (checker.test(value)) return value;
    // An entry of a list has no name of its own in a query.
    throw invalidParams(checker.explain(value).map((fault) => ({ ...fault, field: fault.field.replace(/\[\d+\]$/, '') })));
  };
}

/** The router takes what it cannot decode as it stands; a filter must not look for something else than was meant. */
export function demandDecodable(url: string): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  for (const pair of url.slice(start + 1).split('&')) {
    try {
      decodeURIComponent(pair);
    } catch {
      throw invalidParam(printable(pair.split('=')[0] ?? ''), 'is not valid percent-encoding');
    }
  }
}

function readText(input: Record<string, unknown>, integers: ReadonlySet<string>, lists: ReadonlySet<string>): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null);
  const faults: FieldError[] = [];
  for (const name of Object.keys(input)) {
    const given = lists.has(name) ? [input[name]].flat().flatMap((one) => String(one).split(',')) : input[name];
    const fault = Array.isArray(given) && !lists.has(name) ? 'must be given once' : textFault(name + String(given));
    if (fault) faults.push({ field: printable(name), reason: fault });
    value[name] = integers.has(name) && typeof given === 'string' && /^-?\d{1,16}$/.test(given) ? Number(given) : given;
  }
  if (faults.length > 0) throw invalidParams(faults);
  return value;
}
