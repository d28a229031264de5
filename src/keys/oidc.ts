import type { JWTPayload } from 'jose';
import type { Authenticate } from '../http/callers/auth.ts';
import { SCOPES, type Scope } from '../http/scopes.ts';
import { unavailable } from '../lib/errors.ts';
import { textFault } from '../lib/json.ts';
import type { Logger } from '../lib/log.ts';
import type { AskIssuer } from './issuer.ts';

export interface OidcOptions {
  issuer: string;
  audience: string;
  /** The claim that holds the scopes, as a list or as one text with spaces. */
  scopeClaim: string;
}

/** Whom the issuer vouches for, by one of its tokens. */
export interface Vouched {
  /** How the caller is called: issuer and subject. */
  id: string;
  scopes: ReadonlySet<Scope>;
  claims: Readonly<Record<string, unknown>>;
}

/** What an issuer tells of itself, as it came. */
type IssuerDocument = Readonly<Record<string, unknown>>;

/** One OIDC issuer, which is asked for its configuration and its signing keys when they are first needed. */
export interface Oidc {
  readonly issuer: string;
  /** Accepts its signed tokens as keys. */
  authenticate: Authenticate;
  /** Undefined for a token that is not signed by it, not made for this audience, or over. Throws UNAVAILABLE when it cannot be asked. */
  verify(token: string, audience: string): Promise<Vouched | undefined>;
  document(): Promise<IssuerDocument>;
  /** What it has told of itself was wrong: it is asked anew when that is needed next. */
  forget(): void;
  ask: AskIssuer;
}

// What only asymmetric keys can sign: a token "signed" with a public key as secret must never pass.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
// `jose` says so when the issuer does not answer, answers with an error, or with something that is no set of keys.
const ISSUER_FAULTS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);
/** As OpenID Connect has it: a subject has at most so many characters. */
const MAX_SUBJECT = 255;

type Jose = typeof import('jose');
interface Opened {
  jose: Jose;
  keys: ReturnType<Jose['createRemoteJWKSet']>;
  document: IssuerDocument;
  ask: AskIssuer;
}

export function createOidc({ issuer, audience, scopeClaim }: OidcOptions, log: Logger): Oidc {
  let opened: Promise<Opened> | undefined;

  const open = (): Promise<Opened> =>
    (opened ??= openIssuer(issuer)).catch((error: unknown) => {
      opened = undefined;
      throw unavailable('The issuer of this token cannot be asked for its signing keys at the moment.', { cause: error });
    });

  async function verify(token: string, madeFor: string): Promise<Verified | undefined> {
    if (token.split('.').length !== 3) return undefined;
    const { jose, keys } = await open();
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience: madeFor,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 5,
      });
      const subject = subjectOf(payload.sub);
      if (subject === undefined) {
        log.debug({ reason: 'sub is no text of 1 to 255 characters' }, 'a token of the OIDC issuer was refused');
        return undefined;
      }
      return { id: `${issuer}|${subject}`, scopes: scopesOf(payload[scopeClaim]), claims: payload };
    } catch (error) {
      if (!(error instanceof jose.errors.JOSEError) || ISSUER_FAULTS.has(error.code)) {
        throw unavailable('The issuer of this token cannot be asked for its signing keys at the moment.', { cause: error });
      }
      log.debug({ reason: error.code }, 'a token of the OIDC issuer was refused');
      return undefined;
    }
  }

  return {
    issuer,
    authenticate: async (token) => {
      const known = await verify(token, audience);
      if (!known) return undefined;
      const { id, scopes, claims } = known;
      return { id, scopes, rateLimit: undefined, until: (claims.exp as number) * 1000 };
    },
    verify,
    document: async () => (await open()).document,
    forget: () => {
      opened = undefined;
    },
    ask: async (url, how) => (await open()).ask(url, how),
  };
}

interface Verified extends Vouched {
  claims: JWTPayload;
}

async function openIssuer(issuer: string): Promise<Opened> {
  const jose = await import('jose');
  const { issuerClient, ISSUER_TIMEOUT } = await import('./issuer.ts');
  const ask = issuerClient();
  const place = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { status, text } = await ask(place, { follows: true });
  if (status < 200 || status > 299) throw new Error(`The OIDC issuer answered ${status} to the request for its configuration.`);
  const document = JSON.parse(text) as IssuerDocument | null;
  const jwks = document?.['jwks_uri'];
  if (document === null || typeof jwks !== 'string') throw new Error('The OIDC issuer names no jwks_uri in its configuration.');
  const keys = jose.createRemoteJWKSet(new URL(jwks), {
    timeoutDuration: ISSUER_TIMEOUT,
    [jose.customFetch]: async (url, { headers }) => {
      const answer = await ask(new URL(url), { follows: false, headers: Object.fromEntries(headers) });
      return new Response(answer.text, { status: answer.status });
    },
  });
  return { jose, keys, document, ask };
}

/**
 * Who the token is about. `jose` looks only whether the claim is there: a number or a list would be one caller with the text that it
 * is written as, and the caller's name is what limits, idempotency keys and the audit go by.
 */
function subjectOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string' || claim.length === 0 || claim.length > MAX_SUBJECT) return undefined;
  return textFault(claim) === undefined ? claim : undefined;
}

/** Scopes we do not know are for other services. */
function scopesOf(claim: unknown): ReadonlySet<Scope> {
  const words = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? (claim as unknown[]) : [];
  return new Set(SCOPES.filter((scope) => words.includes(scope)));
}
