import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../lib/secrets.ts';

/** So long a person may take at the issuer. */
export const PENDING_SECONDS = 600;
/** What the seal is bound to: nothing else that is encrypted here passes for one. */
const PLACE = 'oidc-sign-in';

/** A sign-in that has begun, as the browser keeps it, sealed, until it comes back: so any node can end it, and strangers fill no table. */
export interface Pending {
  state: string;
  nonce: string;
  /** The secret of PKCE: a thief who has the code alone can do nothing with it. */
  verifier: string;
  /** A path of our own page. */
  returnTo: string;
  begun: number;
  /** The hash of the token of the session that the browser had. The cookie of it is not sent when it comes back from another site. */
  replaces?: string | undefined;
}

export function newPending(begun: number, returnTo: string, replaces: string | undefined): Pending {
  const random = (): string => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), verifier: random(), returnTo, begun, replaces };
}

export function sealPending(keyring: Keyring, pending: Pending): string {
  return keyring.encrypt(JSON.stringify(pending), PLACE);
}

/** Undefined for what we have not sealed, and for what is too old. */
export function openPending(keyring: Keyring, sealed: string | undefined, now: number): Pending | undefined {
  if (sealed === undefined) return undefined;
  try {
    const pending = JSON.parse(keyring.decrypt(sealed, PLACE)) as Pending;
    return now - pending.begun < PENDING_SECONDS * 1000 ? pending : undefined;
  } catch {
    return undefined;
  }
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function isSameText(one: string, other: unknown): boolean {
  if (typeof other !== 'string') return false;
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const NOWHERE = 'http://page.invalid';
const MAX_PATH = 2000;

/** Where on our own page to go on; its beginning, unless it is clearly a path of the page. */
export function ownPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_PATH || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)) return '/';
  const url = URL.parse(given, NOWHERE);
  if (url?.origin !== NOWHERE || /^\/(api|sign-in)(\/|$)/i.test(url.pathname) || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}
