import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BODY_LIMIT, JSON_TYPE } from '../http/add-route.ts';
import { demandScope } from '../http/callers/auth.ts';
import { HttpConnection } from '../http/connections/connection.ts';
import type { CountedResponse } from '../http/connections/counted-response.ts';
import type { RequestTally } from '../http/connections/request-tally.ts';
import type { Holder } from '../http/connections/shares.ts';
import type { Supplies } from '../http/connections/supplies.ts';
import { toldError } from '../http/errors.ts';
import { type Principal, SCOPES } from '../http/scopes.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { RpcOptions, RpcServer } from './rpc.ts';

const PATH = '/mcp';

interface AssistantOptions extends RpcOptions {
  supplies: Supplies;
  requests: RequestTally;
  /** Where browsers may come from, beside this machine. */
  publicUrl: string | undefined;
  log: Logger;
}

/**
 * Where assistants come in: the Model Context Protocol over streamable HTTP. Each request stands for itself, so any node may answer it. What it takes to answer is
 * loaded when the first assistant comes.
 */
export function addAssistants(fastify: FastifyInstance, options: AssistantOptions): void {
  const { supplies, log } = options;
  const tally = options.requests.of('POST', PATH);
  const isOwnOrigin = originsOf(options.publicUrl);
  let loading: Promise<RpcServer> | undefined;
  const load = (): Promise<RpcServer> => (loading ??= import('./rpc.ts').then(({ createRpcServer }) => createRpcServer(fastify, options)));

  const enter = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    (reply.raw as CountedResponse).tally = tally;
    try {
      demandScope(request.principal as Principal, SCOPES);
      if (!isOwnOrigin(request.headers.origin)) throw foreignOrigin();
      done();
    } catch (error) {
      done(error as Error);
    }
  };

  void fastify.register((scope, _options, registered) => {
    scope.setErrorHandler((error, request, reply) => {
      HttpConnection.of(request.raw.socket).refuse(request.raw);
      const { status, code, message, details, headers } = toldError(error, request, log);
      const body = { jsonrpc: '2.0', id: null, error: { code: RPC_CODES[code] ?? -32_000, message, data: { code, ...details } } };
      return reply.header('content-type', JSON_TYPE).code(status).headers(headers).send(JSON.stringify(body));
    });
    scope.route({
      method: 'POST',
      url: PATH,
      bodyLimit: BODY_LIMIT,
      config: { scope: SCOPES },
      onRequest: enter,
      handler: async (request, reply) => {
        const holder = (reply.raw as CountedResponse).holder as Holder;
        supplies.inFlight.take(holder);
        try {
          const server = await load();
          const { status, body } = await server.answer(request, (reply.raw as CountedResponse).span?.traceparent);
          if (body === undefined) return await reply.code(status).send();
          return await reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body));
        } finally {
          supplies.inFlight.give(holder);
        }
      },
    });
    scope.route({
      method: ['GET', 'DELETE'],
      url: PATH,
      config: { scope: SCOPES },
      onRequest: enter,
      handler: async (request) => {
        const message = `${request.method} is not possible here; POST is: there are no sessions, and nothing is sent unasked.`;
        throw new AppError('METHOD_NOT_ALLOWED', message, { reason: 'only POST' }, { allow: 'POST' });
      },
    });
    registered();
  });
}

/** Codes of JSON-RPC, where it has one of its own. */
const RPC_CODES: Readonly<Record<string, number>> = { MALFORMED_JSON: -32_700, INVALID_PARAMS: -32_600, INTERNAL_ERROR: -32_603 };

/**
 * A page in a browser must not reach a service on the same machine by a name that it has pointed there (DNS rebinding). Then the names in Host and Origin are
 * the same, so it is no use to compare them: an origin is known, or refused. Assistants that are no browser send none.
 */
function originsOf(publicUrl: string | undefined): (origin: string | undefined) => boolean {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return (given) => {
    if (given === undefined) return true;
    const origin = URL.parse(given);
    if (!origin || !/^https?:$/.test(origin.protocol)) return false;
    return origin.origin === own || ['localhost', '127.0.0.1', '[::1]'].includes(origin.hostname);
  };
}

function foreignOrigin(): AppError {
  return new AppError(
    'FORBIDDEN',
    'A page of another origin may not come in here. If it is yours, set SYNCLINE_PUBLIC_URL to the address that people open.',
    { field: 'Origin', reason: 'is not an origin of this service' },
  );
}
