import { IdempotencyKey } from '../../lib/idempotency-key.ts';
import type { TSchema } from '../../lib/schema.ts';
import type { Door } from '../door.ts';
import type { Route } from '../route.ts';
import { Components } from './components.ts';
import { failures, HEADERS, headerReferences } from './failures.ts';

export interface DocumentOptions {
  routes: readonly Route[];
  doors?: readonly Door[];
  version: string;
  /** Where clients reach the service; where the document is, when it is left out. */
  url?: string | undefined;
  /** What belongs under each tag, in words. */
  tags: Readonly<Record<string, string>>;
}

/** The OpenAPI document of a table of routes. */
export function openApiDocument({ routes, doors = [], version, url, tags }: DocumentOptions): object {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, components);
  for (const door of doors) paths[door.path] = { post: entrance(door, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Syncline',
      version,
      description:
        'One interface to take orders and products and to keep systems in sync.\n\nEvery request needs `Authorization: Bearer <key>`. Success is 200 with `{"success": true, "data": …}`; ' +
        'a failure is `{"success": false, "error": {"code", "message", "details"}}`. Every answer carries `X-Request-Id`.\n\n' +
        'Input is strict: unknown fields and parameters are refused, types are not converted. A JSON member given twice is refused. Within v1 there are only additions: ' +
        'new fields, new values of enumerations. A deprecation is announced with `Deprecation` and `Sunset` headers 12 months ahead.',
      contact: { name: 'Syncline' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: url ?? '/', description: 'This Syncline.' }],
    security: [{ key: [] }],
    tags: tagsOf([...routes, ...doors], tags),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key (`slk_…`), or a signed token of the configured OIDC issuer.' },
      },
      headers: HEADERS,
      ...components.all,
    },
  };
}

/** The tags that are used, each with what belongs under it, in the order of their first use. */
function tagsOf(tagged: readonly { tag: string; path: string }[], words: Readonly<Record<string, string>>): object[] {
  return [...Map.groupBy(tagged, ({ tag }) => tag)].map(([name, [first]]) => {
    if (!Object.hasOwn(words, name)) throw new Error(`Nothing says what belongs under the tag ${name} of ${first?.path}.`);
    return { name, description: words[name] };
  });
}

function operation(route: Route, components: Components): object {
  const scopes = typeof route.scope === 'string' ? [route.scope] : [...route.scope];
  return {
    // Paths of v1 stay, and so do these.
    operationId: `${route.method.toLowerCase()}${route.path.replace(/^\/api\/v1/, '').replace(/[/{}_]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description ? `${route.description}\n\n` : ''}Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    parameters: [
      ...parameters(route.params, 'path', components),
      ...parameters(route.query, 'query', components),
      ...Object.entries(route.headers ?? {}).map(([name, description]) => ({
        name,
        in: 'header',
        description,
        schema: name === 'Idempotency-Key' ? IdempotencyKey : { type: 'string' },
      })),
    ],
    ...(route.body && { requestBody: requestBody(route, components) }),
    responses: {
      200: success(route, components),
      // A body is looked at wherever one may be sent, if only to say that none is wanted.
      ...failures(route.method !== 'GET', route.errors ?? [], components),
    },
  };
}

/** What is entered by a token in the path, without a key. */
function entrance(door: Door, components: Components): object {
  const route = { ...door, method: 'POST' as const, scope: [], params: TOKEN, handle: undefined as never };
  return {
    ...operation(route, components),
    description: door.description,
    security: [],
    requestBody: { required: false, content: { '*/*': { schema: { description: 'Whatever the sender sends, of any type.' } } } },
  };
}

const TOKEN = {
  type: 'object',
  properties: { token: { type: 'string', description: 'The token of the address; it is a secret.' } },
  required: ['token'],
} as const;

function parameters(schema: TSchema | undefined, place: 'path' | 'query', components: Components): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: place === 'path' || (schema?.required ?? []).includes(name),
      ...(description && { description }),
      schema: components.schema(rest, 'request'),
    };
  });
}

function requestBody({ body, entry, bodyOptional, takesLines, examples }: Route, components: Components): object {
  const example = examples?.body === undefined ? {} : { example: examples.body };
  const schema = components.schema(entry ? { ...body, items: entry } : (body as TSchema), 'request');
  return {
    required: !bodyOptional,
    content: {
      'application/json': { schema, ...example },
      ...(takesLines && { 'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object on each line.' } } }),
    },
  };
}

function success(route: Route, components: Components): object {
  const { answer, answerHeaders = {}, answersAlso = {}, takesLines, streamsEvents, fileType, examples } = route;
  const example = examples?.answer === undefined ? {} : { example: examples.answer };
  const text = (description: string): object => ({ schema: { type: 'string', description } });
  const told = { ...answerHeaders, ...(fileType && { 'Content-Disposition': 'What to call the file.' }) };
  const own = Object.entries(told).map(([name, description]) => [name, { description, schema: { type: 'string' } }]);
  return {
    description: 'Done.',
    headers: { ...headerReferences(['X-Request-Id']), ...Object.fromEntries(own) },
    content: {
      [streamsEvents ? 'text/event-stream' : (fileType ?? 'application/json')]: { schema: components.schema(answer, 'answer'), ...example },
      ...(takesLines && { 'application/x-ndjson': text('One answer on each line.') }),
      ...Object.fromEntries(Object.entries(answersAlso).map(([type, description]) => [type, text(description)])),
    },
  };
}
