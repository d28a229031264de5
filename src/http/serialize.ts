import type { TSchema } from '../lib/schema.ts';

type Serializer = (value: never) => string;

interface JsonSchema {
  type?: string;
  const?: unknown;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  'x-exact'?: boolean;
  'x-json-text'?: boolean;
}

/**
 * A serializer made from a route's answer schema: only what the schema names goes out, exact decimals and ready-made JSON
 * go out as the text that they are.
 */
export function serializerOf(schema: TSchema): (value: unknown) => string {
  return compile(schema as JsonSchema) as (value: unknown) => string;
}

function compile(schema: JsonSchema): Serializer {
  if (schema['x-exact'] || schema['x-json-text']) return (text: string) => text;
  if (schema.anyOf) return compileUnion(schema.anyOf);
  if (schema.type === 'object' && schema.properties) return compileObject(schema.properties);
  if (schema.type === 'array' && schema.items) {
    const item = compile(schema.items);
    return (values: never[]) => `[${values.map((value) => item(value)).join(',')}]`;
  }
  return (value: unknown) => JSON.stringify(value);
}

/** Of unions we use one kind: something or null. */
function compileUnion(members: JsonSchema[]): Serializer {
  const [some, ...rest] = members.filter((member) => member.type !== 'null');
  if (!some || rest.length > 0) return (value: unknown) => JSON.stringify(value);
  const serialize = compile(some);
  return (value: unknown) => (value === null ? 'null' : serialize(value as never));
}

function compileObject(properties: Record<string, JsonSchema>): Serializer {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    head: `${JSON.stringify(name)}:`,
    serialize: compile(schema),
  }));
  return (object: Record<string, unknown>) => {
    let text = '';
    for (const { name, head, serialize } of members) {
      const value = object[name];
      if (value === undefined) continue;
      text += (text === '' ? '{' : ',') + head + serialize(value as never);
    }
    return text === '' ? '{}' : `${text}}`;
  };
}
