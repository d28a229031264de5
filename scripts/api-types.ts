/** The parts of an OpenAPI document that types are made of. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}

interface Schema {
  $ref?: string;
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

/** How the types of a document are written. */
export interface Writing {
  /** The type that stands for a schema with a name. */
  named: (name: string) => string;
  /** Whether members are described. */
  described: boolean;
}

/** In the types of the page: names that are exported are exported once in all of it, and these are many. */
const INSIDE: Writing = { named: (name) => `Schemas['${name}']`, described: false };

/** TypeScript for the page: every schema that has a name, every operation, and which states may follow which. */
export function apiTypes(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => `  ${name}: ${typeOf(schema, INSIDE)};`);
  return [
    '// Made from /openapi.json by `npm run api:types`. Do not edit.',
    `export interface Schemas {\n${schemas.join('\n')}\n}`,
    operationTypes(document, INSIDE),
    '/** By the operation that moves something from state to state: from each state those that may follow. */\n' +
      `export const TRANSITIONS = ${JSON.stringify(transitionsIn(document))} as const;\n`,
  ].join('\n\n');
}

/** What every operation of the interface takes and answers. */
export function operationTypes({ paths }: OpenApiDocument, writing: Writing): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => `  '${method.toUpperCase()} ${path}': ${operationType(operation, writing)};`),
  );
  return `export interface Operations {\n${operations.join('\n')}\n}`;
}

function transitionsIn({ paths, components }: OpenApiDocument): Record<string, Record<string, string[]>> {
  const found: Record<string, Record<string, string[]>> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema;
      const { properties = {} } = (schema?.$ref ? components.schemas[nameIn(schema.$ref)] : schema) ?? {};
      const transitions = Object.values(properties).find((member) => member['x-transitions'])?.['x-transitions'];
      if (transitions) found[`${method.toUpperCase()} ${path}`] = transitions;
    }
  }
  return found;
}

function operationType({ parameters, requestBody, responses }: Operation, writing: Writing): string {
  const place = (name: string): Schema => {
    const found = parameters.filter((parameter) => parameter.in === name);
    return {
      type: 'object',
      properties: Object.fromEntries(
        found.map(({ name: key, description, schema }) => [key, { ...schema, ...(description !== undefined && { description }) }]),
      ),
      required: found.filter(({ required }) => required).map(({ name: key }) => key),
      additionalProperties: false,
    };
  };
  const body = requestBody?.content['application/json'];
  const answer = responses['200']?.content['application/json'];
  return `{ params: ${typeOf(place('path'), writing)}; query: ${typeOf(place('query'), writing)}; body: ${
    body ? typeOf(body.schema, writing) + (requestBody?.required ? '' : ' | undefined') : 'undefined'
  }; answer: ${answer ? typeOf(answer.schema, writing) : 'unknown'} }`;
}

function nameIn(reference: string): string {
  return reference.slice('#/components/schemas/'.length);
}

/** The type of what a schema describes. */
export function typeOf(schema: Schema, writing: Writing): string {
  if (schema.$ref) return writing.named(nameIn(schema.$ref));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  // Beside properties they choose among members, for which TypeScript has no words that are short.
  const variants = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf);
  if (variants) return [...new Set(variants.map((variant) => typeOf(variant, writing)))].join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${schema.items ? typeOf(schema.items, writing) : 'unknown'}>`;
    case 'object':
      return objectType(schema, writing);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, writing: Writing): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(schema, writing)}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, writing)}`;
  });
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  return additionalProperties === false ? '{}' : '{ [name: string]: unknown }';
}

/** What is said of a value, on a line of its own. */
export function comment({ description, anyOf }: Schema, { described }: Writing): string {
  const words = description ?? anyOf?.find((one) => one.description !== undefined)?.description;
  if (!described || words === undefined) return '';
  return `\n/** ${words.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}
