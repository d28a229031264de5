import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { HttpConnection } from './connection.ts';
import type { Holder, Shares } from './shares.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** Reads a body of JSON as it arrives. */
export function readJsonBody(request: FastifyRequest, receiving: Shares, done: Done): void {
  readBody(request, receiving, done, (bytes) => (bytes.length === 0 ? undefined : parseJson(bytes)));
}

/** The same of bytes, as they were sent; of none at all when the body is empty. */
export function readByteBody(request: FastifyRequest, receiving: Shares, done: Done): void {
  readBody(request, receiving, done, (bytes) => bytes);
}

/** What has arrived of all bodies is bounded, and so is how slowly one may come. */
function readBody(request: FastifyRequest, receiving: Shares, done: Done, convert: (bytes: Buffer) => unknown): void {
  const { raw } = request;
  const limit = request.routeOptions.bodyLimit;
  const told = Number(raw.headers['content-length']);
  if (told > limit) return done(tooLarge());
  const connection = HttpConnection.of(raw.socket);
  const holder = connection.holder as Holder;
  const chunks: Buffer[] = [];
  let length = 0;
  /** What is counted of it. A body that comes in one piece is gone before it could be counted. */
  let counted = 0;

  const stop = (): void => {
    raw.off('data', onData).off('end', onEnd).off('error', onError);
    connection.received();
    if (counted > 0) receiving.give(holder, counted);
    counted = 0;
  };
  const fail = (error: Error): void => {
    stop();
    done(error);
  };
  const onError = (error: Error): void => fail(error);
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit) return fail(tooLarge());
    chunks.push(chunk);
    if (length === told) return;
    try {
      receiving.take(holder, length - counted);
      counted = length;
    } catch (error) {
      fail(error as Error);
    }
  };
  const onEnd = (): void => {
    stop();
    try {
      // Always a copy: a single chunk is a view of what the socket reads into next.
      done(null, convert(Buffer.concat(chunks, length)));
    } catch (error) {
      done(error as Error);
    }
  };
  connection.receive(raw, () => fail(tooSlow()));
  raw.on('data', onData).on('end', onEnd).on('error', onError);
}

function tooLarge(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'The body is larger than this operation takes.', { reason: 'the body is too large' });
}

function tooSlow(): AppError {
  return new AppError('INVALID_PARAMS', 'The body came too slowly. Send it again, in one go.', { reason: 'the body came too slowly' });
}
