import { AppError } from '../../lib/errors.ts';
import { may, type Principal, type Scope } from '../scopes.ts';

/** Knows whose token this is; undefined for one that is unknown, expired or revoked: the caller must not learn which. */
export type Authenticate = (token: string) => Principal | undefined | Promise<Principal | undefined>;

const BEARER = /^Bearer +([\x21-\x7e]{1,8192}) *$/i;

export function bearerToken(header: string | undefined): string | undefined {
  // The usual spelling, without the cost of a regular expression.
  if (header?.startsWith('Bearer slk_') && header.length < 120 && !header.includes(' ', 7)) return header.slice(7);
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

export function unauthorized(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'A valid key is needed: send it as "Authorization: Bearer <key>".',
    { field: 'Authorization', reason: 'must carry a valid key' },
    { 'www-authenticate': 'Bearer' },
  );
}

/** What a browser is told whose sign-in is over. */
export function sessionEnded(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'This sign-in is over: it was ended, its time is up, or its key is not valid any more. Sign in again.',
    { field: 'Cookie', reason: 'is of a session that is over' },
    { 'www-authenticate': 'Bearer' },
  );
}

/** Throws FORBIDDEN unless the caller has the scope, or one of several. */
export function demandScope(principal: Pick<Principal, 'scopes'>, scope: Scope | readonly Scope[]): void {
  const needed: readonly Scope[] = typeof scope === 'string' ? [scope] : scope;
  if (needed.some((one) => may(principal, one))) return;
  const names = needed.join(' or ');
  throw new AppError('FORBIDDEN', `This key may not do that: it lacks the scope ${names}.`, { reason: `missing scope ${names}` });
}
