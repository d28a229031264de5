import type { CanonicalType } from '../../../canonical.ts';
import type { Field } from '../../../contract.ts';
import { type Part, partOf } from '../parts.ts';

/** A field and where it is in a record. */
export interface ManifestField extends Field {
  readonly path: readonly string[];
}

/** The fields that a JSON Schema describes. Those of the key are added where they lie deeper in the record. */
export function fieldsOf(schema: Part, key: readonly (readonly string[])[]): ManifestField[] {
  const names = new Map<string, ManifestField>();
  for (const [name, property] of Object.entries(partOf(schema['properties']) ?? {}))
    names.set(name, { name, type: typeOfSchema(property), nullable: true, path: [name] });
  for (const path of key) {
    const name = path.join('.');
    const known = names.get(name);
    names.set(name, { name, type: known?.type ?? typeAt(schema, path), nullable: false, path });
  }
  return [...names.values()];
}

function typeAt(schema: Part, path: readonly string[]): CanonicalType {
  let place: unknown = schema;
  for (const step of path) place = partOf(partOf(place)?.['properties'])?.[step];
  return place === undefined ? 'text' : typeOfSchema(place);
}

const MAX_DEPTH = 20;

/** The type that holds all values that a schema allows. */
function typeOfSchema(written: unknown, depth = 0): CanonicalType {
  const schema = partOf(written);
  if (!schema || depth > MAX_DEPTH) return 'json';
  for (const name of ['oneOf', 'anyOf', 'allOf']) {
    const variants = schema[name];
    if (Array.isArray(variants) && variants.length > 0)
      return (
        variants
          .filter((variant) => partOf(variant)?.['type'] !== 'null')
          .map((variant) => typeOfSchema(variant, depth + 1))
          .reduce(together, undefined) ?? 'json'
      );
  }
  const { type } = schema;
  const types = (Array.isArray(type) ? type : type === undefined ? [] : [type]).map(String).filter((name) => name !== 'null');
  if (types.length === 0)
    return schema['properties'] || schema['items'] ? 'json' : Array.isArray(schema['enum']) || type !== undefined ? 'text' : 'json';
  return types.map((name) => simpleType(name, schema)).reduce<CanonicalType | undefined>(together, undefined) ?? 'json';
}

function simpleType(name: string, schema: Part): CanonicalType {
  switch (name) {
    case 'integer':
      return 'int64';
    case 'number':
      return 'decimal';
    case 'boolean':
      return 'boolean';
    case 'string':
      return textType(schema);
    default:
      return 'json';
  }
}

function textType(schema: Part): CanonicalType {
  const own = schema['airbyte_type'];
  switch (schema['format']) {
    case 'date':
      return 'date';
    case 'date-time':
      return own === 'timestamp_without_timezone' ? 'timestamp' : 'timestamptz';
    case 'time':
      return own === 'time_without_timezone' ? 'time' : 'text';
    default:
      return own === 'big_integer' || own === 'big_number' ? 'decimal' : 'text';
  }
}

const NUMBERS: ReadonlySet<CanonicalType> = new Set(['int64', 'decimal']);

function together(a: CanonicalType | undefined, b: CanonicalType): CanonicalType {
  if (a === undefined || a === b) return b;
  if (a === 'json' || b === 'json') return 'json';
  return NUMBERS.has(a) && NUMBERS.has(b) ? 'decimal' : 'text';
}
