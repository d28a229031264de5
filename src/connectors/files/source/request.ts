import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { aborted, codeOf, OutsideError, LOST_HINT, networkError } from '../../../outside/errors.ts';
import type { Reach } from '../../../outside/reach.ts';

const MAX_REDIRECTS = 5;
const ANSWER_MS = 30_000;

/** What a request needs to know besides its address. */
export interface Remote {
  readonly reach: Reach;
  readonly authorization: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly message: IncomingMessage;
  /** The server, for messages; never the query, which may hold a secret. */
  readonly where: string;
}

/** Asks a server and follows where it leads, each address checked. Statuses beyond 2xx are errors unless `expected`. */
export async function ask(
  remote: Remote,
  method: 'GET' | 'HEAD',
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  expected: readonly number[] = [],
): Promise<Answer> {
  let target = new URL(url);
  const origin = target.origin;
  for (let redirects = 0; ; redirects++) {
    // A secret is for the server that it was given for.
    const secret = remote.authorization !== undefined && target.origin === origin ? { authorization: remote.authorization } : {};
    const message = await send(remote, method, target, { 'accept-encoding': 'identity', ...headers, ...secret }, signal);
    const status = message.statusCode ?? 0;
    const where = `${target.protocol}//${target.host}`;
    const { location } = message.headers;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      if ((status >= 200 && status < 300) || expected.includes(status)) return { status, message, where };
      message.resume();
      throw statusError(status, target, message.headers['retry-after']);
    }
    message.resume();
    if (redirects >= MAX_REDIRECTS)
      throw new OutsideError('config', 'TOO_MANY_REDIRECTS', `${where} leads from one address to the next without an end.`, {
        field: 'url',
      });
    const next = URL.canParse(location, target) ? new URL(location, target) : undefined;
    if (!next || !/^https?:$/.test(next.protocol))
      throw new OutsideError('config', 'REDIRECT_REFUSED', `${where} leads to something that is no http address.`, { field: 'url' });
    if (target.protocol === 'https:' && next.protocol === 'http:')
      throw new OutsideError('config', 'REDIRECT_REFUSED', `${where} leads from https to http, where anybody could read along.`, {
        field: 'url',
      });
    target = next;
  }
}

function send({ reach }: Remote, method: string, url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    // A literal address is never looked up, so it is looked at here.
    if (isIP(host)) {
      try {
        reach.demand(host);
      } catch (error) {
        return reject(connectionError(error, host, port));
      }
    }
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = send(url, { method, headers, lookup: reach.lookup, agent: false, timeout: ANSWER_MS });
    const stop = (): unknown => sent.destroy(aborted());
    signal.addEventListener('abort', stop, { once: true });
    sent.once('timeout', () => sent.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    sent.once('response', (message) => {
      signal.removeEventListener('abort', stop);
      sent.setTimeout(0);
      resolve(message);
    });
    sent.on('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(connectionError(error, host, port));
    });
    sent.end();
    return undefined;
  });
}

function connectionError(error: unknown, host: string, port: number): OutsideError {
  const known = networkError(error, host, port);
  if (known) {
    const { kind, code, message, hint, retryAfter } = known;
    return new OutsideError(kind, code, message, {
      field: 'url',
      ...(hint && { hint }),
      ...(retryAfter && { retryAfter }),
      cause: error,
    });
  }
  const code = codeOf(error) ?? '';
  if (/CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code))
    return new OutsideError('config', 'TLS_REFUSED', `The certificate or encryption of ${host}:${port} is not accepted (${code}).`, {
      field: 'url',
      hint: 'Check that the address is https of the right host, and that its certificate is valid.',
      cause: error,
    });
  return new OutsideError('transient', 'REQUEST_FAILED', `The request to ${host}:${port} failed${code ? ` (${code})` : ''}.`, {
    cause: error,
  });
}

function statusError(status: number, url: URL, retryAfter: string | undefined): OutsideError {
  const what = `${url.protocol}//${url.host}${url.pathname}`;
  if (status === 401 || status === 403)
    return new OutsideError('auth', 'URL_FORBIDDEN', `The server refuses to give ${what} (${status}).`, {
      field: 'authorization',
      hint: status === 401 ? 'Set "authorization" to what the server expects.' : 'Check the rights of the key, or the address.',
    });
  if (status === 404 || status === 410)
    return new OutsideError('config', 'FILE_MISSING', `There is nothing at ${what} (${status}).`, {
      field: 'url',
      hint: 'Check the address.',
    });
  if (status === 429 || status >= 500) {
    const seconds = Number(retryAfter);
    return new OutsideError('transient', 'SERVER_BUSY', `The server of ${what} answers ${status}.`, {
      ...(Number.isFinite(seconds) && seconds >= 0 && { retryAfter: seconds }),
    });
  }
  return new OutsideError('config', 'URL_REFUSED', `The server of ${what} answers ${status}.`, {
    field: 'url',
    hint: 'Check the address.',
  });
}

export function lost(where: string, cause?: unknown): OutsideError {
  return new OutsideError('transient', 'CONNECTION_LOST', `The connection to ${where} was lost.`, { hint: LOST_HINT, cause });
}
