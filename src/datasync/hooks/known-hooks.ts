import type { Database } from '../../db/database.ts';
import type { Principal } from '../../http/scopes.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { type Keyring, SecretError } from '../../lib/secrets.ts';
import { findHookByToken, type HookRow, type HookSecret } from './queries.ts';
import type { SchemeName } from './schemes.ts';
import { isToken, tokenHash } from './token.ts';

/** How long a hook that was looked up is known: a change holds on every node after this, even when no hint comes through. */
const LIFETIME = 900;
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 1_000;
/** The most secrets that count at a time: the last ones. */
export const MOST_SECRETS = 3;

/** A hook that a request has come to. It may do nothing but be called. */
export interface CalledHook extends Principal {
  readonly scheme: SchemeName;
  readonly header: string | null;
  /** Undefined when this node lacks the key that they are encrypted with. */
  readonly secrets: readonly HookSecret[] | undefined;
}

/** Knows the hooks by their tokens. No call pays for a query and for opening secrets twice within a moment. */
export interface KnownHooks {
  open(token: string): CalledHook | undefined | Promise<CalledHook | undefined>;
  /** Forgets what it knows: a hook was changed, here or on another node. */
  forget(): void;
}

export function createKnownHooks({ db, clock, keyring }: { db: Database; clock: Clock; keyring: Keyring }): KnownHooks {
  const known = new Map<string, { called: CalledHook | undefined; until: number }>();
  const unknown: typeof known = new Map();
  const underWay = new Map<string, Promise<CalledHook | undefined>>();
  let generation = 0;

  const look = async (token: string): Promise<CalledHook | undefined> => {
    const asked = generation;
    const row = isToken(token) ? await findHookByToken(db.read, tokenHash(token), isoTime(clock())) : undefined;
    const called = row && calledHook(row, keyring);
    if (asked === generation) {
      const [kept, most] = called ? [known, MAX_KNOWN] : [unknown, MAX_UNKNOWN];
      if (kept.size >= most) kept.clear();
      kept.set(token, { called, until: performance.now() + LIFETIME });
    }
    return called;
  };
  return {
    open: (token) => {
      const found = known.get(token) ?? unknown.get(token);
      if (found && found.until > performance.now()) return found.called;
      const running = underWay.get(token) ?? look(token).finally(() => underWay.delete(token));
      underWay.set(token, running);
      return running;
    },
    forget: () => {
      generation++;
      known.clear();
      unknown.clear();
      underWay.clear();
    },
  };
}

function calledHook(row: HookRow, keyring: Keyring): CalledHook {
  const { id, scheme, header } = row;
  return { id, scopes: new Set(), rateLimit: undefined, scheme, header, secrets: readableSecrets(keyring, row) };
}

function readableSecrets(keyring: Keyring, row: HookRow): HookSecret[] | undefined {
  try {
    return openSecrets(keyring, row);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return undefined;
  }
}

/** The secrets of a hook, the current one last. Throws a SecretError when the key is not there. */
export function openSecrets(keyring: Keyring, { id, secrets }: Pick<HookRow, 'id' | 'secrets'>): HookSecret[] {
  return secrets === null ? [] : (JSON.parse(keyring.decrypt(secrets, id)) as HookSecret[]);
}

export function sealSecrets(keyring: Keyring, id: string, secrets: readonly HookSecret[]): string | null {
  return secrets.length === 0 ? null : keyring.encrypt(JSON.stringify(secrets), id);
}

/** Those that count at this moment. With each of them the whole body is looked at, before it is known who sent it. */
export function validSecrets(secrets: readonly HookSecret[], now: string): string[] {
  return secrets.flatMap(({ secret, expires_at }) => (expires_at === null || expires_at > now ? [secret] : [])).slice(-MOST_SECRETS);
}
