import { codeOf, LOST_HINT, networkError, OutsideError } from '../../../outside/errors.ts';
import { createHttpClient, type HttpClient } from '../../../outside/http/client.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import type { Explain } from '../../../outside/http/problem.ts';
import { follow, type Refusal } from '../../../outside/http/redirects.ts';
import { explainWith } from '../../../outside/http/words.ts';
import type { Reach } from '../../../outside/reach.ts';

const SILENT_MS = 30_000;
// A server that sends a few bytes now and then would hold a run without end.
const SLOW_BYTES = 16 * 1024;

/** What a request needs to know besides its address. */
export interface Remote {
  readonly client: HttpClient;
  readonly authorization: string | undefined;
}

export function remoteOf(reach: Reach, authorization: string | undefined): Remote {
  return {
    client: createHttpClient({
      reach,
      // Files are few and large: a connection for each costs little, and none is left that would have to be closed.
      keepsConnections: false,
      // A file may be packed itself: it is taken as it lies there.
      unpacks: false,
      bounds: { timeout: SILENT_MS, bytesPerSecond: SLOW_BYTES / (SILENT_MS / 1000), pace: 'each' },
      explain,
    }),
    authorization,
  };
}

/** Asks a server and follows where it leads. Statuses beyond 2xx are errors unless `expected`. */
export async function ask(
  { client, authorization }: Remote,
  method: 'GET' | 'HEAD',
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  expected: readonly number[] = [],
): Promise<Answer> {
  const url = new URL(address);
  const answer = await follow({
    method,
    url,
    home: url.origin,
    send: (to, isHome) => {
      const secret = isHome && authorization !== undefined ? { authorization } : {};
      return client.send({ method, url: to, headers: { 'accept-encoding': 'identity', ...headers, ...secret } }, signal);
    },
    refused: redirectRefused,
  });
  const { status } = answer;
  if ((status >= 200 && status < 300) || expected.includes(status)) return answer;
  answer.discard();
  throw statusError(status, answer.url, answer.headers['retry-after']);
}

const usual = explainWith({
  who: 'The server',
  address: 'url',
  addressInWords: 'the address',
  authority: 'url',
  slowHint: 'The server or the way to it is overloaded. It is tried again later.',
  large: { field: 'url', hint: 'Check the address.' },
});

const explain: Explain = (problem, url) => {
  switch (problem.what) {
    case 'failed':
      return connectionError(problem.error, url);
    case 'mute':
      return connectionError(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }), url);
    case 'broken':
      return new OutsideError('transient', 'CONNECTION_LOST', `The connection to ${serverOf(url)} was lost.`, {
        hint: LOST_HINT,
        cause: problem.error,
      });
    case 'silent':
    case 'dripping':
      return new OutsideError(
        'transient',
        'TOO_SLOW',
        `${serverOf(url)} sends less than ${SLOW_BYTES >> 10} KiB in ${SILENT_MS / 1000} seconds.`,
        { hint: 'The server or the way to it is overloaded. It is tried again later.' },
      );
    default:
      return usual(problem, url);
  }
};

/** The server, for messages; never the query, which may hold a secret. */
function serverOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

const NOT_FOLLOWED: Readonly<Record<Refusal, [code: string, words: string]>> = {
  endless: ['TOO_MANY_REDIRECTS', 'leads from one address to the next without an end'],
  'no web address': ['REDIRECT_REFUSED', 'leads to something that is no http address'],
  unsafe: ['REDIRECT_REFUSED', 'leads from https to http, where others could read along'],
  'not reading': ['REDIRECT_REFUSED', 'leads elsewhere'],
};

function redirectRefused(why: Refusal, from: URL): OutsideError {
  const [code, words] = NOT_FOLLOWED[why];
  return new OutsideError('config', code, `${serverOf(from)} ${words}.`, { field: 'url' });
}

function connectionError(error: unknown, url: URL): OutsideError {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
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
  const what = `${serverOf(url)}${url.pathname}`;
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
