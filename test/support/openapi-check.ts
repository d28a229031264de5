import { faultsOf, resolve, type Schema } from './json-schema.ts';

export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface ResponseDoc {
  description: string;
  headers?: Record<string, object>;
  content: Record<string, Media>;
}

export interface Operation {
  security?: Record<string, string[]>[];
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  /** Those that several operations have are references: see `responseOf`. */
  responses: Record<string, ResponseDoc | { $ref: string }>;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; contact: object; license: object };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, { type: string; scheme: string }>;
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseDoc>;
    headers: Record<string, object>;
  };
}

/** Whatever knows headers by their lower-case names: `Headers`, or a Map. */
interface HeaderReader {
  get(name: string): string | null | undefined;
}

const ERROR = { $ref: '#/components/schemas/Error' };
/** Headers that an answer with this status cannot do without. */
const OWED: Record<number, readonly string[]> = { 401: ['www-authenticate'], 405: ['allow'], 429: ['retry-after'], 503: ['retry-after'] };

/** Headers that mean something to a client: where one comes, the document tells of it. */
const TOLD = [
  'Location',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Vary',
  'Content-Disposition',
  'ETag',
  'Deprecation',
  'Sunset',
];

/** Throws unless the answer is one that the document promises for this operation. `body` is the parsed JSON, or the text of anything else. */
export function checkAnswer(
  document: OpenApiDocument,
  method: string,
  path: string,
  status: number,
  headers: HeaderReader,
  body: unknown,
): void {
  const operation = findOperation(document, method, path);
  if (!operation) throw new Error(`${method} ${path} is not documented.`);
  const response = responseOf(document, operation, status);
  if (!response) throw new Error(`${method} ${path} answered ${status}, which is not documented.`);
  checkHeaders(status, headers);
  const untold = TOLD.find((name) => headers.get(name.toLowerCase()) && !Object.hasOwn(response.headers ?? {}, name));
  if (untold) throw new Error(`${method} ${path} answered ${status} with the header ${untold}, which is not documented.`);
  const type = mediaType(headers);
  const media = response.content[type];
  if (!media) throw new Error(`${method} ${path} answered ${status} as ${type}, which is not documented.`);
  const faults = type === 'application/x-ndjson' ? lineFaults(document, response, body) : faultsOf(media.schema, body, document);
  if (status !== 200 && faults.length === 0 && !Object.hasOwn(media.examples ?? {}, codeOf(body)))
    faults.push(`the code ${codeOf(body)} is not documented`);
  if (faults.length > 0) throw new Error(`${method} ${path} answered ${status}: ${faults.slice(0, 5).join('; ')}.`);
}

/** The same for an answer that belongs to no operation: an unknown path or method, or what is not even HTTP. */
export function checkRefusal(document: OpenApiDocument, status: number, headers: HeaderReader, body: unknown): void {
  if (status < 400 || status > 499) throw new Error(`A refusal has a status of 4xx, not ${status}.`);
  checkHeaders(status, headers);
  const faults = mediaType(headers) === 'application/json' ? faultsOf(ERROR, body, document) : ['it is not JSON'];
  if (faults.length > 0) throw new Error(`A refusal with ${status}: ${faults.join('; ')}.`);
}

/** What an operation answers with a status, as it is told where several share it. */
export function responseOf(document: OpenApiDocument, operation: Operation, status: number | string): ResponseDoc | undefined {
  const response = operation.responses[status];
  return response && '$ref' in response ? resolve<ResponseDoc>(response.$ref, document) : response;
}

export function findOperation(document: OpenApiDocument, method: string, path: string): Operation | undefined {
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const segments = (path.split('?')[0] ?? '').replace(/\/$/, '').split('/');
  const fitting = Object.entries(document.paths).filter(([template, operations]) => {
    const parts = template.split('/');
    return name in operations && parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i]);
  });
  // Of two that fit, the one that spells the path out is meant.
  const [best] = fitting.sort(([a], [b]) => a.split('{').length - b.split('{').length);
  return best?.[1][name];
}

function checkHeaders(status: number, headers: HeaderReader): void {
  for (const name of ['x-request-id', ...(OWED[status] ?? [])]) {
    if (!headers.get(name)) throw new Error(`An answer with ${status} lacks the header ${name}.`);
  }
}

function mediaType(headers: HeaderReader): string {
  return (headers.get('content-type') ?? '').split(';')[0] ?? '';
}

/** Newline-delimited answers are, line by line, the entries of what the same operation answers as JSON. */
function lineFaults(document: OpenApiDocument, response: ResponseDoc, body: unknown): string[] {
  const entry = response.content['application/json']?.schema.properties?.['data']?.items;
  // A file is what its own tests say.
  if (response.content['text/csv']) return [];
  if (!entry || typeof body !== 'string') return ['there is no schema for its lines'];
  return body.split('\n').flatMap((line) => (line === '' ? [] : faultsOf(entry, JSON.parse(line), document)));
}

function codeOf(body: unknown): string {
  return (body as { error: { code: string } }).error.code;
}
