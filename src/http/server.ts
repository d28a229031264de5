import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError, invalidParam, unavailable } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';
import type { Logger } from '../lib/log.ts';
import { type Authenticate, bearerToken, demandScope, unauthorized } from './auth.ts';
import { answerBrokenRequest, answerOddRequests } from './broken-request.ts';
import type { ClientAddress } from './client-address.ts';
import { sendError } from './errors.ts';
import { EventStream, EventStreams } from './event-stream.ts';
import { KeyWatch } from './key-watch.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { RequestTally, RouteTally } from './request-tally.ts';
import { Lines, PlainText, Rendered, type Route } from './route.ts';
import type { Principal, Scope } from './scopes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { serializerOf } from './serialize.ts';
import { demandDecodable, textValidatorOf, type Validator, validatorOf } from './validate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** The address of the client, seen through trusted proxies. To count by it, see `networkOf`. */
    readonly clientAddress: string;
  }
  interface FastifyContextConfig {
    scope?: Scope | readonly Scope[];
  }
}

export interface ServerOptions {
  routes: readonly Route[];
  authenticate: Authenticate;
  rateLimiter: RateLimiter;
  /** Where requests are counted. */
  requests: RequestTally;
  log: Logger;
  /** Requests under way at the same time; one more is answered 503. */
  maxInFlight: number;
  clientAddress: ClientAddress;
  /** Milliseconds for the headers to arrive, for a silent connection, and for a whole request to arrive. */
  timeouts: { headers: number; idle: number; request: number };
  /** What to say at a path where nothing is, when it may be elsewhere. */
  nothingElse?: string;
}

