import { type ErrorCode, statusOf } from '../../lib/errors.ts';
import type { Door } from '../door.ts';
import type { Route } from '../route.ts';

interface ObjectSchema {
  properties?: Record<string, { description?: string }>;
  required?: string[];
}

/** What any route under a key may answer with. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'INVALID_PARAMS',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];
const BODY_ERRORS: readonly ErrorCode[] = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

const MEANING: Record<number, string> = {
  400: 'The request is not right: `details.errors` names every field and what is wrong with it.',
  401: 'No valid key. Unknown, expired and revoked keys are answered alike.',
  403: 'The key lacks a scope; the reason names it.',
  404: 'There is no such thing.',
  405: 'The path does not take this method; `Allow` lists those it takes.',
  409: 'The request does not fit the present state.',
  413: 'The body is too large.',
  415: 'The body is not of a type that is taken here.',
  429: 'Too many requests for this key; `Retry-After` says when to go on.',
  500: 'A fault of ours. The message names the request id, and nothing else.',
  503: 'Not now: the database cannot be reached, the service is overloaded or shutting down. Try again after `Retry-After` seconds.',
};

const ERROR_SCHEMA = {
  type: 'object',
  required: ['success', 'error'],
  additionalProperties: false,
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', enum: Object.keys(statusOf), description: 'Later versions of v1 may add codes.' },
        message: { type: 'string' },
        details: {
          type: 'object',
          additionalProperties: false,
          properties: {
            field: { type: 'string', description: 'The first field at fault, as a path such as `items[0].quantity`.' },
            reason: { type: 'string', description: 'What is wrong with it.' },
            errors: {
              type: 'array',
              description: 'Every fault that was found.',
              items: {
                type: 'object',
                required: ['field', 'reason'],
                additionalProperties: false,
                properties: { field: { type: 'string' }, reason: { type: 'string' } },
              },
            },
          },
        },
      },
    },
  },
};

/** The OpenAPI document of a table of routes. */
export function openApiDocument(routes: readonly Route[], version: string, doors: readonly Door[] = []): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = operation(route);
  }
  for (const door of doors) paths[door.path] = { post: entrance(door) };
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
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key (`slk_…`), or a signed token of the configured OIDC issuer.' },
      },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

function operation(route: Route): object {
  const scopes = typeof route.scope === 'string' ? [route.scope] : [...route.scope];
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/^\/api\/v1/, '').replace(/[/{}_]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description ? `${route.description}\n\n` : ''}Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...Object.entries(route.headers ?? {}).map(([name, description]) => ({
        name,
        in: 'header',
        description,
        schema: { type: 'string' },
      })),
    ],
    ...(route.body && { requestBody: requestBody(route) }),
    responses: { 200: success(route), ...failures(route) },
  };
}

/** What is entered by a token in the path, without a key. */
function entrance(door: Door): object {
  const route = { ...door, method: 'POST' as const, scope: [], params: TOKEN, handle: undefined as never };
  return {
    ...operation(route),
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

function parameters(schema: ObjectSchema | undefined, place: 'path' | 'query'): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: place === 'path' || (schema?.required ?? []).includes(name),
      ...(description && { description }),
      schema: rest,
    };
  });
}

function requestBody({ body, entry, bodyOptional, takesLines, examples }: Route): object {
  const example = examples?.body === undefined ? {} : { example: examples.body };
  return {
    required: !bodyOptional,
    content: {
      'application/json': { schema: entry ? { ...body, items: entry } : (body as object), ...example },
      ...(takesLines && { 'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object on each line.' } } }),
    },
  };
}

function success({ answer, answerHeaders, answersAlso = {}, takesLines, streamsEvents, fileType, examples }: Route): object {
  const example = examples?.answer === undefined ? {} : { example: examples.answer };
  const text = (description: string): object => ({ schema: { type: 'string', description } });
  return {
    description: 'Done.',
    headers: headersOf({ 'X-Request-Id': 'Names this request in our logs.', ...answerHeaders }),
    content: {
      [streamsEvents ? 'text/event-stream' : (fileType ?? 'application/json')]: { schema: answer as object, ...example },
      ...(takesLines && { 'application/x-ndjson': text('One answer on each line.') }),
      ...Object.fromEntries(Object.entries(answersAlso).map(([type, description]) => [type, text(description)])),
    },
  };
}

function headersOf(headers: Record<string, string>): object {
  return Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

function failures(route: Route): Record<string, object> {
  // A body is looked at wherever one may be sent, if only to say that none is wanted.
  const codes = [...COMMON_ERRORS, ...(route.method === 'GET' ? [] : BODY_ERRORS), ...(route.errors ?? [])];
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, ofStatus]) => [
        status,
        {
          description: `${ofStatus.map((code) => `\`${code}\``).join(', ')}: ${MEANING[status]}`,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              examples: Object.fromEntries(ofStatus.map((code) => [code, { value: errorExample(code) }])),
            },
          },
        },
      ]),
  );
}

function errorExample(code: ErrorCode): object {
  const fault = { field: 'product_id', reason: 'is mandatory' };
  const details = code === 'INVALID_PARAMS' ? { ...fault, errors: [fault] } : {};
  return {
    success: false,
    error: {
      code,
      message: code === 'INVALID_PARAMS' ? 'Invalid request: product_id is mandatory.' : (MEANING[statusOf[code]] ?? ''),
      details,
    },
  };
}
