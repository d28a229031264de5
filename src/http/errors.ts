import type { FastifyReply, FastifyRequest } from 'fastify';
import { asUnavailable } from '../db/errors.ts';
import { AppError, type ErrorCode, type ErrorDetails, statusOf } from '../lib/errors.ts';
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

/** A failure as the caller is told of it. */
export interface ToldError {
  status: number;
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
  headers: Readonly<Record<string, string>>;
}

/** What to tell of any failure, and to log: of ours as it says, of everything else that the request failed and nothing internal. */
export function toldError(thrown: unknown, request: FastifyRequest, log: Logger): ToldError {
  const error = asAppError(thrown, request);
  const where = { request_id: request.id, method: request.method, path: request.routeOptions.url };
  if (!(error instanceof AppError)) {
    log.error({ err: error, ...where }, 'a request failed by our fault');
    const message = `Something went wrong on our side. Tell the operator the request id ${request.id}.`;
    return { status: 500, code: 'INTERNAL_ERROR', message, details: {}, headers: {} };
  }
  const { code, details, headers } = error;
  const status = statusOf[code];
  if (status < 500) return { status, code, message: error.message, details, headers };
  log.warn({ err: error.cause ?? error, ...where }, error.message);
  return { status, code, message: `${error.message} Request id: ${request.id}.`, details, headers };
}

/** Answers any failure. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): FastifyReply {
  const { status, code, message, details, headers } = toldError(thrown, request, log);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .code(status)
    .headers(headers)
    .send(errorBody(code, message, details));
}
