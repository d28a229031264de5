import type { IncomingHttpHeaders } from 'node:http';
import { printable } from '../../../lib/check.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import type { Complaint } from '../answer/verdict.ts';

/** A day: who wants to be left alone for longer is asked once a day. */
const MAX_RETRY_AFTER = 86_400;

/** What an API says about an error, wherever its kind of APIs says it; short, without secrets, and nothing when it says nothing. */
export function apiMessage(text: string, redact: (words: string) => string): string {
  // Cut last: half of a secret is not known as one any more.
  return printable(redact(wordsIn(text)));
}

function wordsIn(text: string): string {
  try {
    return wordsOf(JSON.parse(text), 0);
  } catch {
    // A web page is of no help to a reader; a plain sentence is.
    return /^\s*</.test(text) ? '' : text.trim();
  }
}

function wordsOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 4) return '';
  if (Array.isArray(value)) return wordsOf(value[0], depth + 1);
  for (const name of ['message', 'detail', 'error_description', 'error', 'errors', 'title', 'reason', 'msg', 'description', 'code']) {
    if (!Object.hasOwn(value, name)) continue;
    const words = wordsOf((value as Record<string, unknown>)[name], depth + 1);
    if (words !== '') return words;
  }
  return '';
}

/** What a refusal means that concerns the request as a whole. */
export function refusal({ status, headers, url }: Answer, method: string, said: string): OutsideError {
  const what = `${method} ${url.pathname} at ${url.host}`;
  const tail = said === '' ? '.' : `: ${said.replace(/\.$/, '')}.`;
  if (status === 401)
    return new OutsideError('auth', 'UNAUTHORIZED', `The API does not accept who we are (401) on ${what}${tail}`, {
      field: 'auth',
      hint: 'Check the credentials, whether they have expired, and how the API wants them to be sent.',
    });
  if (status === 403)
    return new OutsideError('auth', 'FORBIDDEN', `The API knows us but does not allow ${what} (403)${tail}`, {
      field: 'auth',
      hint: 'Give these credentials the right to it, or use others.',
    });
  if (status === 404 || status === 410)
    return new OutsideError('config', 'PATH_MISSING', `There is nothing at ${what} (${status})${tail}`, {
      hint: 'Check the base URL and the path of the stream.',
    });
  if (status === 429 || status === 503) {
    const retryAfter = retryAfterOf(headers);
    return new OutsideError(
      'transient',
      status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE',
      `${status === 429 ? 'The API says that it is asked too often (429)' : 'The API is not available at the moment (503)'} on ${what}${tail}`,
      {
        ...(status === 429 && { hint: 'Set `requests_per_second` to what the API allows.' }),
        ...(retryAfter !== undefined && { retryAfter }),
      },
    );
  }
  if (status >= 500 || status === 408 || status === 425)
    return new OutsideError('transient', 'API_FAILED', `The API failed (${status}) on ${what}${tail}`, {
      hint:
        method === 'GET'
          ? 'Look whether the API is well, and into its log.'
          : 'Look into the log of the API. If it fails over the same record each time, correct that record or leave it out by a filter.',
    });
  return new OutsideError('config', 'REQUEST_REFUSED', `The API refused ${what} (${status})${tail}`, {
    hint: 'Check the parameters of the stream against the documentation of the API.',
  });
}

/** What it means that an answer with the status of a success complains; `said` is fit to be shown. */
export function refusalInBody(
  { kind, code, retryAfter }: Complaint,
  { status, headers, url }: Answer,
  method: string,
  said: string,
): OutsideError {
  const what = `${method} ${url.pathname} at ${url.host}`;
  const known = code === undefined ? '' : `, ${printable(code).slice(0, 60)}`;
  const tail = said === '' ? '.' : `: ${said.replace(/\.$/, '')}.`;
  if (kind === 'auth')
    return new OutsideError(
      'auth',
      'UNAUTHORIZED',
      `The API does not accept who we are or what we ask for (${status}${known}) on ${what}${tail}`,
      {
        field: 'auth',
        hint: 'Check the credentials, whether they have expired, and what they may do.',
      },
    );
  if (kind === 'data')
    return new OutsideError('config', 'REQUEST_REFUSED', `The API answered ${what} with errors (${status}${known})${tail}`, {
      hint: 'Check the parameters and the body of the stream against the documentation of the API. What counts as an error is set in `errors` and `success`.',
    });
  const wait = retryAfterOf(headers) ?? retryAfter;
  return new OutsideError(
    'transient',
    kind === 'throttled' ? 'RATE_LIMITED' : 'API_FAILED',
    `${kind === 'throttled' ? 'The API says that it is asked too often' : 'The API failed'} (${status}${known}) on ${what}${tail}`,
    {
      ...(kind === 'throttled' && { hint: 'Set `requests_per_second` to what the API allows.' }),
      ...(wait !== undefined && { retryAfter: Math.min(wait, MAX_RETRY_AFTER) }),
    },
  );
}

/** Seconds, from a number or a date; undefined when the API does not say, or only that the wait is over: then it is for us to be polite. */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER) : undefined;
}
