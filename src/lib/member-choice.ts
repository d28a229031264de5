import type { FieldError } from './errors.ts';
import type { JsonObject } from './exact-json.ts';
import type { TSchema } from './schema.ts';

// Objects of which any of several members will do. JSON Schema says so by alternatives that hold nothing but `required`, beside `properties`.

type Choice = Pick<TSchema, 'anyOf' | 'oneOf'>;

/** At least one of these members has to be there. */
export function anyMember(...names: string[]): Choice {
  return { anyOf: alternatives(names) };
}

/** One of these members has to be there, and no other of them. */
export function oneMember(...names: string[]): Choice {
  return { oneOf: alternatives(names) };
}

function alternatives(names: readonly string[]): TSchema[] {
  return names.map((name) => ({ required: [name] }));
}

/** Whether alternatives choose among members that there are, and say nothing else. */
export function isMemberChoice(among: readonly TSchema[], properties: TSchema['properties'] = {}): boolean {
  return among.every((one) => {
    const [name] = one.required ?? [];
    return name !== undefined && Object.hasOwn(properties, name) && one.required?.length === 1 && Object.keys(one).length === 1;
  });
}

/** What is wrong with the members that an object has, of those that it may choose from. */
export interface ChoiceFault {
  readonly reason: string;
  /** Told in its place of a whole body, which has no name: the first of what is missing has one. */
  readonly ofWhole?: FieldError;
}

/** Looks for faults in the choice of a schema; undefined for schemas that leave none. */
export function choiceOf({ anyOf, oneOf, properties }: TSchema): ((object: JsonObject) => ChoiceFault | undefined) | undefined {
  if (!properties) return undefined;
  if (oneOf) return exactlyOne(namesOf(oneOf));
  return anyOf && atLeastOne(namesOf(anyOf));
}

function atLeastOne(names: readonly string[]): (object: JsonObject) => ChoiceFault | undefined {
  const [name = '', ...others] = names;
  const fault = {
    reason: `must have ${names.join(' or ')}`,
    ofWhole: { field: name, reason: `is mandatory, unless ${others.join(' or ')} is given` },
  };
  return (object) => (countOf(names, object) > 0 ? undefined : fault);
}

function exactlyOne(names: readonly string[]): (object: JsonObject) => ChoiceFault | undefined {
  const isPair = names.length === 2;
  const reason = isPair ? `must have either ${names.join(' or ')}` : `must have exactly one of ${names.join(', ')}`;
  return (object) => {
    const count = countOf(names, object);
    if (count === 1) return undefined;
    return { reason: count > 1 && isPair ? `${reason}, not both` : reason };
  };
}

function countOf(names: readonly string[], object: JsonObject): number {
  let count = 0;
  for (const name of names) if (Object.hasOwn(object, name) && object[name] !== undefined) count++;
  return count;
}

function namesOf(alternatives: readonly TSchema[]): string[] {
  return alternatives.map(({ required = [] }) => required[0] as string);
}
