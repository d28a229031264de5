import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';

export interface AuditEntry {
  /** Who did it: the id of a key, the subject of a token, or the command line. */
  actor: string;
  action: string;
  object_id: string;
  details: Record<string, unknown>;
}

/** Notes an administrative change in the transaction that makes it. */
export async function recordAudit(tx: Connection, now: number, entry: AuditEntry): Promise<void> {
  const { id, time } = newId('aud', now);
  await tx.all(sql`
    insert into audit (id, at, actor, action, object_id, details)
    values (${id}, ${isoTime(time)}, ${entry.actor}, ${entry.action}, ${entry.object_id}, ${JSON.stringify(entry.details)})`);
}
