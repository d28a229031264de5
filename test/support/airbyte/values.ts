import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../src/lib/exact-json.ts';

/** A number of its own for every list. */
export function numberOf(text: string): number {
  return Number.parseInt(createHash('sha256').update(text).digest('hex').slice(0, 6), 16);
}

/** A record that fits a schema; those with other numbers are other records. */
export function recordFor(schema: JsonObject, number: number): Record<string, unknown> {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valueFor(property, name, number, 0)]));
}

const MOMENT = '2024-02-01T00:00:00Z';
const LOOKS_LIKE_A_TIME = /(_at|_?date|_?time|created|updated|modified)$/i;

function valueFor(property: unknown, name: string, number: number, depth: number): unknown {
  const schema = isJsonObject(property) ? property : {};
  const several = schema['oneOf'] ?? schema['anyOf'];
  if (schema['type'] === undefined && Array.isArray(several)) return valueFor(several[0], name, number, depth);
  const types: unknown[] = [schema['type'] ?? (schema['properties'] ? 'object' : 'string')].flat();
  const choices = Array.isArray(schema['enum']) ? schema['enum'].filter((choice) => choice !== null) : [];
  if (choices.length > 0) return choices[number % choices.length];
  switch (types.find((type) => type !== 'null')) {
    case 'integer':
      return number;
    case 'number':
      return number + 0.5;
    case 'boolean':
      return number % 2 === 0;
    case 'array':
      return depth > 3 ? [] : [valueFor(schema['items'] ?? { type: 'string' }, name, number, depth + 1)];
    case 'object':
      if (depth > 3 || !isJsonObject(schema['properties'])) return {};
      return Object.fromEntries(
        Object.entries(schema['properties']).map(([own, member]) => [own, valueFor(member, own, number, depth + 1)]),
      );
    default:
      return textFor(schema, name, number);
  }
}

function textFor({ format, airbyte_type }: JsonObject, name: string, number: number): unknown {
  if (airbyte_type === 'big_integer' || airbyte_type === 'big_number') return String(number);
  if (airbyte_type === 'timestamp_without_timezone') return MOMENT.slice(0, -1);
  if (format === 'date') return MOMENT.slice(0, 10);
  if (format === 'time') return '10:00:00';
  if (format === 'date-time' || LOOKS_LIKE_A_TIME.test(name)) return MOMENT;
  // Manifests put keys together with a hyphen, and take them apart again.
  return `${name}_${number}`;
}