export interface Server {
  fastify: FastifyInstance;
  /** From now on requests are refused and connections closed after their answer. */
  refuseRequests: () => void;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
const LINES_TYPE = 'application/x-ndjson';
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
const BODY_LIMIT = 1024 * 1024;

/** Carries what is needed to count the request when it is over. */
interface CountedResponse extends ServerResponse {
  since?: number;
  tally?: RouteTally;
}

/** As nginx has it: the client did not wait for the answer. */
const CLIENT_GONE = 499;

/** The HTTP side of the service: everything that is the same for every resource. */
export function buildServer(options: ServerOptions): Server {
  const { log, timeouts } = options;
  let refusing = false;
  let inFlight = 0;
  const nothingHere = refusalOf(options.routes, options.nothingElse);
  const streams = new EventStreams();
  const keyWatch = new KeyWatch(options.authenticate);

  const fastify = Fastify({
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    bodyLimit: BODY_LIMIT,
    // A missing Host is refused below, with our error body; and how late a timeout may be noticed follows from the timeout.
    http: { requireHostHeader: false, connectionsCheckingInterval: Math.ceil(timeouts.headers / 3) },
    connectionTimeout: timeouts.idle,
    requestTimeout: timeouts.request,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestId,
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded never reaches the hooks, but it is a path of an area all the same.
      Promise.try(admit, request, reply).then(
        () => sendError(error, request, reply, log),
        (refusal: unknown) => sendError(refusal, request, reply, log),
      );
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
  });
  fastify.server.headersTimeout = timeouts.headers;
  answerOddRequests(fastify.server);

  fastify.decorateRequest('principal', undefined);
  fastify.decorateRequest('clientAddress', {
    getter() {
      return options.clientAddress(this.raw);
    },
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    try {
      done(null, bytes.length === 0 ? undefined : parseJson(bytes));
    } catch (error) {
      done(error as Error);
    }
  });

  /** The first look at a request: may it come in, who is it from, may that one do this. Waits only for a new token. */
  function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    const isApi = request.url.startsWith('/api/') || request.routeOptions.config.scope !== undefined || isApiPath(request.url);
    if (refusing) throw closing();
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw invalidParam('Host', 'is mandatory in HTTP/1.1');
    if (isApi && inFlight >= options.maxInFlight)
      throw unavailable('The service is handling as many requests as it can. Try again in a moment.');
    inFlight++;
    (reply.raw as CountedResponse).since = performance.now();
    reply.raw.once('close', leave);
    if (!isApi) return undefined;
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) throw unauthorized();
    const known = options.authenticate(token);
    if (known instanceof Promise) return known.then((principal) => allow(request, principal));
    allow(request, known);
    return undefined;
  }

  function allow(request: FastifyRequest, principal: Principal | undefined): void {
    if (!principal) throw unauthorized();
    request.principal = principal;
    options.rateLimiter.take(principal);
  }

  function leave(this: CountedResponse): void {
    inFlight--;
    const tally = this.tally ?? options.requests.elsewhere;
    tally.add(this.headersSent ? this.statusCode : CLIENT_GONE, performance.now() - (this.since as number));
    // A connection that is only kept open for later requests would hold up the end for over a minute.
    if (refusing) setImmediate(() => fastify.server.closeIdleConnections());
  }

  fastify.addHook('onRequest', (request, reply, done) => {
    try {
      const waiting = admit(request, reply);
      // Before anybody reads the body: what is wrong with it does not matter where nobody takes it.
      const refusal = request.is404 ? nothingHere(request) : undefined;
      if (waiting) waiting.then(() => done(refusal), done);
      else done(refusal);
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.setNotFoundHandler((request) => {
    throw nothingHere(request);
  });
  fastify.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
  if (log.isLevelEnabled('debug')) {
    fastify.addHook('onResponse', (request, reply, done) => {
      log.debug(
        {
          request_id: request.id,
          method: request.method,
          path: request.routeOptions.url,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime),
        },
        'answered',
      );
      done();
    });
  }

  for (const route of options.routes) addRoute(fastify, route, { streams, keyWatch, tally: options.requests.of(route.method, route.path) });
  return {
    fastify,
    refuseRequests: () => {
      refusing = true;
      streams.end();
    },
  };
}

interface Surroundings {
  streams: EventStreams;
  keyWatch: KeyWatch;
  tally: RouteTally;
}

function addRoute(fastify: FastifyInstance, route: Route, { streams, keyWatch, tally }: Surroundings): void {
  const name = `${route.method} ${route.path}`;
  if (!route.scope || route.scope.length === 0) throw new Error(`${name} declares no scope; every route must.`);
  const params = route.params && textValidatorOf(route.params);
  const query = textValidatorOf(route.query ?? { type: 'object', additionalProperties: false });
  const body = route.body && validatorOf(route.body);
  const serialize = serializerOf(route.answer);

  void fastify.register((scope, _options, registered) => {
    if (route.takesLines) scope.addContentTypeParser(LINES_TYPE, (_request, stream, done) => done(null, stream));
    scope.route({
      method: route.method,
      url: fastifyPath(route.path),
      bodyLimit: route.bodyLimit ?? BODY_LIMIT,
      config: { scope: route.scope },
      onRequest: (request, reply, done) => {
        (reply.raw as CountedResponse).tally = tally;
        try {
          demandScope(request.principal as Principal, route.scope);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
      handler: async (request, reply) => {
        demandDecodable(request.url);
        const answer = await route.handle({
          params: params?.(request.params) ?? {},
          query: query(request.query),
          body: bodyOf(route, request, body),
          principal: request.principal as Principal,
          request,
          reply,
        });
        if (route.method === 'GET' && (answer instanceof Lines || answer instanceof EventStream)) {
          keyWatch.watch(reply.raw, bearerToken(request.headers.authorization) ?? '');
        }
        if (answer instanceof Lines) return reply.header('content-type', LINES_TYPE).send(Readable.from(answer.lines));
        if (answer instanceof PlainText) return reply.header('content-type', answer.type).send(answer.text);
        if (answer instanceof EventStream) {
          const body = streams.start(answer, (gone) => void reply.raw.once('close', gone));
          // No proxy may hold events back to make larger packets of them.
          return reply.headers({ 'content-type': EVENTS_TYPE, 'x-accel-buffering': 'no' }).send(body);
        }
        return reply.header('content-type', JSON_TYPE).send(answer instanceof Rendered ? answer.json : serialize(answer));
      },
    });
    registered();
  });
}

function bodyOf(route: Route, request: FastifyRequest, validate: Validator | undefined): unknown {
  const given = request.body;
  if (!validate) {
    if (given === undefined) return undefined;
    throw invalidParam('body', 'must be left out: this operation takes none');
  }
  if (given instanceof Readable) return given;
  if (given === undefined && route.bodyOptional) return undefined;
  if (given === undefined) throw invalidParam('body', 'is mandatory: send it as JSON');
  return validate(given);
}

/** Why a request found no route: a known path with another method is 405 and says what it takes, everything else 404. */
function refusalOf(
  routes: readonly Route[],
  nothingElse = 'There is nothing at this path. The paths are listed at /docs.',
): (request: FastifyRequest) => AppError {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`) }));
  return (request) => {
    const path = pathOf(request.url);
    const methods = new Set<string>(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])));
    if (methods.size === 0) {
      return new AppError('NOT_FOUND', nothingElse, {
        field: 'path',
        reason: `unknown path ${path.slice(0, 200)}`,
      });
    }
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].join(', ');
    return new AppError(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not possible here; ${allow} is.`,
      { reason: `only ${allow}` },
      { allow },
    );
  };
}

/** The path as the router sees it: a proxy may send the whole address. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/.*?\//, '/').split('?')[0] ?? '';
}

/** Whether this belongs to an area, however it is spelt: the router reads percent-encoded letters as the letters that they are. */
function isApiPath(url: string): boolean {
  const path = pathOf(url).replace(/%([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return path === '/api' || path.startsWith('/api/');
}

function fastifyPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function closing(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The service is shutting down.',
    { reason: 'shutting down' },
    { 'retry-after': '5', connection: 'close' },
  );
}

const processTag = randomBytes(5).toString('hex');
let requests = 0;

/** The caller's own X-Request-Id when it is harmless, else one of ours. */
function requestId({ headers }: { headers: Record<string, unknown> }): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && /^[\w.-]{1,100}$/.test(given)) return given;
  return `req_${processTag}${(requests++).toString(36)}`;
}
