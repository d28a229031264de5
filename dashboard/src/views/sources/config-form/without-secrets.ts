import { type ConfigObject, type ConfigSchema, isObject, variantOf } from './schema.ts';
import { MASK } from '../../../parts/form/mask.ts';

/** A configuration without what is secret in it. Where a secret is stored, its mask stays: without it the secret would be removed. */
export function withoutSecrets(schema: ConfigSchema, value: ConfigObject, stored: ConfigObject): ConfigObject {
  return without(schema, value, stored) as ConfigObject;
}

function without(schema: ConfigSchema, value: unknown, stored: unknown): unknown {
  if (schema.writeOnly) return value === MASK || (value !== undefined && stored === MASK) ? MASK : undefined;
  if (Array.isArray(value))
    return value.map((entry, place) => without(schema.items ?? {}, entry, Array.isArray(stored) ? stored[place] : undefined));
  if (!isObject(value)) return value;
  const { properties = {} } = schema.oneOf ? variantOf(schema.oneOf, value) : schema;
  const before = isObject(stored) ? stored : {};
  // What the schema does not know might be anything.
  const known = Object.entries(value).flatMap(([name, member]) => {
    const kept = properties[name] ? without(properties[name], member, before[name]) : undefined;
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(known);
}
