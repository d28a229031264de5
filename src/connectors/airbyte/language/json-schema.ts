import { searchPattern } from '../interpolation/pattern.ts';

type Schema = Readonly<Record<string, unknown>>;

const DEEPEST = 50;

/** What is wrong with a value by a JSON schema, in words that follow its name; undefined when it fits. */
export function schemaFault(value: unknown, schema: unknown, depth = 0): string | undefined {
  if (schema === false) return 'is not allowed';
  if (typeof schema !== 'object' || schema === null || depth > DEEPEST) return undefined;
  const rules = schema as Schema;
  return typeFault(value, rules) ?? valueFault(value, rules) ?? choiceFault(value, rules, depth) ?? partsFault(value, rules, depth);
}

function typeFault(value: unknown, { type }: Schema): string | undefined {
  if (type === undefined) return undefined;
  const types = (Array.isArray(type) ? type : [type]) as unknown[];
  return types.some((name) => isOf(value, name)) ? undefined : `must be of the type ${types.join(' or ')}`;
}

function isOf(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function valueFault(value: unknown, rules: Schema): string | undefined {
  const same = (other: unknown): boolean => JSON.stringify(other) === JSON.stringify(value);
  if (Array.isArray(rules.enum) && !rules.enum.some(same))
    return `must be one of ${rules.enum.map((one) => JSON.stringify(one)).join(', ')}`;
  if ('const' in rules && !same(rules.const)) return `must be ${JSON.stringify(rules.const)}`;
  const limits = rules as Readonly<Record<string, number>>;
  if (typeof value === 'string') {
    if (value.length < (limits.minLength ?? 0)) return `must have at least ${limits.minLength} characters`;
    if (value.length > (limits.maxLength ?? Number.POSITIVE_INFINITY)) return `must have at most ${limits.maxLength} characters`;
    if (typeof rules.pattern === 'string' && !searchPattern(rules.pattern, value)) return `must look like ${rules.pattern}`;
  }
  if (typeof value !== 'number') return undefined;
  if (value < (limits.minimum ?? Number.NEGATIVE_INFINITY)) return `must be at least ${limits.minimum}`;
  if (value > (limits.maximum ?? Number.POSITIVE_INFINITY)) return `must be at most ${limits.maximum}`;
  if (value <= (limits.exclusiveMinimum ?? Number.NEGATIVE_INFINITY)) return `must be more than ${limits.exclusiveMinimum}`;
  return value >= (limits.exclusiveMaximum ?? Number.POSITIVE_INFINITY) ? `must be less than ${limits.exclusiveMaximum}` : undefined;
}

function choiceFault(value: unknown, rules: Schema, depth: number): string | undefined {
  const fits = (schema: unknown): boolean => schemaFault(value, schema, depth + 1) === undefined;
  for (const one of listOf(rules.allOf)) {
    const fault = schemaFault(value, one, depth + 1);
    if (fault !== undefined) return fault;
  }
  if (Array.isArray(rules.anyOf) && !rules.anyOf.some(fits)) return 'fits none of the forms that it may have';
  if (Array.isArray(rules.oneOf) && rules.oneOf.filter(fits).length !== 1)
    return 'must fit one of the forms that it may have, and only one';
  return 'not' in rules && fits(rules.not) ? 'has a form that it may not have' : undefined;
}

function partsFault(value: unknown, rules: Schema, depth: number): string | undefined {
  if (Array.isArray(value)) return itemsFault(value, rules, depth);
  if (typeof value !== 'object' || value === null) return undefined;
  const missing = listOf(rules.required).find((name) => !Object.hasOwn(value, String(name)));
  if (missing !== undefined) return `needs the member "${missing as string}"`;
  const properties = (rules.properties ?? {}) as Schema;
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : rules.additionalProperties;
    const fault = schemaFault(member, schema, depth + 1);
    if (fault !== undefined) return `has a member "${name}" that ${fault}`;
  }
  return undefined;
}

function itemsFault(items: readonly unknown[], rules: Schema, depth: number): string | undefined {
  const limits = rules as Readonly<Record<string, number>>;
  if (items.length < (limits.minItems ?? 0)) return `must have at least ${limits.minItems} items`;
  if (items.length > (limits.maxItems ?? Number.POSITIVE_INFINITY)) return `must have at most ${limits.maxItems} items`;
  for (const [i, item] of items.entries()) {
    const fault = schemaFault(item, rules.items, depth + 1);
    if (fault !== undefined) return `has an item ${i} that ${fault}`;
  }
  return rules.uniqueItems === true && new Set(items.map((item) => JSON.stringify(item))).size < items.length
    ? 'has an item twice'
    : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
