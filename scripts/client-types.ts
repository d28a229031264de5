import { comment, type OpenApiDocument, operationTypes, typeOf, type Writing } from './api-types.ts';

const EXPORTED: Writing = { named: (name) => name, described: true };

/** TypeScript for the client: every schema that has a name as a type of that name, every operation, and which of them take an `Idempotency-Key`. */
export function clientTypes(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const type = typeOf(schema, EXPORTED);
    const isObject = schema.type === 'object' && schema.properties !== undefined;
    return `${comment(schema, EXPORTED)}export ${isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`}`;
  });
  return [
    '// Made from /openapi.json by `npm run api:types`. Do not edit.',
    ...schemas,
    operationTypes(document, EXPORTED),
    `/** What is sent to these with the same \`Idempotency-Key\` again is done once. */\nexport const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set(${JSON.stringify(keyed(document))});\n`,
  ].join('\n\n');
}

function keyed({ paths }: OpenApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters }]) =>
      parameters.some(({ name }) => name === 'Idempotency-Key') ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
}
