import type { FieldError } from '../lib/errors.ts';
import { type TSchema, Type } from '../lib/schema.ts';

/** A member of a configuration that is kept encrypted and never shown again. */
export function Secret(options: { title: string; description: string; minLength?: number }) {
  return Type.String({ writeOnly: true, format: 'password', maxLength: 65_536, ...options });
}

/** An address whose query is kept encrypted and never shown again, as it may be signed. The rest is shown. */
export function AddressWithSecretQuery(options: { title: string; description: string; minLength?: number; maxLength?: number }) {
  return Type.String({ 'x-secret-query': true, ...options });
}

/** A whole address in the place of the host would be shown with the password in it. */
export function hostFaults(host: string): FieldError[] {
  if (!/[/@\s]/.test(host)) return [];
  return [{ field: 'host', reason: 'must be a name or an address alone; user, password, port and database have fields of their own' }];
}

/** The configuration with the schema's defaults where nothing was given. */
export function withDefaults(schema: TSchema, given: unknown): unknown {
  const chosen = variantOf(schema, given);
  if (Array.isArray(given)) return chosen.items ? given.map((item) => withDefaults(chosen.items as TSchema, item)) : given;
  if (typeof given !== 'object' || given === null || !chosen.properties) return given;
  const filled: Record<string, unknown> = { ...given };
  for (const [name, member] of Object.entries(chosen.properties)) {
    const fallback = (member as { default?: unknown }).default;
    if (filled[name] !== undefined) filled[name] = withDefaults(member, filled[name]);
    else if (fallback !== undefined) filled[name] = withDefaults(member, fallback);
  }
  return filled;
}

/** Of a schema with variants, the one that the value's `type` names. */
export function variantOf(schema: TSchema, value: unknown): TSchema {
  if (!schema.oneOf) return schema;
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  return schema.oneOf.find((variant) => variant.properties?.['type']?.const === type) ?? schema;
}
