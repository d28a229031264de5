import { OutsideError } from '../../../../outside/errors.ts';
import { readText } from '../../../../outside/http/body.ts';
import type { Answer } from '../../../../outside/http/exchange.ts';
import { sentence } from '../../../../lib/sentence.ts';
import type { OAuthClient, OAuthJwt, OAuthRefresh } from '../../config/oauth.ts';
import { isWebPage } from '../not-json.ts';
import { apiMessage, retryAfterOf } from '../refusals.ts';
import type { SecretPlace, Send } from './ways.ts';
import { signedToken } from './jwt.ts';
import type { Grant } from './token-keeper.ts';

type OAuth = OAuthClient | OAuthRefresh | OAuthJwt;

interface Options {
  send: Send;
  redact: (text: string) => string;
  refreshToken?: SecretPlace | undefined;
}

const MAX_TOKEN_ANSWER = 256 * 1024;
/** Of a token whose server does not say. */
const USUAL_LIFE = 300;

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Asks the token server for a token. */
export async function askToken(auth: OAuth, options: Options): Promise<Grant> {
  if (auth.type !== 'oauth2_refresh_token') return exchangeFor(auth, formOf(auth), options).then(({ grant }) => grant);
  const place = options.refreshToken ?? heldInMemory(auth);
  for (let token = await place.current(), isAgain = false; ; isAgain = true) {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token });
    if (auth.scope) form.set('scope', auth.scope);
    try {
      const { grant, next } = await exchangeFor(auth, form, options);
      if (next !== undefined && next !== token) await place.replace(token, next);
      return grant;
    } catch (error) {
      // Another run may have used it at the same moment, and was given the next one.
      const now = isAgain || !(error instanceof OutsideError) || error.kind !== 'auth' ? token : await place.current();
      if (now === token) throw error;
      token = now;
    }
  }
}

const IN_MEMORY = new WeakMap<OAuthRefresh, string>();

/** Where nobody keeps it, it lives as long as the session. */
function heldInMemory(auth: OAuthRefresh): SecretPlace {
  return {
    current: async () => IN_MEMORY.get(auth) ?? auth.refresh_token,
    replace: async (_old, by) => void IN_MEMORY.set(auth, by),
  };
}

function formOf(auth: OAuthClient | OAuthJwt): URLSearchParams {
  if (auth.type === 'oauth2_jwt_bearer')
    return new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: signedToken(auth, new Date()) });
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (auth.scope) form.set('scope', auth.scope);
  if (auth.audience) form.set('audience', auth.audience);
  return form;
}

async function exchangeFor(
  auth: OAuth,
  form: URLSearchParams,
  { send, redact }: Options,
): Promise<{ grant: Grant; next: string | undefined }> {
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  if (auth.type !== 'oauth2_jwt_bearer') {
    const { client_id, client_secret, client_in } = auth;
    if (client_in === 'header' && client_secret !== undefined)
      headers['authorization'] = basic(encodeURIComponent(client_id), encodeURIComponent(client_secret));
    else {
      form.set('client_id', client_id);
      if (client_secret !== undefined) form.set('client_secret', client_secret);
    }
  }
  const answer = await send({ method: 'POST', url: new URL(auth.token_url ?? ''), headers, body: Buffer.from(form.toString()) });
  const text = await readText(answer, MAX_TOKEN_ANSWER);
  const { access_token: token, expires_in: lifetime, refresh_token: next, error } = parsed(text);
  // Some refuse with 200, and say so in the body.
  if (answer.status !== 200 || (token === undefined && typeof error === 'string'))
    throw refused(auth, answer, {
      error,
      said: apiMessage(text, (words) =>
        redact(form.has('refresh_token') ? words.replaceAll(form.get('refresh_token') as string, '***') : words),
      ),
    });
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
  const seconds = Number(lifetime ?? USUAL_LIFE);
  return {
    grant: { token, seconds: Number.isFinite(seconds) ? seconds : USUAL_LIFE },
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

/** The member that is most likely wrong. */
const FIELD = {
  oauth2_client_credentials: 'auth.client_secret',
  oauth2_refresh_token: 'auth.refresh_token',
  oauth2_jwt_bearer: 'auth.private_key',
} as const;
const HINT = {
  oauth2_client_credentials: 'Check the token URL, the client id and its secret, and what the client may ask for.',
  oauth2_refresh_token:
    'Check the client id and its secret. If the refresh token has expired or was taken back, let the user agree anew and save the new one.',
  oauth2_jwt_bearer: 'Check the key and its id, the issuer, the subject and the audience, and that the clock of this machine is right.',
} as const;

function refused({ type }: OAuth, { status, url, headers }: Answer, { error, said }: { error: unknown; said: string }): OutsideError {
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
  const isElsewhere = status === 404;
  const isClient = error === 'invalid_client' && type === 'oauth2_refresh_token';
  return new OutsideError(isElsewhere ? 'config' : 'auth', 'TOKEN_REFUSED', message, {
    field: isElsewhere ? 'auth.token_url' : isClient ? 'auth.client_secret' : FIELD[type],
    hint: HINT[type],
  });
}

function parsed(text: string): { access_token?: unknown; expires_in?: unknown; refresh_token?: unknown; error?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { access_token?: unknown };
  } catch {
    return {};
  }
}
