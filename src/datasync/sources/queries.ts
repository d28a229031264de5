import { type Connection, first } from '../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../db/page-bytes.ts';
import { sql } from '../../db/sql.ts';
import type { PageRequest } from '../../http/paging.ts';

export interface SourceRow {
  id: string;
  name: string;
  type: string;
  /** JSON text, with masks where secrets are. */
  config: string;
  /** Encrypted, or null when there are none. */
  secrets: string | null;
  status: 'unchecked' | 'ok' | 'failing';
  status_message: string | null;
  checked_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
}

export async function findSource(db: Connection, id: string): Promise<SourceRow | undefined> {
  return first<SourceRow>(db, sql`select * from sources where id = ${id}`);
}

export async function listSources(
  db: Connection,
  { limit: most, offset, after }: PageRequest,
): Promise<{ rows: SourceRow[]; total: number; limit: number }> {
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from sources`);
  const position = after === undefined ? sql`true` : sql`id < ${after}`;
  const page = (count: number) => sql`where ${position} order by id desc limit ${count} offset ${offset}`;
  const limit = await rowsThatFit(db, sql`select ${bytesOf('config', 'secrets')} as bytes from sources ${page(most)}`, most);
  const rows = await db.all<SourceRow>(sql`select * from sources ${page(limit + 1)}`);
  return { rows, total: counted?.total ?? 0, limit };
}

/** The synchronizations that read from or write to a source. */
export async function syncsOf(db: Connection, sourceId: string): Promise<{ id: string; name: string }[]> {
  return db.all(sql`select id, name from syncs where source_id = ${sourceId} or target_id = ${sourceId} order by id limit 100`);
}

export async function allSources(db: Connection): Promise<SourceRow[]> {
  return db.all(sql`select * from sources order by id`);
}
