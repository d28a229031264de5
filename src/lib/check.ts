import { isJsonObject, type JsonObject } from './exact-json.ts';
import { demandEnforced, kindOf, type SchemaKind } from './enforced.ts';
import type { FieldError } from './errors.ts';
import { choiceOf } from './member-choice.ts';
import type { TSchema } from './schema.ts';

/** Whether a value fits. */
type Test = (value: unknown) => boolean;
/** What does not fit, added to `faults` with the path of each place. */
type Explain = (value: unknown, path: string, faults: FieldError[]) => void;

export interface Checker {
  test: Test;
  explain: (value: unknown) => FieldError[];
}

interface Rule {
  test: Test;
  explain: Explain;
}

// A body of a megabyte can hold half a million faults; nobody reads more than these.
const MAX_FAULTS = 1000;

/**
 * Makes of a schema a quick test for the many that fit, and an explanation for the few that do not. Throws when the schema says more than is
 * checked; `where` is whose schema it is, for that message.
 */
export function checkerOf(schema: TSchema, where = 'A schema'): Checker {
  demandEnforced(schema, where);
  const rule = ruleOf(schema);
  return {
    test: rule.test,
    explain: (value) => {
      const faults: FieldError[] = [];
      rule.explain(value, '', faults);
      return faults;
    },
  };
}

const RULES: Readonly<Record<SchemaKind, (schema: TSchema) => Rule>> = {
  object: objectRule,
  variants: ({ oneOf = [] }) => variantRule(oneOf),
  array: arrayRule,
  string: (schema) => simple('a string', (value) => typeof value === 'string', stringLimits(schema)),
  integer: (schema) => simple('an integer', Number.isSafeInteger, numberLimits(schema)),
  number: (schema) => simple('a number', Number.isFinite, numberLimits(schema)),
  boolean: () => simple('a boolean', (value) => typeof value === 'boolean', []),
  union: ({ anyOf = [] }) => unionRule(anyOf),
  constant: (schema) => constantRule(schema.const),
  anything: () => ({ test: () => true, explain: () => {} }),
};

function ruleOf(schema: TSchema): Rule {
  return RULES[kindOf(schema)](schema);
}

interface Limit {
  holds: (value: never) => boolean;
  reason: string;
}

/** A value without parts: of a type, within limits. */
function simple(kind: string, isKind: Test, limits: Limit[]): Rule {
  const tests = limits.map((limit) => limit.holds as Test);
  return {
    test: (value) => {
      if (!isKind(value)) return false;
      for (const test of tests) if (!test(value)) return false;
      return true;
    },
    explain: (value, path, faults) => {
      if (!isKind(value)) {
        faults.push({ field: path, reason: JSON.isRawJSON(value) ? 'has more digits than can be kept exactly' : `must be ${kind}` });
        return;
      }
      const broken = limits.find((limit) => !(limit.holds as Test)(value));
      if (broken) faults.push({ field: path, reason: broken.reason });
    },
  };
}

