import { command, type Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Actor } from '../http/caller.ts';
import { isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';

export interface AuditEntry {
  actor: Actor;
  action: string;
  object_id: string;
  details: Record<string, unknown>;
}

/** Notes an administrative change in the transaction that makes it. */
export async function recordAudit(tx: Connection, now: number, { actor, action, object_id, details }: AuditEntry): Promise<void> {
  const { id, time } = newId('aud', now);
  const told = { ...details, ...(actor.by && { by: actor.by }), ...(actor.session && { session: actor.session }) };
  await tx.all(sql`
    insert into audit (id, at, actor, action, object_id, details, address, request_id)
    values (${id}, ${isoTime(time)}, ${actor.id}, ${action}, ${object_id}, ${JSON.stringify(told)}, ${actor.address}, ${actor.request_id})`);
}

/** What was read, in a transaction of its own. */
export const recordReads = command(
  import.meta.url,
  'recordReads',
  async (tx, { now, reads }: { now: number; reads: AuditEntry[] }): Promise<void> => {
    for (const read of reads) await recordAudit(tx, now, read);
  },
);
