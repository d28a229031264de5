import { list } from '../db/bulk.ts';
import { type Connection, first } from '../db/database.ts';
import { databaseTimeText } from '../db/database-time.ts';
import { isHeard } from '../db/migrate.ts';
import { integer, sql } from '../db/sql.ts';
import type { PageRequest } from '../http/paging.ts';
import { isRemembered } from './presence.ts';
import type { Role } from './role.ts';

export interface NodeRow {
  id: string;
  host: string;
  pid: number;
  role: Role;
  version: string;
  schema_version: number;
  max_runs: number;
  started_at: string;
  seen_at: string;
  clock_ahead_ms: number;
  secret_marks: string;
  admin_marks: string | null;
  /** Whether it was heard of a moment ago, by the clock that all nodes share: 1 or 0. */
  alive: number;
}

/** Nodes that are at work or were a while ago, newest first. The one that asks is alive, whatever its row says. */
export async function listNodes(db: Connection, now: number, self: string, { limit, offset, after }: PageRequest) {
  const known = sql`(${isRemembered(now)} or id = ${self})`;
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from nodes where ${known}`);
  const position = after === undefined ? sql`true` : sql`id < ${after}`;
  const rows = await db.all<NodeRow>(sql`
    select id, host, pid, role, version, schema_version, max_runs, started_at,
      case when id = ${self} then ${databaseTimeText(now)} else seen_at end as seen_at, clock_ahead_ms, secret_marks, admin_marks,
      case when id = ${self} or ${isHeard(now)} then 1 else 0 end as alive
    from nodes where ${known} and ${position} order by id desc limit ${integer(limit + 1)} offset ${offset}`);
  return { rows, total: counted?.total ?? 0 };
}

/** Whether another node that runs synchronizations was heard of a moment ago. */
export async function hasCompany(db: Connection, now: number, self: string): Promise<boolean> {
  const other = await first(
    db,
    sql`select 1 from nodes where id <> ${self} and max_runs > 0 and role <> 'api' and ${isHeard(now)} limit 1`,
  );
  return other !== undefined;
}

export interface RunOfNode {
  node: string;
  id: string;
  sync_id: string;
  started_at: string;
}

/** What these nodes run at the moment, oldest first. */
export async function runsOfNodes(db: Connection, nodes: readonly string[]): Promise<Map<string, RunOfNode[]>> {
  const rows = await db.all<RunOfNode>(sql`
    select node, id, sync_id, started_at from runs where status = 'running' and node in ${list(nodes)} order by id`);
  return Map.groupBy(rows, ({ node }) => node);
}

export interface PartOfNode {
  node: string;
  run_id: string;
  stream: string;
  part: number;
}

/** The parts of others' runs that these nodes help with. */
export async function partsOfNodes(db: Connection, nodes: readonly string[]): Promise<Map<string, PartOfNode[]>> {
  const rows = await db.all<PartOfNode>(sql`
    select node, run_id, target as stream, part from run_parts where status = 'running' and node in ${list(nodes)} order by run_id, target, part`);
  return Map.groupBy(rows, ({ node }) => node);
}