function stringLimits({ minLength, maxLength, pattern, 'x-pattern-words': patternWords, enum: words }: TSchema): Limit[] {
  const limits: Limit[] = [];
  if (words) {
    const known = new Set(words);
    limits.push({ holds: (text: string) => known.has(text), reason: `must be one of ${words.join(', ')}` });
  }
  if (minLength !== undefined) {
    limits.push({
      holds: (text: string) => hasAtLeast(text, minLength),
      reason: minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`,
    });
  }
  if (maxLength !== undefined)
    limits.push({ holds: (text: string) => hasAtMost(text, maxLength), reason: `must have at most ${maxLength} characters` });
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u');
    limits.push({ holds: (text: string) => expression.test(text), reason: patternWords ?? `must match ${pattern}` });
  }
  return limits;
}

// Characters are counted as people do (code points), and only where the length in UTF-16 leaves it open.
function hasAtLeast(text: string, least: number): boolean {
  return text.length >= 2 * least || (text.length >= least && codePoints(text) >= least);
}

function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && codePoints(text) <= most);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function numberLimits({ minimum, maximum }: TSchema): Limit[] {
  const limits: Limit[] = [];
  if (minimum !== undefined) limits.push({ holds: (value: number) => value >= minimum, reason: `must be at least ${minimum}` });
  if (maximum !== undefined) limits.push({ holds: (value: number) => value <= maximum, reason: `must be at most ${maximum}` });
  return limits;
}

function arrayRule({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems }: TSchema): Rule {
  const item = ruleOf(items ?? {});
  const isUnique = (value: unknown[]): boolean => !uniqueItems || new Set(value).size === value.length;
  return {
    test: (value) => {
      if (!Array.isArray(value) || value.length < minItems || value.length > maxItems) return false;
      for (const entry of value) if (!item.test(entry)) return false;
      return isUnique(value);
    },
    explain: (value, path, faults) => {
      if (!Array.isArray(value)) faults.push({ field: path, reason: 'must be an array' });
      else if (value.length < minItems)
        faults.push({ field: path, reason: `must have at least ${minItems} ${minItems === 1 ? 'entry' : 'entries'}` });
      else if (value.length > maxItems) faults.push({ field: path, reason: `must have at most ${maxItems} entries` });
      else {
        if (!isUnique(value)) faults.push({ field: path, reason: 'must not contain the same entry twice' });
        for (let i = 0; i < value.length && faults.length < MAX_FAULTS; i++) item.explain(value[i], `${path}[${i}]`, faults);
      }
    },
  };
}

function constantRule(constant: unknown): Rule {
  return {
    test: (value) => value === constant,
    explain: (value, path, faults) => {
      if (value !== constant) faults.push({ field: path, reason: `must be ${JSON.stringify(constant)}` });
    },
  };
}

/** One of several types, or null. Where a value is of the type of one of them, the faults of that one are told. */
function unionRule(members: readonly TSchema[]): Rule {
  const some = members.filter(({ type }) => type !== 'null');
  const rules = some.map(ruleOf);
  const takesNull = some.length < members.length;
  const test: Test = (value) => (value === null ? takesNull : rules.some((rule) => rule.test(value)));
  const kinds = [...some.map(({ type = 'value' }) => `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`), ...(takesNull ? ['null'] : [])];
  const ruleFor = (value: unknown): Rule | undefined => {
    const type = Array.isArray(value) ? 'array' : isJsonObject(value) ? 'object' : undefined;
    return rules.length === 1 ? rules[0] : rules[some.findIndex((schema) => type !== undefined && schema.type === type)];
  };
  return {
    test,
    explain: (value, path, faults) => {
      if (test(value)) return;
      const rule = ruleFor(value);
      if (rule) rule.explain(value, path, faults);
      else faults.push({ field: path, reason: `must be ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}` });
    },
  };
}

/** Objects of several kinds: the member `type` says which, and only that kind's faults are told. */
function variantRule(variants: readonly TSchema[]): Rule {
  const rules = new Map(variants.map((variant) => [variant.properties?.['type']?.const, objectRule(variant)]));
  const kinds = [...rules.keys()].join(', ');
  const ruleFor = (value: unknown): Rule | undefined => (isJsonObject(value) ? rules.get(value['type']) : undefined);
  return {
    test: (value) => ruleFor(value)?.test(value) ?? false,
    explain: (value, path, faults) => {
      const rule = ruleFor(value);
      if (rule) rule.explain(value, path, faults);
      else if (!isJsonObject(value)) faults.push({ field: path, reason: 'must be an object' });
      else
        faults.push({
          field: memberPath(path, 'type'),
          reason: value['type'] === undefined ? `is mandatory: one of ${kinds}` : `must be one of ${kinds}`,
        });
    },
  };
}

function objectRule(schema: TSchema): Rule {
  const { properties = {}, required = [], additionalProperties = true, 'x-required-unless': unless = {} } = schema;
  const choice = choiceOf(schema);
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    rule: ruleOf(schema),
    isMissed: required.includes(name) ? () => true : missedUnless(Object.hasOwn(unless, name) ? unless[name] : undefined),
  }));
  const rules = new Map(members.map(({ name, rule }) => [name, rule]));
  // Most members of most objects may be left out: what is looked for is what is there, and what must be.
  const needed = members.filter(({ name }) => required.includes(name) || Object.hasOwn(unless, name));
  return {
    test: (value) => {
      if (!isJsonObject(value)) return false;
      for (const name of Object.keys(value)) {
        const rule = rules.get(name);
        if (rule ? value[name] !== undefined && !rule.test(value[name]) : !additionalProperties) return false;
      }
      for (const { name, isMissed } of needed)
        if ((Object.hasOwn(value, name) ? value[name] : undefined) === undefined && isMissed(value)) return false;
      return choice?.(value) === undefined;
    },
    explain: (value, path, faults) => {
      if (!isJsonObject(value)) {
        faults.push({ field: path, reason: 'must be an object' });
        return;
      }
      for (const { name, rule, isMissed } of members) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        if (member !== undefined) rule.explain(member, memberPath(path, name), faults);
        else if (isMissed(value)) faults.push({ field: memberPath(path, name), reason: 'is mandatory' });
      }
      const wrong = choice?.(value);
      if (wrong) faults.push((path === '' && wrong.ofWhole) || { field: path, reason: wrong.reason });
      if (additionalProperties) return;
      for (const name of Object.keys(value)) {
        if (faults.length >= MAX_FAULTS) return;
        if (!rules.has(name)) faults.push({ field: printable(memberPath(path, name)), reason: 'is not known here' });
      }
    },
  };
}

/** Whether an object lacks something when a member is left out of it. */
function missedUnless(unless: { member: string; values: readonly string[] } | undefined): (object: JsonObject) => boolean {
  if (!unless) return () => false;
  const { member } = unless;
  const values = new Set(unless.values.map((text) => text.toLowerCase()));
  return (object) => {
    const text = Object.hasOwn(object, member) ? object[member] : undefined;
    return typeof text !== 'string' || !values.has(text.toLowerCase());
  };
}

function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A name that the caller made up, fit to be shown: short and without control characters. */
export function printable(text: string): string {
  return visible(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/** A text of any length without control characters, so that it can neither move a cursor nor hide a part of itself. */
export function visible(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}
