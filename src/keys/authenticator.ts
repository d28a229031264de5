import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Authenticate } from '../http/callers/auth.ts';
import { sessionTokenOf } from '../http/callers/session-cookie.ts';
import { type Principal, SCOPES, type Scope } from '../http/scopes.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { recordKeyUse } from './commands.ts';
import { hashOf, isWellFormed } from './format.ts';
import { findKeyByHash } from './queries.ts';
import { recordSessionUse } from './sessions/commands.ts';
import { findSession, IDLE_TIME } from './sessions/queries.ts';

/** How long a verdict about a token may be reused: a revocation holds on every node after this, even when no hint comes through. */
const VERDICT_LIFETIME = 900;
const MAX_VERDICTS = 10_000;
/** A client with wrong keys sends ever new ones, so few are worth remembering; and never in the place of right ones. */
const MAX_REFUSED = 1_000;
const USE_INTERVAL = 10_000;
/** So much earlier than it was used a session may say that it was: a page that is open asks all the time. */
const SESSION_USE_STEP = 5 * 60_000;

/** What the operator's own key is called. */
const OPERATOR = 'operator';

interface Verdict {
  principal: Principal | undefined;
  /** By the clock that nobody can set back. */
  until: number;
}

export interface Authenticator {
  authenticate: Authenticate;
  /** Forgets what it knows: a key may have been revoked, here or on another node. */
  forget(): void;
  /** Writes down when keys were last used. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  /** The operator's own key, from the environment. */
  adminKey: string | undefined;
  /** Knows the tokens of an OIDC issuer, when one is configured. */
  verifyJwt: Authenticate | undefined;
  /** Its name: callers that it vouches for are called by it. */
  issuer: string | undefined;
}

/** Tells whose token a request carries. No request pays for hashing and a query twice: verdicts are kept for a moment. */
export function createAuthenticator({ db, clock, log, adminKey, verifyJwt, issuer }: AuthenticatorOptions): Authenticator {
  const verdicts = new Map<string, Verdict>();
  const refused = new Map<string, Verdict>();
  const underWay = new Map<string, Promise<Principal | undefined>>();
  const used = new Map<string, number>();
  const operator = adminKey === undefined ? undefined : Buffer.from(hashOf(adminKey));
  let generation = 0;

  const authenticate: Authenticate = (token) => {
    const verdict = verdicts.get(token) ?? refused.get(token);
    if (verdict && verdict.until > performance.now()) return verdict.principal;
    const running = underWay.get(token);
    if (running) return running;
    const asked = generation;
    const answer = judge(token).then((principal) => {
      if (asked === generation) remember(token, principal);
      return principal;
    });
    underWay.set(token, answer);
    return answer.finally(() => underWay.delete(token));
  };

  async function judge(token: string): Promise<Principal | undefined> {
    const session = sessionTokenOf(token);
    if (session !== undefined) return judgeSession(session);
    // First, as the operator's key may look like one of ours: one that another installation made.
    if (operator && timingSafeEqual(operator, Buffer.from(hashOf(token)))) {
      return { id: OPERATOR, scopes: new Set(SCOPES), rateLimit: undefined };
    }
    // The checksum costs little; what is no key of ours is neither hashed nor looked up.
    if (isWellFormed(token)) {
      const now = clock();
      const row = await findKeyByHash(db.read, hashOf(token), isoTime(now));
      if (!row) return undefined;
      used.set(row.id, now);
      return { id: row.id, scopes: new Set(JSON.parse(row.scopes) as Scope[]), rateLimit: row.rate_limit ?? undefined };
    }
    return verifyJwt?.(token);
  }

  /** The caller that signed in, for as long as the key would let it in that it signed in with. */
  async function judgeSession(token: string): Promise<Principal | undefined> {
    const now = clock();
    const times = { now: isoTime(now), idleSince: isoTime(now - IDLE_TIME) };
    const row = await findSession(db.read, hashOf(token), times);
    if (!row) return undefined;
    const session = row.id;
    const use = (): void => {
      if (now - Date.parse(row.last_used_at) < SESSION_USE_STEP) return;
      db.write(recordSessionUse, { id: session, at: times.now }).catch((error: unknown) =>
        log.warn({ err: error }, 'could not write down when a session was last used'),
      );
    };
    if (row.key_id !== null && row.key_id === row.caller) {
      use();
      used.set(row.key_id, now);
      const scopes = new Set(JSON.parse(row.key_scopes as string) as Scope[]);
      return { id: row.key_id, scopes, rateLimit: row.rate_limit ?? undefined, session };
    }
    const isOperator = operator !== undefined && row.key_hash !== null && timingSafeEqual(operator, Buffer.from(row.key_hash));
    if (isOperator && row.caller === OPERATOR) {
      use();
      return { id: OPERATOR, scopes: new Set(SCOPES), rateLimit: undefined, session };
    }
    // An issuer that is not trusted any more vouches for nobody.
    if (row.scopes === null || issuer === undefined || !row.caller.startsWith(`${issuer}|`)) return undefined;
    use();
    return { id: row.caller, scopes: new Set(JSON.parse(row.scopes) as Scope[]), rateLimit: undefined, session };
  }

  function remember(token: string, principal: Principal | undefined): void {
    const [kept, most] = principal ? [verdicts, MAX_VERDICTS] : [refused, MAX_REFUSED];
    if (kept.size >= most) kept.clear();
    kept.set(token, { principal, until: performance.now() + VERDICT_LIFETIME });
  }

  async function flush(): Promise<void> {
    const uses = [...used].map(([id, at]) => ({ id, at: isoTime(at) }));
    used.clear();
    if (uses.length > 0) await db.write(recordKeyUse, uses);
  }

  const timer = setInterval(() => {
    flush().catch((error: unknown) => log.warn({ err: error }, 'could not write down when keys were last used'));
  }, USE_INTERVAL).unref();

  return {
    authenticate,
    forget: () => {
      generation++;
      verdicts.clear();
      refused.clear();
      underWay.clear();
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
