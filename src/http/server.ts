import type { IncomingMessage } from 'node:http';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError, invalidParam } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { addDoor } from './add-door.ts';
import { addRoute, BODY_LIMIT } from './add-route.ts';
import { type Authenticate, bearerToken } from './callers/auth.ts';
import { answerBrokenRequest, answerOddRequests } from './connections/broken-request.ts';
import type { TellRead } from './caller.ts';
import type { Certificate } from './certificate.ts';
import type { ClientAddress } from './callers/client-address.ts';
import { HttpConnection } from './connections/connection.ts';
import { Connections } from './connections/connections.ts';
import type { CountedResponse } from './connections/counted-response.ts';
import type { Door } from './door.ts';
import { sendError } from './errors.ts';
import { EventStreams } from './event-stream.ts';
import { readJsonBody } from './connections/json-body.ts';
import { KeyWatch } from './callers/key-watch.ts';
import { isApiPath, refusalOf, wordsTakenForIds } from './nowhere.ts';
import type { RateLimiter } from './callers/rate-limit.ts';
import { type SessionCookies, sessionTokenOf } from './callers/session-cookie.ts';
import type { RefusedKeys } from './callers/refused-keys.ts';
import type { RequestTally } from './connections/request-tally.ts';
import type { Route } from './route.ts';
import type { Principal, Scope } from './scopes.ts';
import { SECURITY_HEADERS, TLS_HEADERS } from './security-headers.ts';
import type { Traffic } from './connections/traffic.ts';
import type { OpenSpan, Spans } from '../traces/span.ts';
import { Turns } from './connections/turns.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** The key, or what stands for one, that it was let in by. */
    credential: string;
    /** The address of the client, seen through trusted proxies. To count by it, see `networkOf`. */
    readonly clientAddress: string;
  }
  interface FastifyContextConfig {
    scope?: Scope | readonly Scope[];
    door?: Door;
  }
}

/** Milliseconds. */
export interface Timeouts {
  /** For the headers to arrive. */
  headers: number;
  /** For a connection without traffic. */
  idle: number;
  /** For a whole request to arrive. */
  request: number;
  /** For a body, and a second more for every 500 bytes of it. */
  body: number;
  /** For an answer to be read, and a second more for every 4 KiB of it. */
  answer: number;
}

export interface ServerOptions {
  routes: readonly Route[];
  /** What is entered without a key. */
  doors?: readonly Door[];
  authenticate: Authenticate;
  rateLimiter: RateLimiter;
  refusedKeys: RefusedKeys;
  /** How browsers are known that have signed in. */
  cookies?: SessionCookies;
  /** Has the audit tell of rows that were read. */
  tellRead: TellRead;
  /** Where requests are counted. */
  requests: RequestTally;
  log: Logger;
  /** What requests may use up, and where is counted what they do. */
  traffic: Traffic;
  maxConnections: number;
  /** With it, TLS is spoken. */
  certificate: Certificate | undefined;
  clientAddress: ClientAddress;
  timeouts: Timeouts;
  /** The address that a request is taken for. */
  rewriteUrl?: (request: IncomingMessage) => string;
  /** Where requests are traced; nowhere unless given. */
  spans?: Spans | undefined;
  /** What to say at a path where nothing is, when it may be elsewhere. */
  nothingElse?: string;
}

export interface Server {
  fastify: FastifyInstance;
  /** From now on new connections get this one. */
  useCertificate: (certificate: Certificate) => void;
  /** Resolves when no request is worked on any more, also of clients that have gone. */
  idle: () => Promise<void>;
  /** From now on requests are refused and connections closed after their answer. */
  refuseRequests: () => void;
}

/** So slowly that no honest client is meant, even on a bad line. */
const BODY_RATE = 500;
const ANSWER_RATE = 4096;

/** As nginx has it: the client did not wait for the answer. */
const CLIENT_GONE = 499;

