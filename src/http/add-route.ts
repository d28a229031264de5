import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { demandKnownKeywords } from '../lib/enforced.ts';
import { invalidParam } from '../lib/errors.ts';
import { demandScope } from './callers/auth.ts';
import { callerOf, type TellRead } from './caller.ts';
import { HttpConnection } from './connections/connection.ts';
import type { CountedResponse } from './connections/counted-response.ts';
import { EventStream, type EventStreams } from './event-stream.ts';
import type { KeyWatch } from './callers/key-watch.ts';
import { inPieces, isLarge } from './connections/pieces.ts';
import type { RouteTally } from './connections/request-tally.ts';
import { NdjsonLines, PlainText, Rendered, type Route, SentFile } from './route.ts';
import type { Principal } from './scopes.ts';
import { serializerOf } from './serialize.ts';
import type { Holder } from './connections/shares.ts';
import type { Supplies } from './connections/supplies.ts';
import type { Turns } from './connections/turns.ts';
import { demandDecodable, textValidatorOf, type Validator, validatorOf } from './validate.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const BODY_LIMIT = 1024 * 1024;
const LINES_TYPE = 'application/x-ndjson';
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
/** A stream of lines that comes in keeps a line of up to 1 MiB in memory: it counts as much as several that only go out. */
const INCOMING_WEIGHT = 4;

type Streamed = NdjsonLines | SentFile | EventStream;

interface Surroundings {
  supplies: Supplies;
  turns: Turns;
  streams: EventStreams;
  keyWatch: KeyWatch;
  tellRead: TellRead;
  tally: RouteTally;
}

/** Serves one route: what is the same for all of them around its handler. */
export function addRoute(
  fastify: FastifyInstance,
  route: Route,
  { supplies, turns, streams, keyWatch, tellRead, tally }: Surroundings,
): void {
  const name = `${route.method} ${route.path}`;
  if (!route.scope || route.scope.length === 0) throw new Error(`${name} declares no scope; every route must.`);
  const params = route.params && textValidatorOf(route.params, `${name}, path`);
  const query = textValidatorOf(route.query ?? { type: 'object', additionalProperties: false }, `${name}, query`);
  const body = route.body && validatorOf(route.body, `${name}, body`);
  demandKnownKeywords(route.answer, `${name}, answer`);
  const serialize = serializerOf(route.answer);

  const handle = (request: FastifyRequest, reply: FastifyReply) =>
    route.handle({
      params: params?.(request.params) ?? {},
      query: query(request.query),
      body: bodyOf(route, request, body),
      principal: callerOf(request, tellRead),
      request,
      reply,
    });

  /** The work on a request; what is left after it is for the client to take. */
  async function answerTo(request: FastifyRequest, reply: FastifyReply, holder: Holder): Promise<string | Streamed> {
    // While it waited for its turn, the client may have gone.
    if (reply.raw.destroyed) return '';
    // A client that does not read what is there already gets no more.
    supplies.unread.demand(holder);
    const answer = await handle(request, reply);
    if (answer instanceof NdjsonLines || answer instanceof SentFile || answer instanceof EventStream) return answer;
    reply.header('content-type', answer instanceof PlainText ? answer.type : JSON_TYPE);
    if (answer instanceof PlainText) return answer.text;
    return answer instanceof Rendered ? answer.json : serialize(answer);
  }

  /** An answer that goes on for as long as its reader likes, or comes with a body that does. */
  function sendStream(
    connection: HttpConnection,
    request: FastifyRequest,
    reply: FastifyReply,
    holder: Holder,
    answer: Streamed,
  ): FastifyReply {
    const { raw } = reply;
    // Nobody is there any more to take it.
    if (raw.destroyed) return reply;
    const weight = route.method === 'GET' ? 1 : INCOMING_WEIGHT;
    supplies.streams.take(holder, weight);
    connection.streaming++;
    raw.once('close', () => {
      connection.streaming--;
      supplies.streams.give(holder, weight);
    });
    if (route.method === 'GET') keyWatch.watch(raw, request.credential);
    if (answer instanceof SentFile) {
      const headers = { 'content-type': answer.type, 'content-disposition': `attachment; filename="${answer.name}"` };
      return reply.headers(headers).send(Readable.from(answer.chunks, { objectMode: false }));
    }
    if (answer instanceof NdjsonLines) return reply.header('content-type', LINES_TYPE).send(Readable.from(answer.lines));
    const events = streams.start(answer, (gone) => void raw.once('close', gone));
    // No proxy may hold events back to make larger packets of them.
    return reply.headers({ 'content-type': EVENTS_TYPE, 'x-accel-buffering': 'no' }).send(events);
  }

  /** It lies in memory until it is read. */
  function sendLarge(reply: FastifyReply, holder: Holder, answer: string): FastifyReply {
    const bytes = Buffer.from(answer);
    if (!reply.raw.destroyed) {
      supplies.unread.take(holder, bytes.length);
      reply.raw.once('close', () => supplies.unread.give(holder, bytes.length));
    }
    return reply.header('content-length', bytes.length).send(inPieces(bytes));
  }

  void fastify.register((scope, _options, registered) => {
    if (route.takesLines) scope.addContentTypeParser(LINES_TYPE, (_request, stream, done) => done(null, stream));
    scope.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
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
        const holder = (reply.raw as CountedResponse).holder as Holder;
        const connection = HttpConnection.of(request.raw.socket);
        supplies.inFlight.take(holder);
        connection.working++;
        try {
          const waits = route.method === 'GET' && !holder.isAdmin;
          const answer = await (waits ? turns.take(holder.key, () => answerTo(request, reply, holder)) : answerTo(request, reply, holder));
          if (typeof answer !== 'string') return sendStream(connection, request, reply, holder, answer);
          return isLarge(answer) ? sendLarge(reply, holder, answer) : reply.send(answer);
        } finally {
          connection.working--;
          supplies.inFlight.give(holder);
        }
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
