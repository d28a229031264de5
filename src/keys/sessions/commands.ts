import { recordAudit } from '../../audit/record.ts';
import { command } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Actor } from '../../http/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { newId, randomText } from '../../lib/ids.ts';
import { hashOf } from '../format.ts';
import type { SessionRow } from './queries.ts';

/** Of one caller. One more ends the oldest: a caller that signs in again and again does not fill the database. */
const MOST_SESSIONS = 100;
const TOKEN_LENGTH = 52;

interface Change {
  actor: Actor;
  now: number;
}

export interface NewSession extends Change {
  /** The hash of the key's secret; null for a token of an issuer. */
  key_hash: string | null;
  /** JSON of a token's scopes; null for a key, whose scopes may change. */
  scopes: string | null;
  expires: number;
  /** The hash of the token that the browser had before, if it had one: that session is over. */
  replaces: string | undefined;
  /** Set where a person has signed in at an issuer, and brought no token of their own. */
  way?: 'oidc';
}

export interface SessionWithToken extends SessionRow {
  /** For the cookie; nobody can tell it again. */
  token: string;
}

export const createSession = command(import.meta.url, 'createSession', async (tx, input: NewSession): Promise<SessionWithToken> => {
  const { actor, key_hash, scopes, replaces, way } = input;
  const { id, time } = newId('ses', input.now);
  const token = `sls_${randomText(TOKEN_LENGTH)}`;
  const at = isoTime(time);
  const row: SessionRow = { id, address: actor.address, created_at: at, expires_at: isoTime(input.expires), last_used_at: at };
  if (replaces !== undefined) await tx.all(sql`delete from sessions where hash = ${replaces}`);
  await tx.all(sql`
    insert into sessions (id, hash, caller, key_hash, scopes, address, created_at, expires_at, last_used_at)
    values (${id}, ${hashOf(token)}, ${actor.id}, ${key_hash}, ${scopes}, ${row.address}, ${at}, ${row.expires_at}, ${at})`);
  await tx.all(sql`
    delete from sessions where caller = ${actor.id} and id not in (
      select id from sessions where caller = ${actor.id} order by id desc limit ${MOST_SESSIONS})`);
  await recordAudit(tx, input.now, {
    actor,
    action: 'session.created',
    object_id: id,
    details: { expires_at: row.expires_at, ...(way && { way }) },
  });
  return { ...row, token };
});

/** Ends one of the caller's own sessions; answers how many there were: one, or none that was still there. */
export const endSession = command(
  import.meta.url,
  'endSession',
  async (tx, { actor, now, id }: Change & { id: string }): Promise<number> => {
    const ended = await tx.all<{ id: string }>(sql`delete from sessions where id = ${id} and caller = ${actor.id} returning id`);
    if (ended.length > 0) await recordAudit(tx, now, { actor, action: 'session.ended', object_id: id, details: {} });
    return ended.length;
  },
);

/** Ends all sessions of the caller; answers how many there were. */
export const endSessions = command(import.meta.url, 'endSessions', async (tx, { actor, now }: Change): Promise<number> => {
  const ended = await tx.all<{ id: string }>(sql`delete from sessions where caller = ${actor.id} returning id`);
  if (ended.length > 0)
    await recordAudit(tx, now, { actor, action: 'session.ended_all', object_id: actor.id, details: { ended: ended.length } });
  return ended.length;
});

/** When a session was last used; told now and then. */
export const recordSessionUse = command(
  import.meta.url,
  'recordSessionUse',
  async (tx, { id, at }: { id: string; at: string }): Promise<void> => {
    await tx.all(sql`update sessions set last_used_at = ${at} where id = ${id} and last_used_at < ${at}`);
  },
);

/** Removes sessions whose time is up. */
export const forgetSessions = command(
  import.meta.url,
  'forgetSessions',
  async (tx, { now, idleSince, most }: { now: string; idleSince: string; most: number }): Promise<number> => {
    const gone = await tx.all<{ id: string }>(sql`
      delete from sessions where id in (
        select id from sessions where expires_at <= ${now} or last_used_at <= ${idleSince} limit ${most}) returning id`);
    return gone.length;
  },
);