/** The HTTP side of the service: everything that is the same for every resource. */
export function buildServer(options: ServerOptions): Server {
  const { log, timeouts, traffic } = options;
  const { supplies } = traffic;
  let refusing = false;
  const doors = options.doors ?? [];
  const entrances = doors.map(({ path }) => ({ method: 'POST', path }));
  const nothingHere = refusalOf([...options.routes, ...entrances], options.nothingElse);
  const streams = new EventStreams();
  const keyWatch = new KeyWatch(options.authenticate);
  const turns = new Turns();
  const connections = new Connections({
    most: options.maxConnections,
    body: { grace: timeouts.body, bytesPerSecond: BODY_RATE },
    answer: { grace: timeouts.answer, bytesPerSecond: ANSWER_RATE },
    traffic,
    log,
    onLook: () => turns.look(),
  });

  // A missing Host is refused below, with our error body; and how late a timeout may be noticed follows from the timeout.
  const http = { requireHostHeader: false, connectionsCheckingInterval: Math.ceil(timeouts.headers / 3) };
  const isTls = options.certificate !== undefined;
  const headers = isTls ? { ...SECURITY_HEADERS, ...TLS_HEADERS } : SECURITY_HEADERS;
  const fastify = Fastify({
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    ...(isTls ? { https: { ...http, ...secureWith(options.certificate as Certificate), handshakeTimeout: timeouts.headers } } : { http }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    bodyLimit: BODY_LIMIT,
    connectionTimeout: timeouts.idle,
    requestTimeout: timeouts.request,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestId,
    ...(options.rewriteUrl && { rewriteUrl: options.rewriteUrl }),
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded never reaches the hooks, but it is a path of an area all the same.
      Promise.try(admit, request, reply).then(
        () => sendError(error, request, reply, log),
        (refusal: unknown) => sendError(refusal, request, reply, log),
      );
    },
    clientErrorHandler: (error, socket) => {
      if ((error as NodeJS.ErrnoException).code === 'ERR_HTTP_REQUEST_TIMEOUT') traffic.drop('slow_headers');
      answerBrokenRequest(error, socket);
    },
  });
  fastify.server.headersTimeout = timeouts.headers;
  answerOddRequests(fastify.server);
  connections.watch(fastify.server, isTls);

  fastify.decorateRequest('principal', undefined);
  fastify.decorateRequest('credential', '');
  fastify.decorateRequest('clientAddress', {
    getter() {
      return options.clientAddress(this.raw);
    },
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, _payload, done) => readJsonBody(request, supplies.receiving, done));

  /** The first look at a request: may it come in, who is it from, may that one do this. Waits only for a new token. */
  function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    reply.header('x-request-id', request.id).headers(headers);
    (reply.raw as CountedResponse).since = performance.now();
    reply.raw.once('close', leave);
    if (options.spans) trace(options.spans, request, reply.raw);
    const connection = HttpConnection.of(request.raw.socket);
    if (reply.raw.socket === null) connection.queue(reply.raw);
    const isApi = request.url.startsWith('/api/') || request.routeOptions.config.scope !== undefined || isApiPath(request.url);
    if (refusing) throw closing();
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw invalidParam('Host', 'is mandatory in HTTP/1.1');
    demandOnce(request.raw.rawHeaders);
    if (!isApi) return undefined;
    const { door } = request.routeOptions.config;
    const token = door ? (request.params as { token: string }).token : credentialOf(request);
    if (token === undefined) throw options.refusedKeys.refuse(request, token);
    connection.demandFewTokens(token);
    const known = door ? door.open(token) : options.authenticate(token);
    if (known instanceof Promise) return connection.ask(token, known).then((principal) => allow(request, reply, token, principal));
    allow(request, reply, token, known);
    return undefined;
  }

  /** A key that is sent is what counts, also when it is wrong; the cookie opens the API and nothing else. */
  function credentialOf(request: FastifyRequest): string | undefined {
    const { authorization } = request.headers;
    if (authorization !== undefined || !request.url.startsWith('/api/')) return bearerToken(authorization);
    return options.cookies?.credentialOf(request);
  }

  function allow(request: FastifyRequest, reply: FastifyReply, token: string, principal: Principal | undefined): void {
    const isDoor = request.routeOptions.config.door !== undefined;
    if (!principal) throw options.refusedKeys.refuse(request, token, isDoor);
    if (!isDoor && sessionTokenOf(token) !== undefined) options.cookies?.demandOwnPage(request);
    request.principal = principal;
    request.credential = token;
    (reply.raw as CountedResponse).holder = HttpConnection.of(request.raw.socket).admit(principal, request.clientAddress);
    options.rateLimiter.take(principal);
  }

  function leave(this: CountedResponse): void {
    const tally = this.tally ?? options.requests.elsewhere;
    const status = this.headersSent ? this.statusCode : CLIENT_GONE;
    tally.add(status, performance.now() - (this.since as number));
    if (this.span) endTrace(this.span, this, tally.path, status);
    // A connection that is only kept open for later requests would hold up the end for over a minute.
    if (refusing) setImmediate(() => fastify.server.closeIdleConnections());
  }

  fastify.addHook('onRequest', (request, reply, done) => {
    try {
      const waiting = admit(request, reply);
      // Before the body is read: what is wrong with it does not matter where no route takes it.
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
  fastify.setErrorHandler((error, request, reply) => {
    HttpConnection.of(request.raw.socket).refuse(request.raw);
    return sendError(error, request, reply, log);
  });
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

  for (const route of options.routes) {
    addRoute(fastify, route, {
      supplies,
      turns,
      streams,
      keyWatch,
      tellRead: options.tellRead,
      tally: options.requests.of(route.method, route.path),
    });
  }
  for (const { method, path } of wordsTakenForIds(options.routes)) {
    const refuse = (request: FastifyRequest): Promise<never> => Promise.reject(nothingHere(request, path));
    fastify.route({ method, url: path, onRequest: refuse, handler: refuse });
  }
  for (const door of doors) addDoor(fastify, door, { supplies, tally: options.requests.of('POST', door.path) });
  const useCertificate = (certificate: Certificate): void => {
    traffic.certificateEnds = certificate.ends;
    if (fastify.server instanceof TlsServer) fastify.server.setSecureContext(secureWith(certificate));
  };
  if (options.certificate) useCertificate(options.certificate);
  return {
    fastify,
    useCertificate,
    idle: async () => {
      while (supplies.inFlight.used > 0) await sleep(10);
    },
    refuseRequests: () => {
      refusing = true;
      streams.end();
    },
  };
}

function trace(spans: Spans, { headers, id }: FastifyRequest, response: CountedResponse): void {
  const span = spans.begin('', 'server', headers['traceparent']);
  if (span.isSampled) Object.assign(response, { span, requestId: id });
}

/** Of the path only the route: what stands in the path itself may be a token. */
function endTrace(span: OpenSpan, { req, requestId }: CountedResponse, route: string, status: number): void {
  const { method = '' } = req;
  const attributes = {
    'http.request.method': method,
    'http.route': route === '' ? undefined : route,
    'http.response.status_code': status,
    'syncline.request.id': requestId,
  };
  span.end({ name: route === '' ? method : `${method} ${route}`, attributes, error: status >= 500 ? String(status) : undefined });
}

function secureWith({ cert, key }: Certificate) {
  return { cert, key, minVersion: 'TLSv1.2' } as const;
}

/** Headers of which a second one would be ignored here, and perhaps be the one that a proxy in front has looked at. */
const ONLY_ONCE = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
]);

/** Throws when one of them was sent twice. Names and values take turns. */
function demandOnce(rawHeaders: readonly string[]): void {
  let seen = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] as string;
    // Both are told by their lengths from nearly all others.
    if (name.length !== 4 && name.length !== 13) continue;
    const title = ONLY_ONCE.get(name.toLowerCase());
    if (title === undefined) continue;
    const bit = name.length === 4 ? 1 : 2;
    if ((seen & bit) !== 0) throw invalidParam(title, 'must be sent once');
    seen |= bit;
  }
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

/** Routes are checked by our own schemas. Given these, Fastify does not load its compilers, which take 4 MB. */
function noSchema(): never {
  throw new Error('a route was given to Fastify with a schema; schemas belong to the route of ours');
}
