import type { IncomingHttpHeaders } from 'node:http';
import type { Auth } from '../../config/auth.ts';
import { signAws } from './aws.ts';
import { CookieJar } from './cookies.ts';
import { signHmac } from './hmac.ts';
import { signedToken } from './jwt.ts';
import { logIn } from './log-in.ts';
import { askToken, basic } from './oauth.ts';
import { TokenKeeper } from './token-keeper.ts';
import type { SecretPlace, Send, Unsigned } from './ways.ts';

/** Puts the credentials into requests to the API's own origin. */
export interface Credentials {
  /** Adds them to the headers or to the address. The stamp tells later which of several they were. */
  apply(request: Unsigned): Promise<number>;
  /** Takes notice of what an answer of the API says about them. */
  learn(url: URL, headers: IncomingHttpHeaders): void;
  /** Takes them out of an address, so that it can be kept. */
  strip(url: URL): URL;
  /** The API refused those of this stamp: true when others can be had, so that it is worth asking once more. */
  renew(stamp: number): boolean;
  /** A text of the API with every secret in it blotted out. */
  redact(text: string): string;
}

interface CredentialsOptions {
  readonly base: URL;
  readonly send: Send;
  readonly refreshToken?: SecretPlace | undefined;
}

export function createCredentials(auth: Auth, { base, send, refreshToken }: CredentialsOptions): Credentials {
  const jar = auth.type === 'login' && auth.cookies ? new CookieJar() : undefined;
  const given = new Set<string>();
  const redact = (text: string): string => [...secretsOf(auth), ...given, ...(jar?.values() ?? [])].reduce(blot, text);
  const keeper = tokensOf(auth, { base, send, refreshToken, redact, jar, given });
  return {
    apply: async (request) => {
      const { url, headers } = request;
      const token = await keeper?.get();
      if (token !== undefined) putToken(auth, token, request);
      else if (auth.type === 'bearer') headers['authorization'] = `Bearer ${auth.token}`;
      else if (auth.type === 'basic') headers['authorization'] = basic(auth.username, auth.password);
      else if (auth.type === 'header') headers[auth.name.toLowerCase()] = auth.value;
      else if (auth.type === 'query') url.searchParams.set(auth.name, auth.value);
      else if (auth.type === 'aws_sigv4') signAws(request, auth, new Date());
      else if (auth.type === 'hmac') signHmac(request, auth, new Date());
      const cookies = jar?.header(url);
      if (cookies) headers['cookie'] = [headers['cookie'], cookies].filter(Boolean).join('; ');
      return keeper?.stamp ?? 0;
    },
    learn: (url, headers) => jar?.take(url, headers['set-cookie']),
    strip: (url) => {
      const bare = new URL(url);
      const name = auth.type === 'query' || (auth.type === 'login' && auth.send_in === 'query') ? auth.name : undefined;
      if (name !== undefined) bare.searchParams.delete(name);
      return bare;
    },
    renew: (stamp) => keeper?.forget(stamp) ?? false,
    redact,
  };
}

interface TokenOptions extends CredentialsOptions {
  redact: (text: string) => string;
  jar: CookieJar | undefined;
  /** Tokens that were given to us: none of them is shown. */
  given: Set<string>;
}

function tokensOf(auth: Auth, { base, send, refreshToken, redact, jar, given }: TokenOptions): TokenKeeper | undefined {
  const keeping = (ask: ConstructorParameters<typeof TokenKeeper>[0]): TokenKeeper =>
    new TokenKeeper(async () => {
      const grant = await ask();
      given.clear();
      given.add(grant.token);
      return grant;
    });
  switch (auth.type) {
    case 'login':
      return keeping(() => logIn(auth, { base, send, redact, jar }));
    case 'oauth2_jwt_bearer':
      return auth.token_url === undefined
        ? keeping(async () => ({ token: signedToken(auth, new Date()), seconds: auth.lifetime_seconds }))
        : keeping(() => askToken(auth, { send, redact }));
    case 'oauth2_client_credentials':
    case 'oauth2_refresh_token':
      return keeping(() => askToken(auth, { send, redact, refreshToken }));
    default:
      return undefined;
  }
}

function putToken(auth: Auth, token: string, { url, headers }: Unsigned): void {
  if (auth.type !== 'login') headers['authorization'] = `Bearer ${token}`;
  else if (token === '') return;
  else if (auth.send_in === 'query') url.searchParams.set(auth.name, token);
  else if (auth.send_in === 'cookie') headers['cookie'] = `${auth.name}=${token}`;
  else headers[auth.name.toLowerCase()] = auth.scheme === '' ? token : `${auth.scheme} ${token}`;
}

function blot(text: string, secret: string): string {
  return secret.length < 4 ? text : text.replaceAll(secret, '***');
}

function secretsOf(auth: Auth): string[] {
  return plainSecrets(auth).flatMap((secret) => [secret, encodeURIComponent(secret)]);
}

function plainSecrets(auth: Auth): string[] {
  switch (auth.type) {
    case 'none':
      return [];
    case 'bearer':
      return [auth.token];
    case 'basic':
      return [auth.password, basic(auth.username, auth.password).slice(6)];
    case 'header':
    case 'query':
      return [auth.value];
    case 'login':
      return auth.secrets.map(({ value }) => value);
    case 'oauth2_client_credentials':
      return [auth.client_secret];
    case 'oauth2_refresh_token':
      return [auth.refresh_token, auth.client_secret ?? ''];
    case 'oauth2_jwt_bearer':
      return [auth.private_key];
    case 'aws_sigv4':
      return [auth.secret_access_key, auth.session_token ?? ''];
    default:
      return [auth.secret];
  }
}
