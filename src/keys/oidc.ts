import type { Authenticate } from '../http/callers/auth.ts';
import { SCOPES, type Scope } from '../http/scopes.ts';
import { unavailable } from '../lib/errors.ts';
import { textFault } from '../lib/json.ts';
import type { Logger } from '../lib/log.ts';

export interface OidcOptions {
  issuer: string;
  audience: string;
  /** The claim that holds the scopes, as a list or as one text with spaces. */
  scopeClaim: string;
}

// What only asymmetric keys can sign: a token "signed" with a public key as secret must never pass.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
// `jose` says so when the issuer does not answer, answers with an error, or with something that is no set of keys.
const ISSUER_FAULTS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);
/** As OpenID Connect has it: a subject has at most so many characters. */
const MAX_SUBJECT = 255;

/** Accepts the signed tokens of one OIDC issuer; its signing keys are fetched when first needed and when a new one appears. */
export function jwtVerifier({ issuer, audience, scopeClaim }: OidcOptions, log: Logger): Authenticate {
  type Jose = typeof import('jose');
  let opened: Promise<{ jose: Jose; keys: ReturnType<Jose['createRemoteJWKSet']> }> | undefined;

  async function open() {
    const jose = await import('jose');
    const { issuerClient, ISSUER_TIMEOUT } = await import('./issuer.ts');
    const ask = issuerClient();
    const place = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { status, text } = await ask(place, { follows: true });
    if (status < 200 || status > 299) throw new Error(`The OIDC issuer answered ${status} to the request for its configuration.`);
    const { jwks_uri } = JSON.parse(text) as { jwks_uri?: string };
    if (typeof jwks_uri !== 'string') throw new Error('The OIDC issuer names no jwks_uri in its configuration.');
    const keys = jose.createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: ISSUER_TIMEOUT,
      [jose.customFetch]: async (url, { headers }) => {
        const answer = await ask(new URL(url), { follows: false, headers: Object.fromEntries(headers) });
        return new Response(answer.text, { status: answer.status });
      },
    });
    return { jose, keys };
  }

  return async (token) => {
    if (token.split('.').length !== 3) return undefined;
    const { jose, keys } = await (opened ??= open()).catch((error: unknown) => {
      opened = undefined;
      throw unavailable('The issuer of this token cannot be asked for its signing keys at the moment.', { cause: error });
    });
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 5,
      });
      const subject = subjectOf(payload.sub);
      if (subject === undefined) {
        log.debug({ reason: 'sub is no text of 1 to 255 characters' }, 'a token of the OIDC issuer was refused');
        return undefined;
      }
      return {
        id: `${issuer}|${subject}`,
        scopes: scopesOf(payload[scopeClaim]),
        rateLimit: undefined,
        until: (payload.exp as number) * 1000,
      };
    } catch (error) {
      if (!(error instanceof jose.errors.JOSEError) || ISSUER_FAULTS.has(error.code)) {
        throw unavailable('The issuer of this token cannot be asked for its signing keys at the moment.', { cause: error });
      }
      log.debug({ reason: error.code }, 'a token of the OIDC issuer was refused');
      return undefined;
    }
  };
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
