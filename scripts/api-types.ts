/** The parts of an OpenAPI document that types are made of. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}

interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Schema;
  description?: string;
  /** From each value those that may follow it. */
  'x-transitions'?: Record<string, string[]>;
}

/** TypeScript for every operation of the interface: what it takes and what it answers, and which states may follow which. */
export function apiTypes(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => `  '${method.toUpperCase()} ${path}': ${operationType(operation)};`),
  );
  return [
    '// Made from /openapi.json by `npm run dashboard:types`. Do not edit.',
    `export interface Operations {\n${operations.join('\n')}\n}`,
    '/** By the operation that moves something from state to state: from each state those that may follow. */\n' +
      `export const TRANSITIONS = ${JSON.stringify(transitionsIn(document))} as const;\n`,
  ].join('\n\n');
}

function transitionsIn({ paths }: OpenApiDocument): Record<string, Record<string, string[]>> {
  const found: Record<string, Record<string, string[]>> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const members = Object.values(requestBody?.content['application/json']?.schema.properties ?? {});
      const transitions = members.find((member) => member['x-transitions'])?.['x-transitions'];
      if (transitions) found[`${method.toUpperCase()} ${path}`] = transitions;
    }
  }
  return found;
}

function operationType({ parameters, requestBody, responses }: Operation): string {
  const place = (name: string): Schema => {
    const found = parameters.filter((parameter) => parameter.in === name);
    return {
      type: 'object',
      properties: Object.fromEntries(found.map(({ name: key, schema }) => [key, schema])),
      required: found.filter(({ required }) => required).map(({ name: key }) => key),
      additionalProperties: false,
    };
  };
  const body = requestBody?.content['application/json'];
  const answer = responses['200']?.content['application/json'];
  return `{ params: ${typeOf(place('path'))}; query: ${typeOf(place('query'))}; body: ${
    body ? typeOf(body.schema) + (requestBody?.required ? '' : ' | undefined') : 'undefined'
  }; answer: ${answer ? typeOf(answer.schema) : 'unknown'} }`;
}

function typeOf(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map(typeOf))].join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${schema.items ? typeOf(schema.items) : 'unknown'}>`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  return additionalProperties === false ? '{}' : '{ [name: string]: unknown }';
}
