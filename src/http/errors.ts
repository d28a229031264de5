import type { FastifyReply, FastifyRequest } from 'fastify';
import { asUnavailable } from '../db/errors.ts';
import { AppError, statusOf } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';

/** Fastify's own failures, in our words. */
function asAppError(error: unknown, request: FastifyRequest): unknown {
  const code = (error as { code?: string }).code ?? '';
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(
        'PAYLOAD_TOO_LARGE',
        'The body is larger than this operation takes.',
        { reason: 'the body is too large' },
        { connection: 'close' },
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.', {
        field: 'Content-Type',
        reason: 'must be application/json',
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError(
        'INVALID_PARAMS',
        'The body does not have the length that Content-Length tells.',
        {
          field: 'Content-Length',
          reason: 'does not match the body',
        },
        { connection: 'close' },
      );
    case 'FST_ERR_BAD_URL':
      return new AppError('INVALID_PARAMS', 'The path is not valid percent-encoding.', {
        field: 'path',
        reason: 'is not valid percent-encoding',
      });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('INVALID_PARAMS', 'The path has a part that is too long.', { field: 'path', reason: 'is too long' });
    case 'ECONNRESET':
    case 'ECONNABORTED':
      // The same codes come from connections of our own; the caller is blamed only for a request that is not all there.
      if (request.raw.complete) return asUnavailable(error);
      return new AppError('INVALID_PARAMS', 'The request ended before it was complete.', { reason: 'the request was cut off' });
    default:
      return asUnavailable(error);
  }
}

export function errorBody(code: string, message: string, details: object = {}): string {
  return JSON.stringify({ success: false, error: { code, message, details } });
}

/** Answers any failure: ours as it says, everything else as a 500 that names the request and nothing internal. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): FastifyReply {
  const error = asAppError(thrown, request);
  reply.header('content-type', 'application/json; charset=utf-8');
  if (!(error instanceof AppError)) {
    log.error(
      { err: error, request_id: request.id, method: request.method, path: request.routeOptions.url },
      'a request failed by our fault',
    );
    return reply
      .code(500)
      .send(errorBody('INTERNAL_ERROR', `Something went wrong on our side. Tell the operator the request id ${request.id}.`));
  }
  const status = statusOf[error.code];
  let { message } = error;
  if (status >= 500) {
    log.warn({ err: error.cause ?? error, request_id: request.id, method: request.method, path: request.routeOptions.url }, error.message);
    message = `${message} Request id: ${request.id}.`;
  }
  return reply
    .code(status)
    .headers(error.headers)
    .send(errorBody(error.code, message, error.details));
}
