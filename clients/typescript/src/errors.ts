import type { ErrorDetails, Failure } from './api-types.ts';

/** What every error of this client is. */
export class SynclineError extends Error {
  override readonly name: string = 'SynclineError';
}

/** The service has answered, and refused: act on `code`, show `message`. */
export class ApiError extends SynclineError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Later versions of v1 may add codes. */
  readonly code: Failure['code'] | (string & {});
  readonly details: ErrorDetails;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    error: Failure,
    { requestId, retryAfter }: { requestId?: string | undefined; retryAfter?: number | undefined },
  ) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.details = error.details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** There was no whole answer: the connection failed or was cut. Whether the service has done what it was asked is not known. */
export class ConnectionError extends SynclineError {
  override readonly name: string = 'ConnectionError';
}

/** The same, as it took too long. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** What answered does not answer as Syncline does: a proxy, another service, a wrong address. */
export class UnexpectedAnswerError extends SynclineError {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  /** How the answer begins. */
  readonly text: string;

  constructor(status: number, text: string) {
    super(`The answer with status ${status} is not one of Syncline.`);
    this.status = status;
    this.text = text.slice(0, 1000);
  }
}

/** A message that was not sent by Syncline, or not just now. */
export class WebhookError extends SynclineError {
  override readonly name = 'WebhookError';
}
