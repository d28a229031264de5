import { type ConfigObject, type ConfigSchema, isObject, variantOf } from './schema.ts';

/** The places of everything that is mandatory and empty, in the order of the form. */
export function missingMembers(schema: ConfigSchema, value: ConfigObject, path = 'config'): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    missingIn(member, value[name], `${path}.${name}`, schema.required?.includes(name) ?? false),
  );
}

function missingIn(schema: ConfigSchema, value: unknown, path: string, isRequired: boolean): string[] {
  if (schema.oneOf) {
    const given = isObject(value) ? value : isObject(schema.default) ? schema.default : undefined;
    if (!given) return isRequired ? [path] : [];
    return missingMembers(variantOf(schema.oneOf, given), given, path);
  }
  if (schema.type === 'object' && schema.properties)
    return isRequired || isObject(value) ? missingMembers(schema, isObject(value) ? value : {}, path) : [];
  if (Array.isArray(value)) return value.flatMap((entry, place) => missingIn(schema.items ?? {}, entry, `${path}[${place}]`, true));
  const isEmpty = value === undefined || value === '';
  return isRequired && isEmpty && schema.default === undefined && schema.const === undefined ? [path] : [];
}
