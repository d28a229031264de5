import { OutsideError } from '../../../../outside/errors.ts';
import type { Reply } from '../request/reply.ts';
import type { Vault } from '../vault.ts';
import { errorWords } from './handler.ts';
import type { Resolution } from './resolution.ts';

/** A day: who wants to be left alone for longer is asked once a day. */
const MAX_RETRY_AFTER = 86_400;

/** Seconds, from a number or a date; undefined when the API does not say, or only that the wait is over. */
export function retryAfterOf({ headers }: Reply, now: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER) : undefined;
}

/** What an answer means that is not what we asked for. The manifest's words come first, then those of the API. */
export function refusal(reply: Reply, method: string, resolution: Resolution, vault: Vault, wait?: number): OutsideError {
  const { status, url } = reply;
  const what = `${method} ${vault.shown(url.pathname)} at ${url.host}`;
  const said = vault.shown(resolution.message || errorWordsShort(reply));
  const tail = said === '' ? '.' : `: ${said.replace(/\.$/, '')}.`;
  const kind = kindOf(status, resolution);
  switch (kind) {
    case 'auth':
      return status === 403
        ? new OutsideError('auth', 'FORBIDDEN', `The API knows us but does not allow ${what} (403)${tail}`, {
            field: 'settings',
            hint: 'Give these credentials the right to it, or use others.',
          })
        : new OutsideError('auth', 'UNAUTHORIZED', `The API does not accept who we are (${status}) on ${what}${tail}`, {
            field: 'settings',
            hint: 'Check the credentials in the settings, and whether they have expired.',
          });
    case 'throttled':
      return new OutsideError('transient', 'RATE_LIMITED', `The API says that it is asked too often (${status}) on ${what}${tail}`, {
        hint: 'Let the synchronization run less often, or at another time.',
        ...(wait !== undefined && { retryAfter: Math.min(Math.ceil(wait), MAX_RETRY_AFTER) }),
      });
    case 'failed':
      return new OutsideError('transient', 'API_FAILED', `The API failed (${status}) on ${what}${tail}`, {
        hint: 'Look whether the API is well.',
        ...(wait !== undefined && { retryAfter: Math.min(Math.ceil(wait), MAX_RETRY_AFTER) }),
      });
    default:
      return new OutsideError(
        'config',
        status === 404 || status === 410 ? 'PATH_MISSING' : 'REQUEST_REFUSED',
        `${status === 404 || status === 410 ? 'There is nothing at' : 'The API refused'} ${what} (${status})${tail}`,
        { field: 'settings', hint: 'Check the settings; if they are right, the manifest asks for what this API does not have.' },
      );
  }
}

type Meaning = 'auth' | 'throttled' | 'failed' | 'refused';

function kindOf(status: number, { action, failure }: Resolution): Meaning {
  if (status === 401 || status === 403) return failure === 'transient_error' ? 'failed' : 'auth';
  if (action === 'RATE_LIMITED' || status === 429) return 'throttled';
  if (failure === 'config_error') return 'refused';
  if (failure === 'transient_error' || status >= 500 || action === 'RETRY' || action === 'REFRESH_TOKEN_THEN_RETRY') return 'failed';
  return 'refused';
}

/** A web page is of no help to a reader; a plain sentence is. */
function errorWordsShort(reply: Reply): string {
  const words = errorWords(reply).trim();
  return words.startsWith('<') ? '' : words;
}
