import { OutsideError } from '../../../outside/errors.ts';
import type { Auth } from '../config/auth.ts';
import { readText } from '../../../outside/http/body.ts';
import type { Answer, Outgoing } from '../../../outside/http/exchange.ts';
import { isWebPage } from './not-json.ts';
import { apiMessage, retryAfterOf } from './refusals.ts';
import { sentence } from '../../../lib/sentence.ts';

type OAuth = Extract<Auth, { type: 'oauth2_client_credentials' }>;
type Send = (outgoing: Outgoing) => Promise<Answer>;

/** Puts the credentials into requests to the API's own origin. */
export interface Credentials {
  /** Adds them to the headers or to the address. */
  apply(url: URL, headers: Record<string, string>): Promise<void>;
  /** Takes them out of an address, so that it can be kept. */
  strip(url: URL): URL;
  /** The API refused them: true when others can be had, so that it is worth asking once more. */
  renew(): boolean;
  /** A text of the API with every secret in it blotted out. */
  redact(text: string): string;
}

export function createCredentials(auth: Auth, send: Send): Credentials {
  const tokens = auth.type === 'oauth2_client_credentials' ? new TokenKeeper(auth, send) : undefined;
  return {
    apply: async (url, headers) => {
      if (auth.type === 'bearer') headers['authorization'] = `Bearer ${auth.token}`;
      if (auth.type === 'basic') headers['authorization'] = basic(auth.username, auth.password);
      if (auth.type === 'header') headers[auth.name.toLowerCase()] = auth.value;
      if (auth.type === 'query') url.searchParams.set(auth.name, auth.value);
      if (tokens) headers['authorization'] = `Bearer ${await tokens.get()}`;
    },
    strip: (url) => {
      const bare = new URL(url);
      if (auth.type === 'query') bare.searchParams.delete(auth.name);
      return bare;
    },
    renew: () => tokens?.forget() ?? false,
    redact: (text) => [...secretsOf(auth), tokens?.current ?? ''].reduce(blot, text),
  };
}

function blot(text: string, secret: string): string {
  return secret.length < 4 ? text : text.replaceAll(secret, '***');
}

function secretsOf(auth: Auth): string[] {
  const secrets =
    auth.type === 'bearer'
      ? [auth.token]
      : auth.type === 'basic'
        ? [auth.password, basic(auth.username, auth.password).slice(6)]
        : auth.type === 'header' || auth.type === 'query'
          ? [auth.value]
          : auth.type === 'oauth2_client_credentials'
            ? [auth.client_secret]
            : [];
  return secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

// A token is not used in its last moments: it has to live until the request arrives.
const MARGIN = 30_000;
const MAX_TOKEN_ANSWER = 256 * 1024;

/** Fetches a token when there is none, once for all who wait, and keeps it until it is about to expire. */
class TokenKeeper {
  readonly #auth: OAuth;
  readonly #send: Send;
  #pending: Promise<string> | undefined;
  #expires = 0;
  current: string | undefined;

  constructor(auth: OAuth, send: Send) {
    this.#auth = auth;
    this.#send = send;
  }

  async get(): Promise<string> {
    if (this.current !== undefined && performance.now() < this.#expires) return this.current;
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  forget(): boolean {
    const had = this.current !== undefined;
    this.#expires = 0;
    return had;
  }

  async #fetch(): Promise<string> {
    const { token_url, client_id, client_secret, scope, audience, client_in } = this.#auth;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (scope) form.set('scope', scope);
    if (audience) form.set('audience', audience);
    const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    if (client_in === 'header') headers['authorization'] = basic(encodeURIComponent(client_id), encodeURIComponent(client_secret));
    else {
      form.set('client_id', client_id);
      form.set('client_secret', client_secret);
    }
    const outgoing = { method: 'POST', url: new URL(token_url), headers, body: Buffer.from(form.toString()) };
    const answer = await this.#send(outgoing);
    const text = await readText(answer, MAX_TOKEN_ANSWER);
    const { access_token: token, expires_in: lifetime, error } = parsed(text);
    // Some refuse with 200, and say so in the body.
    if (answer.status !== 200 || (token === undefined && typeof error === 'string')) throw this.#refused(answer, text);
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      throw new OutsideError(
        'config',
        'TOKEN_MISSING',
        `The token server ${answer.url.host} gave no token${isWebPage(answer, text.trim()) ? ', but a web page' : ''}.`,
        {
          field: 'auth.token_url',
          hint: 'Check that the token URL is right: it has to answer with JSON that holds `access_token`.',
        },
      );
    const seconds = Number(lifetime ?? 300);
    this.current = token;
    this.#expires = performance.now() + Math.max(Number.isFinite(seconds) ? seconds * 1000 - MARGIN : 0, 1000);
    return token;
  }

  #refused({ status, url, headers }: Answer, text: string): OutsideError {
    const said = apiMessage(text, (words) => blot(words, this.#auth.client_secret));
    const message = sentence(`The token server ${url.host} refused to give a token (${status})${said && `: ${said}`}`);
    if (status >= 500 || status === 429) {
      const retryAfter = retryAfterOf(headers);
      return new OutsideError('transient', 'TOKEN_FAILED', message, {
        hint: 'Look whether the token server is well.',
        ...(retryAfter !== undefined && { retryAfter }),
      });
    }
    if (status >= 300 && status < 400)
      return new OutsideError('config', 'TOKEN_REFUSED', `The token server ${url.host} sends us elsewhere (${status}).`, {
        field: 'auth.token_url',
        hint: 'Use the final address: credentials are not sent after a redirect.',
      });
    return new OutsideError(status === 404 ? 'config' : 'auth', 'TOKEN_REFUSED', message, {
      field: status === 404 ? 'auth.token_url' : 'auth.client_secret',
      hint: 'Check the token URL, the client id and its secret, and what the client may ask for.',
    });
  }
}

function parsed(text: string): { access_token?: unknown; expires_in?: unknown; error?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { access_token?: unknown };
  } catch {
    return {};
  }
}
