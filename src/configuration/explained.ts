import { variantOf } from '../connectors/config-values.ts';
import { checkerOf } from '../lib/check.ts';
import { closest } from '../lib/closest.ts';
import type { FieldError } from '../lib/errors.ts';
import { isJsonObject } from '../lib/exact-json.ts';
import type { TSchema } from '../lib/schema.ts';
import { placeOf, stepsTo, type PlaceStep, valueAt } from './places.ts';
import { hasReference } from './references.ts';

const checkers = new WeakMap<TSchema, ReturnType<typeof checkerOf>>();

/** What does not fit a schema, with what may have been meant. Of a value that is a reference nothing is known, so nothing is said. */
export function explained(schema: TSchema, value: unknown, begin: readonly PlaceStep[]): FieldError[] {
  const checker = checkers.get(schema) ?? checkerOf(schema);
  checkers.set(schema, checker);
  if (checker.test(value)) return [];
  return checker.explain(value).flatMap(({ field, reason }) => {
    const steps = stepsTo(value, field);
    const found = valueAt(value, steps);
    if (hasReference(found)) return [];
    const misspelt = reason.startsWith('is mandatory: one of') ? misspeltAs(valueAt(value, steps.slice(0, -1)), steps.at(-1)) : undefined;
    if (misspelt !== undefined)
      return [{ field: placeOf([...begin, ...steps.slice(0, -1), misspelt]), reason: `is not known here; was ${steps.at(-1)} meant?` }];
    return [{ field: placeOf([...begin, ...steps]), reason: `${reason}${meantBy(schema, value, steps, found, reason)}` }];
  });
}

/** The member that may have been meant to be the one that is missing. */
function misspeltAs(object: unknown, missing: PlaceStep | undefined): string | undefined {
  return isJsonObject(object) ? closest(String(missing), Object.keys(object)) : undefined;
}

/** The name or the word that is closest to what was written. */
function meantBy(schema: TSchema, value: unknown, steps: readonly PlaceStep[], found: unknown, reason: string): string {
  const name = steps.at(-1);
  const isUnknown = reason === 'is not known here';
  const candidates = isUnknown ? namesAt(schema, value, steps.slice(0, -1)) : wordsAt(reason);
  const meant = closest(String(isUnknown ? name : found), candidates);
  return meant === undefined || meant === found ? '' : `; was ${meant} meant?`;
}

/** The members that there could be in an object. */
function namesAt(schema: TSchema, value: unknown, steps: readonly PlaceStep[]): string[] {
  let [inner, at]: [TSchema, unknown] = [chosen(schema, value), value];
  for (const step of steps) {
    at = valueAt(at, [step]);
    inner = chosen((typeof step === 'number' ? inner.items : inner.properties?.[step]) ?? {}, at);
  }
  return Object.keys(inner.properties ?? {});
}

function chosen(schema: TSchema, value: unknown): TSchema {
  if (schema.properties) return schema;
  if (schema.anyOf) return chosen(schema.anyOf.find(({ type }) => type === (Array.isArray(value) ? 'array' : 'object')) ?? {}, value);
  return isJsonObject(value) ? variantOf(schema, value) : schema;
}

function wordsAt(reason: string): string[] {
  return /^must be one of (.+)$/.exec(reason)?.[1]?.split(', ') ?? [];
}
