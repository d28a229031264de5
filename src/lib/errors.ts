import { sentence } from './sentence.ts';

/** Every code the interface may answer with, and the HTTP status it travels under. */
export const statusOf = {
  INVALID_PARAMS: 400,
  MALFORMED_JSON: 400,
  IDEMPOTENCY_KEY_REUSED: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  INVALID_TRANSITION: 409,
  VERSION_CONFLICT: 409,
  IN_USE: 409,
  OUT_OF_STOCK: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

export interface FieldError {
  field: string;
  reason: string;
}

export interface ErrorDetails {
  field?: string;
  reason?: string;
  errors?: FieldError[];
  /** Of MALFORMED_JSON: the line of the body that cannot be read, and the character in it, both from 1. */
  line?: number;
  position?: number;
  /** Of OUT_OF_STOCK: the lines that there is too little for. */
  lines?: ShortLine[];
  /** Of CONFLICT: the run that is under way, and stands in the way. */
  run_id?: string;
}

/** A line of an order that there is too little for. */
export interface ShortLine {
  /** Its place in the order, from 0. */
  index: number;
  product_id: string;
  /** What all lines of this product want together, and what there is. */
  wanted: number;
  available: number;
}

/** A failure that the caller is meant to read. Anything else that is thrown is our own bug and answered as a 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.details = withErrors(details);
    this.headers = headers;
  }
}

/** Who reads `errors` finds every fault there, also where there can be but one. */
function withErrors(details: ErrorDetails): ErrorDetails {
  const { field, reason, errors } = details;
  return errors === undefined && field !== undefined && reason !== undefined ? { ...details, errors: [{ field, reason }] } : details;
}

export function invalidParams(errors: readonly FieldError[]): AppError {
  const first = errors[0] ?? { field: '', reason: 'is invalid' };
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const what = `Invalid request: ${first.field || 'the request'} ${first.reason.replace(/\.$/, '')}${more}`;
  return new AppError('INVALID_PARAMS', sentence(what), {
    ...first,
    errors: [...errors],
  });
}

export function invalidParam(field: string, reason: string): AppError {
  return invalidParams([{ field, reason }]);
}

export function notFound(what: string, id: string): AppError {
  return new AppError('NOT_FOUND', `There is no ${what} ${id}.`, { reason: `no ${what} has this id` });
}

export interface UnavailableOptions {
  cause?: unknown;
  /** What has to happen before it is worth another try. Without it, a moment has to pass. */
  until?: string;
}

export function unavailable(message: string, { cause, until }: UnavailableOptions = {}): AppError {
  const [reason, seconds] = until === undefined ? ['try again in a moment', '1'] : [`try again when ${until}`, '30'];
  const error = new AppError('UNAVAILABLE', message, { reason }, { 'retry-after': seconds });
  if (cause !== undefined) error.cause = cause;
  return error;
}
