import { type Connection, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';

/** A sign-in of a browser, as its owner is shown it. */
export interface SessionRow {
  id: string;
  address: string | null;
  created_at: string;
  expires_at: string;
  last_used_at: string;
}

/** What it takes to tell whom a session lets in: the key behind it, unless that is over, and what was kept of a token. */
export interface FoundSession {
  id: string;
  caller: string;
  last_used_at: string;
  key_hash: string | null;
  /** JSON of a token's scopes; null where a key is behind it. */
  scopes: string | null;
  key_id: string | null;
  key_scopes: string | null;
  rate_limit: number | null;
}

/** Without a request for so long, a session is over. */
export const IDLE_TIME = 24 * 3_600_000;

/** By when a session must have been used, and from when it must not be over. Both by the database's clock, as all nodes must agree. */
export interface SessionTimes {
  now: string;
  idleSince: string;
}

export async function findSession(db: Connection, hash: string, { now, idleSince }: SessionTimes): Promise<FoundSession | undefined> {
  return first<FoundSession>(
    db,
    sql`select s.id, s.caller, s.last_used_at, s.key_hash, s.scopes, k.id as key_id, k.scopes as key_scopes, k.rate_limit
    from sessions s
    left join key_secrets c on c.hash = s.key_hash and (c.expires_at is null or c.expires_at > ${now})
    left join keys k on k.id = c.key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
    where s.hash = ${hash} and s.expires_at > ${now} and s.last_used_at > ${idleSince}`,
  );
}

/** The open sessions of a caller, newest first. */
export function sessionsOf(db: Connection, caller: string, { now, idleSince }: SessionTimes): Promise<SessionRow[]> {
  return db.all<SessionRow>(sql`
    select id, address, created_at, expires_at, last_used_at from sessions
    where caller = ${caller} and expires_at > ${now} and last_used_at > ${idleSince} order by id desc`);
}
