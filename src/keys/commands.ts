import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { recordAudit } from '../audit/record.ts';
import { command, type Connection } from '../db/database.ts';
import { demandFreeName, freeName } from '../db/free-names.ts';
import { forUpdate, sql } from '../db/sql.ts';
import { type Actor, actorCalled } from '../http/caller.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashOf, newSecret } from './format.ts';
import { findKey, type KeyRow } from './queries.ts';

interface Change {
  /** Who asks for it. */
  actor: Actor;
  now: number;
}

export interface KeyWithSecret extends KeyRow {
  /** The secret itself; nobody can show it again. */
  key: string;
}

export interface NewKey extends Change {
  name: string;
  scopes: Scope[];
  rate_limit: number | null;
  expires_at: string | null;
}

export const createKey = command(import.meta.url, 'createKey', async (tx, input: NewKey): Promise<KeyWithSecret> => {
  const { id, time } = newId('key', input.now);
  await demandFreeName(tx, 'keys', input.name, id);
  const row: KeyRow = {
    id,
    name: input.name,
    scopes: JSON.stringify(input.scopes),
    rate_limit: input.rate_limit,
    created_at: isoTime(time),
    expires_at: input.expires_at,
    revoked_at: null,
    last_used_at: null,
  };
  await tx.all(sql`
    insert into keys (id, name, scopes, rate_limit, created_at, expires_at)
    values (${row.id}, ${row.name}, ${row.scopes}, ${row.rate_limit}, ${row.created_at}, ${row.expires_at})`);
  const key = await addSecret(tx, row, row.created_at);
  await recordAudit(tx, input.now, {
    actor: input.actor,
    action: 'key.created',
    object_id: id,
    details: { name: input.name, scopes: input.scopes, expires_at: input.expires_at },
  });
  return { ...row, key };
});

/** A new secret for the same key; the present ones work until the overlap is over. */
export const rotateKey = command(
  import.meta.url,
  'rotateKey',
  async (tx, input: Change & { id: string; overlapSeconds: number }): Promise<KeyWithSecret> => {
    const row = await findKey(tx, input.id);
    const now = isoTime(input.now);
    if (!row || row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now)) throw notFound('active key', input.id);
    const until = isoTime(input.now + input.overlapSeconds * 1000);
    await tx.all(sql`
    update key_secrets set expires_at = ${until} where key_id = ${input.id} and (expires_at is null or expires_at > ${until})`);
    const key = await addSecret(tx, row, now);
    await recordAudit(tx, input.now, {
      actor: input.actor,
      action: 'key.rotated',
      object_id: input.id,
      details: { previous_valid_until: until },
    });
    return { ...row, key };
  },
);

export interface ChangedKey extends Change {
  id: string;
  scopes: Scope[];
  rate_limit: number | null;
  expires_at: string | null;
}

/** What a key may do, from now on. Its secret stays. */
export const changeKey = command(import.meta.url, 'changeKey', async (tx, input: ChangedKey): Promise<KeyRow> => {
  const [row] = await tx.all<KeyRow>(sql`select * from keys where id = ${input.id} and revoked_at is null ${forUpdate}`);
  if (!row) throw notFound('active key', input.id);
  const { scopes, rate_limit, expires_at } = input;
  const changed: KeyRow = { ...row, scopes: JSON.stringify(scopes), rate_limit, expires_at };
  await tx.all(sql`
    update keys set scopes = ${changed.scopes}, rate_limit = ${rate_limit}, expires_at = ${expires_at} where id = ${input.id}`);
  await recordAudit(tx, input.now, {
    actor: input.actor,
    action: 'key.changed',
    object_id: input.id,
    details: { name: row.name, scopes, rate_limit, expires_at },
  });
  return changed;
});

export const revokeKey = command(import.meta.url, 'revokeKey', async (tx, input: Change & { id: string }): Promise<KeyRow> => {
  const row = await findKey(tx, input.id);
  if (!row) throw notFound('key', input.id);
  if (row.revoked_at !== null) return row;
  const revoked_at = isoTime(input.now);
  await tx.all(sql`update keys set revoked_at = ${revoked_at} where id = ${input.id}`);
  await recordAudit(tx, input.now, { actor: input.actor, action: 'key.revoked', object_id: input.id, details: { name: row.name } });
  return { ...row, revoked_at };
});

/** Makes an admin key when there is none that works, so that a new or locked-out installation can be entered, and keeps it in a file. */
export const ensureAdminKey = command(
  import.meta.url,
  'ensureAdminKey',
  async (tx, { now, file }: { now: number; file: string }): Promise<KeyWithSecret | undefined> => {
    const time = isoTime(now);
    // Nodes that start together take turns here.
    await tx.all(sql`update counters set n = n where name = 'events'`);
    const keys = await tx.all<KeyRow>(sql`select * from keys where revoked_at is null`);
    const usable = keys.some(
      (row) => (row.expires_at === null || row.expires_at > time) && (JSON.parse(row.scopes) as Scope[]).includes('admin'),
    );
    if (usable) return undefined;
    const made = await createKey.run(tx, {
      actor: actorCalled('first start'),
      now,
      name: await freeName(tx, 'keys', 'admin'),
      scopes: ['admin'],
      rate_limit: null,
      expires_at: null,
    });
    // Before the commit: a key that is stored and that nobody knows would keep the next start from making another.
    keepKey(file, made.key);
    return made;
  },
);

function keepKey(file: string, key: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A file that is there already, from a database that is gone, would keep its own mode.
    rmSync(file, { force: true });
    writeFileSync(file, `${key}\n`, { mode: 0o600, flush: true });
  } catch (error) {
    throw new Error(
      `The admin key cannot be kept in ${dirname(file)}: ${(error as Error).message}. Make it writable, or set SYNCLINE_ADMIN_KEY.`,
      { cause: error },
    );
  }
}

/** When keys were last used, told now and then for all of them at once. */
export const recordKeyUse = command(import.meta.url, 'recordKeyUse', async (tx, uses: { id: string; at: string }[]): Promise<void> => {
  for (const { id, at } of uses) {
    await tx.all(sql`update keys set last_used_at = ${at} where id = ${id} and (last_used_at is null or last_used_at < ${at})`);
  }
});

async function addSecret(tx: Connection, row: KeyRow, createdAt: string): Promise<string> {
  const key = newSecret(row.id);
  await tx.all(sql`insert into key_secrets (hash, key_id, created_at) values (${hashOf(key)}, ${row.id}, ${createdAt})`);
  return key;
}
