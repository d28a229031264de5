import { OutsideError } from '../../../../outside/errors.ts';
import { readText } from '../../../../outside/http/body.ts';
import type { Answer, Outgoing } from '../../../../outside/http/exchange.ts';
import { scalarText } from '../../../../lib/exact-json.ts';
import { printable } from '../../../../lib/check.ts';
import { sentence } from '../../../../lib/sentence.ts';
import { at, parsePath, put } from '../../answer/paths.ts';
import { complaintIn } from '../../answer/verdict.ts';
import type { LoginAuth } from '../../config/login.ts';
import { isWebPage } from '../not-json.ts';
import { apiMessage, retryAfterOf } from '../refusals.ts';
import type { CookieJar } from './cookies.ts';
import type { Send } from './ways.ts';
import type { Grant } from './token-keeper.ts';

interface Options {
  base: URL;
  send: Send;
  redact: (text: string) => string;
  jar: CookieJar | undefined;
}

const MAX_ANSWER = 256 * 1024;

/** Logs in by the request that is declared. */
export async function logIn(auth: LoginAuth, { base, send, redact, jar }: Options): Promise<Grant> {
  // Cookies of a session that is over would only confuse the API.
  jar?.clear();
  const answer = await send(requestOf(auth, base));
  const text = await readText(answer, MAX_ANSWER);
  const said = apiMessage(text, redact);
  const { status, url, headers } = answer;
  // Only to the API itself cookies are sent back.
  const hasCookies = url.origin === base.origin && (jar?.take(url, headers['set-cookie']) ?? false);
  // Forms lead on to a page when all is well.
  const isLedOn = hasCookies && (status === 302 || status === 303);
  if ((status < 200 || status > 299) && !isLedOn) throw refusedBy(answer, said);
  const body = parsed(text);
  const complaint = isLedOn ? undefined : complaintIn(body, auth);
  if (complaint) {
    const words = printable(redact(complaint.words === '' ? (complaint.code ?? '') : complaint.words));
    if (complaint.kind === 'throttled' || complaint.kind === 'failed') throw failed(answer, words, complaint.retryAfter);
    throw refused(answer, words);
  }
  if (auth.token === undefined && auth.token_header === undefined) {
    if (hasCookies) return { token: '', seconds: auth.lifetime_seconds };
    throw tokenMissing(answer, text, 'set no cookie', 'auth.cookies');
  }
  const token = auth.token_header === undefined ? at(body, parsePath(auth.token ?? '')) : headers[auth.token_header.toLowerCase()];
  const found = typeof token === 'string' ? token.trim() : scalarText(token);
  if (found === undefined || found === '' || !/^[\x20-\x7e]+$/.test(found))
    throw tokenMissing(
      answer,
      text,
      auth.token_header === undefined ? `gave no token at "${auth.token}"` : `gave no header "${auth.token_header}"`,
      auth.token_header === undefined ? 'auth.token' : 'auth.token_header',
    );
  return { token: found, seconds: lifeOf(auth, body) };
}

function requestOf({ url, method, format, body, values, secrets }: LoginAuth, base: URL): Outgoing {
  const target = url.startsWith('/') ? new URL(base.href.replace(/\/$/, '') + url) : new URL(url);
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'Syncline' };
  const all = [...values, ...secrets];
  if (format === 'query') for (const { name, value } of all) target.searchParams.set(name, value);
  if (format === 'query' || method === 'GET') return { method, url: target, headers };
  if (format === 'form') {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    const form = new URLSearchParams(all.map(({ name, value }) => [name, value]));
    return { method, url: target, headers, body: Buffer.from(form.toString()) };
  }
  headers['content-type'] = 'application/json';
  const object = JSON.parse(body ?? '{}') as Record<string, unknown>;
  for (const { name, value } of all) put(object, parsePath(name), value);
  return { method, url: target, headers, body: Buffer.from(JSON.stringify(object)) };
}

// From here on a number is a time rather than a number of seconds.
const TIMES = 1e9;

function lifeOf({ expires, lifetime_seconds }: LoginAuth, body: unknown): number | undefined {
  const told = expires === undefined ? undefined : scalarText(at(body, parsePath(expires)));
  if (told === undefined) return lifetime_seconds;
  const number = Number(told);
  if (Number.isNaN(number)) {
    const time = Date.parse(told);
    return Number.isNaN(time) ? lifetime_seconds : Math.max((time - Date.now()) / 1000, 0);
  }
  if (number < TIMES) return number;
  return Math.max((number < TIMES * 1000 ? number : number / 1000) - Date.now() / 1000, 0);
}

function refusedBy(answer: Answer, said: string): OutsideError {
  const { status, url } = answer;
  if (status >= 500 || status === 429 || status === 408) return failed(answer, said, retryAfterOf(answer.headers));
  if (status >= 300 && status < 400)
    return new OutsideError('config', 'LOGIN_REFUSED', `The log-in at ${url.host}${url.pathname} leads elsewhere (${status}).`, {
      field: 'auth.url',
      hint: 'Use the final address: credentials are not sent after a redirect. A form that leads back to itself has refused them.',
    });
  if (status === 404 || status === 405)
    return new OutsideError(
      'config',
      'LOGIN_REFUSED',
      sentence(`There is no log-in at ${url.host}${url.pathname} (${status})${said && `: ${said}`}`),
      {
        field: 'auth.url',
        hint: 'Check the address and the method of the log-in.',
      },
    );
  return refused(answer, said);
}

function refused({ status, url }: Answer, said: string): OutsideError {
  return new OutsideError('auth', 'LOGIN_REFUSED', sentence(`${url.host} refused to let us in (${status})${said && `: ${said}`}`), {
    field: 'auth.secrets',
    hint: 'Check the values and the secrets of the log-in, and whether the account is still there. They are not tried again before the next run.',
  });
}

function failed({ status, url }: Answer, said: string, retryAfter: number | undefined): OutsideError {
  return new OutsideError('transient', 'TOKEN_FAILED', sentence(`The log-in at ${url.host} failed (${status})${said && `: ${said}`}`), {
    hint: 'Look whether the API is well.',
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

function tokenMissing(answer: Answer, text: string, what: string, field: string): OutsideError {
  const page = isWebPage(answer, text.trim()) ? ', but answered with a web page' : '';
  return new OutsideError('config', 'TOKEN_MISSING', `The log-in at ${answer.url.host} ${what}${page}.`, {
    field,
    hint: 'Check where the answer to the log-in holds the token. If it was a refusal, say with `auth.success` or `auth.errors` how one is told.',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
