import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonObject, parseExactly } from '../lib/exact-json.ts';

type Method = 'GET' | 'POST' | 'PUT';
type Query = Readonly<Record<string, string | number | undefined>>;

/** What the API says to a request of this caller. */
export interface OwnApi {
  get(path: string, query?: Query): Promise<JsonObject>;
  post(path: string, body?: unknown): Promise<JsonObject>;
  put(path: string, body: unknown): Promise<JsonObject>;
}

/** The API has refused something, in its own words. */
export class ApiRefusal extends Error {
  readonly code: string;
  readonly details: unknown;

  constructor(code: string, message: string, details: unknown) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/**
 * The API of this very process, asked with the key of the request. It comes in as every request does: key, scope, limits, checks, what is hidden and the
 * audit are those of the route, as it is the route that answers.
 */
export function ownApiOf(fastify: FastifyInstance, request: FastifyRequest, traceparent: string | undefined): OwnApi {
  const ask = async (method: Method, path: string, query: Query = {}, body?: unknown): Promise<JsonObject> => {
    const words = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    const { statusCode, payload } = await fastify
      .inject({
        method,
        url: words.length === 0 ? path : `${path}?${new URLSearchParams(words).toString()}`,
        remoteAddress: request.clientAddress,
        headers: {
          authorization: request.headers.authorization ?? '',
          'x-request-id': request.id,
          ...(traceparent !== undefined && { traceparent }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      .catch(() => {
        throw new ApiRefusal('UNAVAILABLE', 'The service is shutting down. Try again in a moment.', {});
      });
    const answer = parseExactly(payload) as JsonObject;
    if (statusCode === 200) return answer;
    const { code, message, details } = answer['error'] as { code: string; message: string; details: unknown };
    throw new ApiRefusal(code, message, details);
  };
  return {
    get: (path, query) => ask('GET', path, query),
    post: (path, body) => ask('POST', path, {}, body),
    put: (path, body) => ask('PUT', path, {}, body),
  };
}
