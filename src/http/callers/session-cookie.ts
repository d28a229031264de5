import type { FastifyRequest } from 'fastify';
import { type BlockList } from 'node:net';
import { blockList, rangesOf } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { isIn, plainAddress } from './client-address.ts';

type Asked = Pick<FastifyRequest, 'headers' | 'method' | 'raw'>;

/** A space cannot be in a key that is sent: nobody can send what a browser keeps in its cookie as a key, nor a key in the cookie. */
const MARK = 'session ';
const TOKEN = /^[0-9a-z_]{20,200}$/;
const SAFE = new Set(['GET', 'HEAD']);

/** The cookie that a browser keeps of a sign-in, and from where requests with it may come. */
export interface SessionCookies {
  /** What a request is let in by that has no key but our cookie: to be asked about like a key. */
  credentialOf(request: Asked): string | undefined;
  /** Throws unless a request that is let in by the cookie was made by our own page. */
  demandOwnPage(request: Asked): void;
  /** The header that has the browser keep the token for so many seconds. */
  kept(request: Asked, token: string, seconds: number): string;
  /** The same for a browser that was led to the address that people open, whatever a proxy has made of the request. */
  keptAtPublicUrl(token: string, seconds: number): string;
  /** Those that have it forget whatever it keeps. */
  forgotten(request: Asked): string[];
}

/** The token in a credential that a cookie carried; undefined for a key. */
export function sessionTokenOf(credential: string): string | undefined {
  return credential.startsWith(MARK) ? credential.slice(MARK.length) : undefined;
}

export function sessionCookies({
  trustedProxies,
  publicUrl,
}: {
  trustedProxies: string | undefined;
  publicUrl: string | undefined;
}): SessionCookies {
  const trusted = trustedProxies === undefined ? undefined : blockList(rangesOf(trustedProxies));
  const open = publicUrl === undefined ? undefined : new URL(publicUrl);

  /** Whether the browser speaks TLS, as far as we can know of it. */
  const isSecure = ({ raw, headers }: Asked): boolean =>
    (raw.socket as { encrypted?: boolean }).encrypted === true ||
    (open?.protocol === 'https:' && headers.host === open.host) ||
    (proxySaysTls(headers['x-forwarded-proto']) && isTrusted(trusted, raw.socket.remoteAddress));

  /** Cookies know no ports: two services on one machine would sign each other's users out. */
  const nameFor = ({ headers }: Pick<Asked, 'headers'>, secure: boolean): string => {
    const port = open ? open.port : (/:(\d{1,5})$/.exec(headers.host ?? '')?.[1] ?? '');
    return `${secure ? '__Host-' : ''}syncline${port === '' ? '' : `-${port}`}`;
  };

  const isOwn = (origin: string, request: Asked): boolean => {
    const from = URL.parse(origin);
    if (!from || !/^https?:$/.test(from.protocol)) return false;
    if (from.origin === open?.origin) return true;
    if (from.protocol === 'http:' && isSecure(request)) return false;
    return URL.parse(`${from.protocol}//${request.headers.host}`)?.host === from.host;
  };

  return {
    credentialOf: (request) => {
      const { cookie } = request.headers;
      if (cookie === undefined) return undefined;
      // Only our own answers over TLS can set this name: another site below the same domain cannot have put a cookie of its own in its place.
      const token =
        cookieValue(cookie, nameFor(request, true)) ?? (isSecure(request) ? undefined : cookieValue(cookie, nameFor(request, false)));
      return token === undefined || !TOKEN.test(token) ? undefined : MARK + token;
    },
    demandOwnPage: (request) => {
      const { 'sec-fetch-site': site, origin } = request.headers;
      const isSafe = SAFE.has(request.method);
      // Browsers send one of the two with whatever changes something, and no page can write either of them.
      if (
        site !== undefined ? site === 'same-origin' || (isSafe && site === 'none') : origin === undefined ? isSafe : isOwn(origin, request)
      )
        return;
      throw foreignPage();
    },
    kept: (request, token, seconds) => {
      // The browser says itself how the page was opened, also behind a proxy that does not.
      const secure = isSecure(request) || (request.headers.origin?.startsWith('https://') ?? false);
      return headerOf(nameFor(request, secure), token, seconds, secure);
    },
    keptAtPublicUrl: (token, seconds) => {
      const secure = open?.protocol === 'https:';
      return headerOf(nameFor({ headers: {} }, secure), token, seconds, secure);
    },
    forgotten: (request) => [true, false].map((secure) => headerOf(nameFor(request, secure), '', 0, secure)),
  };
}

function headerOf(name: string, token: string, seconds: number, secure: boolean): string {
  return `${name}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

/** The value of a cookie; undefined when it is not there, or there twice: one of them is then from someone else. */
export function cookieValue(header: string, name: string): string | undefined {
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

function proxySaysTls(told: string | string[] | undefined): boolean {
  return (
    String(told ?? '')
      .split(',')[0]
      ?.trim()
      .toLowerCase() === 'https'
  );
}

function isTrusted(trusted: BlockList | undefined, peer: string | undefined): boolean {
  return trusted !== undefined && isIn(trusted, plainAddress(peer ?? ''));
}

function foreignPage(): AppError {
  return new AppError(
    'FORBIDDEN',
    'A sign-in in a browser works for requests of the page itself. If this is your page, set SYNCLINE_PUBLIC_URL to the address that people open; programs send a key.',
    { field: 'Origin', reason: 'is not the origin of this service' },
  );
}
