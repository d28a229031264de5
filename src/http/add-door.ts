import type { FastifyInstance } from 'fastify';
import { demandKnownKeywords } from '../lib/enforced.ts';
import { JSON_TYPE } from './add-route.ts';
import { HttpConnection } from './connections/connection.ts';
import type { CountedResponse } from './connections/counted-response.ts';
import { readByteBody } from './connections/json-body.ts';
import type { RouteTally } from './connections/request-tally.ts';
import type { Holder } from './connections/shares.ts';
import type { Supplies } from './connections/supplies.ts';
import type { Door } from './door.ts';
import type { Principal } from './scopes.ts';
import { serializerOf } from './serialize.ts';
import { textValidatorOf } from './validate.ts';

/** Serves one door: the server has let in by then those whose token is known. */
export function addDoor(fastify: FastifyInstance, door: Door, { supplies, tally }: { supplies: Supplies; tally: RouteTally }): void {
  demandKnownKeywords(door.answer, `${door.path}, answer`);
  const serialize = serializerOf(door.answer);
  const query = textValidatorOf({ type: 'object', additionalProperties: false }, `${door.path}, query`);
  void fastify.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, _payload, done) => readByteBody(request, supplies.receiving, done));
    scope.route({
      method: 'POST',
      url: door.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: door.bodyLimit,
      config: { door },
      onRequest: (_request, reply, done) => {
        (reply.raw as CountedResponse).tally = tally;
        done();
      },
      handler: async (request, reply) => {
        query(request.query);
        const holder = (reply.raw as CountedResponse).holder as Holder;
        const connection = HttpConnection.of(request.raw.socket);
        const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
        supplies.inFlight.take(holder);
        connection.working++;
        let held = 0;
        try {
          // It stays in memory until it is on disk.
          supplies.receiving.take(holder, body.length);
          held = body.length;
          const answer = await door.handle({ guest: request.principal as Principal, headers: request.headers, body });
          return await reply.header('content-type', JSON_TYPE).send(serialize(answer));
        } finally {
          supplies.receiving.give(holder, held);
          connection.working--;
          supplies.inFlight.give(holder);
        }
      },
    });
    registered();
  });
}
