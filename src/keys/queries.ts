import { type Connection, first } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { KeysTable } from '../db/tables.ts';
import type { PageRequest } from '../http/paging.ts';

export type KeyRow = KeysTable;

export async function findKey(db: Connection, id: string): Promise<KeyRow | undefined> {
  return first<KeyRow>(db, sql`select * from keys where id = ${id}`);
}

/** The keys that work at this time. */
export function activeKeys(db: Connection, now: string): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`select * from keys where revoked_at is null and (expires_at is null or expires_at > ${now}) order by id`);
}

/** The key that this secret opens, unless either is over at this time. */
export async function findKeyByHash(db: Connection, hash: string, now: string): Promise<KeyRow | undefined> {
  return first<KeyRow>(
    db,
    sql`select k.* from key_secrets s join keys k on k.id = s.key_id
    where s.hash = ${hash} and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${now}) and (s.expires_at is null or s.expires_at > ${now})`,
  );
}

export async function listKeys(db: Connection, { limit, offset, after }: PageRequest): Promise<{ rows: KeyRow[]; total: number }> {
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from keys`);
  const position = after === undefined ? sql`true` : sql`id < ${after}`;
  const rows = await db.all<KeyRow>(sql`select * from keys where ${position} order by id desc limit ${limit + 1} offset ${offset}`);
  return { rows, total: counted?.total ?? 0 };
}
