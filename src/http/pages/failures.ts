import { type ErrorCode, statusOf } from '../../lib/errors.ts';
import { ErrorAnswer } from '../error-schema.ts';
import type { Components } from './components.ts';

/** What any operation may answer with; too large are headers, too. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'INVALID_PARAMS',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];
const BODY_ERRORS: readonly ErrorCode[] = ['MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE'];

const MEANING: Record<number, string> = {
  400: 'The request is not right: `details.errors` names every field and what is wrong with it.',
  401: 'No valid key. Unknown, expired and revoked keys are answered alike.',
  403: 'The key lacks a scope; the reason names it.',
  404: 'There is no such thing.',
  405: 'The path does not take this method; `Allow` lists those it takes.',
  409: 'The request does not fit the present state.',
  413: 'The body is too large, or the headers are.',
  415: 'The body is not of a type that is taken here.',
  429: 'Too many requests for this key; `Retry-After` says when to go on.',
  500: 'A fault of ours. The message names the request id, and nothing else.',
  503: 'Not now: the database cannot be reached, the service is overloaded or shutting down. Try again after `Retry-After` seconds.',
};

/** Headers that more than one answer has. */
export const HEADERS: Readonly<Record<string, object>> = {
  'X-Request-Id': { description: 'Names this request in our logs: your own, or one that we made.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to prove who you are: `Bearer`.', schema: { type: 'string' } },
  'Retry-After': { description: 'After how many seconds it is worth another try.', schema: { type: 'integer', minimum: 1 } },
  RateLimit: {
    description: 'What is left (`r`) and when there is more (`t`, seconds), of the policy that was exceeded.',
    schema: { type: 'string' },
    example: '"default";r=0;t=1',
  },
  'RateLimit-Policy': { description: 'That policy: how many (`q`) in how many seconds (`w`).', schema: { type: 'string' } },
};

const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/** Every failure of an operation, by its status. */
export function failures(takesBody: boolean, more: readonly ErrorCode[], components: Components): Record<string, object> {
  const codes = new Set([...COMMON_ERRORS, ...(takesBody ? BODY_ERRORS : []), ...more]);
  const inOrder = (Object.keys(statusOf) as ErrorCode[]).filter((code) => codes.has(code));
  const responses = [...Map.groupBy(inOrder, (code) => statusOf[code])].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    responses.map(([status, ofStatus]) => [
      status,
      components.response(nameOf(ofStatus), () => ({
        description: `${ofStatus.map((code) => `\`${code}\``).join(', ')}: ${MEANING[status]}`,
        headers: headerReferences(['X-Request-Id', ...(HEADERS_OF[status] ?? [])]),
        content: {
          'application/json': {
            schema: components.schema(ErrorAnswer, 'answer'),
            examples: Object.fromEntries(ofStatus.map((code) => [code, { value: errorExample(code) }])),
          },
        },
      })),
    ]),
  );
}

export function headerReferences(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** `InvalidParamsOrMalformedJson`. */
function nameOf(codes: readonly ErrorCode[]): string {
  const words = codes.map((code) => code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()));
  return words.join('Or');
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
