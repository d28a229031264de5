import { command, type Connection, first } from '../db/database.ts';
import { databaseTimeText } from '../db/database-time.ts';
import { demandKnown, isHeard, lockSchema, SCHEMA_VERSION } from '../db/migrate.ts';
import { byEngine, type Sql, sql } from '../db/sql.ts';
import type { Role } from './role.ts';
import { demandSameSecretKey, type Marks } from './shared-keys.ts';

/** How long a node that was killed is still told of. */
const FORGOTTEN_AFTER = 3_600_000;

/** What a node says about itself. */
export interface Presence extends Marks {
  id: string;
  host: string;
  pid: number;
  role: Role;
  version: string;
  maxRuns: number;
  /** The room for its data directory, in bytes; null when nobody knows. */
  disk: DiskRoom | null;
}

export interface DiskRoom {
  free: number;
  size: number;
}

type Neighbour = Marks & { id: string; host: string };

interface Joined {
  startedAt: string;
  /** Who is at work beside it. */
  neighbours: Neighbour[];
}

/** Whether a node is at work or was a while ago. */
export function isRemembered(now: number): Sql {
  return sql`(seen_at > ${databaseTimeText(now, FORGOTTEN_AFTER)} and seen_at < ${databaseTimeText(now, -FORGOTTEN_AFTER)})`;
}

/**
 * A node comes. Nobody changes the schema at this moment, so that neither a step that it cannot work with nor a node with
 * other keys slips by.
 */
export const joinNode = command(import.meta.url, 'joinNode', async (tx, input: { now: number; node: Presence }): Promise<Joined> => {
  const { now, node } = input;
  await lockSchema(tx);
  await demandKnown(tx);
  // SQLite has one node: another one in the table was killed.
  const over = tx.engine === 'sqlite' ? sql`true` : sql`not ${isRemembered(now)}`;
  await tx.all(sql`delete from nodes where ${over}`);
  const rows = await tx.all<{ id: string; host: string; secret_marks: string; admin_marks: string | null }>(sql`
    select id, host, secret_marks, admin_marks from nodes where ${isHeard(now)} order by id`);
  const neighbours = rows.map(({ id, host, ...marks }) => ({ id, host, ...marksOf(marks) }));
  demandSameSecretKey(node, neighbours);
  const stored = await tell(tx, now, node, undefined);
  return { startedAt: stored?.started_at ?? '', neighbours };
});

/** A node tells that it is alive. It hears from which schema on nodes can go on, and how many nodes run synchronizations. */
export const beatNode = command(
  import.meta.url,
  'beatNode',
  async (tx, { now, node, startedAt }: { now: number; node: Presence; startedAt: string }): Promise<NodeReport | undefined> =>
    tell(tx, now, node, startedAt),
);

/** A node goes and need not be waited for. */
export const leaveNode = command(import.meta.url, 'leaveNode', async (tx, id: string): Promise<void> => {
  await tx.all(sql`delete from nodes where id = ${id}`);
});

export interface NodeReport {
  started_at: string;
  newest: number;
  needs: number | null;
  workers: number;
}

/** One statement, as every node makes it every few seconds. It also brings back one who was given up and forgotten. */
async function tell(tx: Connection, now: number, node: Presence, startedAt: string | undefined): Promise<NodeReport | undefined> {
  const ahead = byEngine((engine) =>
    engine === 'sqlite' ? sql`0` : sql`${now}::bigint - floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  );
  return first<NodeReport>(
    tx,
    sql`
    insert into nodes (id, host, pid, role, version, schema_version, max_runs, started_at, seen_at, clock_ahead_ms, secret_marks, admin_marks, disk_free, disk_size)
    values (${node.id}, ${node.host}, ${node.pid}, ${node.role}, ${node.version}, ${SCHEMA_VERSION}, ${node.maxRuns},
      ${startedAt ?? databaseTimeText(now)}, ${databaseTimeText(now)}, ${ahead}, ${JSON.stringify(node.secretMarks)},
      ${node.adminMarks && JSON.stringify(node.adminMarks)}, ${node.disk && node.disk.free}, ${node.disk && node.disk.size})
    on conflict (id) do update set seen_at = excluded.seen_at, clock_ahead_ms = excluded.clock_ahead_ms, disk_free = excluded.disk_free,
      disk_size = excluded.disk_size
    returning started_at, (select max(number) from migrations) as newest, (select max(needs) from migrations) as needs,
      (select count(*) from nodes where role <> 'api' and max_runs > 0 and ${isHeard(now)}) as workers`,
  );
}

/** Marks as they are kept. */
export function marksOf({ secret_marks, admin_marks }: { secret_marks: string; admin_marks: string | null }): Marks {
  return {
    secretMarks: JSON.parse(secret_marks) as string[],
    adminMarks: admin_marks === null ? null : (JSON.parse(admin_marks) as string[]),
  };
}
