import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { SyncOfRun } from '../rows/sync-state.ts';

type EndIds = Pick<SyncOfRun, 'source_id' | 'target_id'>;

/** Any number that only we take. Claims are short; one after the other, they cannot overrun the limit of a source. */
const CLAIM_LOCK = 7_316_924_772;

export async function waitForOtherClaims(tx: Connection): Promise<void> {
  if (tx.engine === 'postgres') await tx.all(sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`);
}

/** Who is at work: runs, and those who help with a part of one, whose place counts for no key's share. Live runs have places of their own. */
export interface AtWork extends EndIds {
  readonly node: string | null;
  readonly share_of: string | null;
}

export async function allAtWork(tx: Connection): Promise<AtWork[]> {
  return tx.all<AtWork>(sql`
    select source_id, target_id, node, share_of from runs join syncs on syncs.id = runs.sync_id where runs.status = 'running' and runs.live = 0
    union all
    select source_id, target_id, null, null from run_parts join runs on runs.id = run_parts.run_id join syncs on syncs.id = runs.sync_id
    where run_parts.lease_until is not null`);
}

/** How many use each source at the moment. */
export function sourcesInUse(atWork: readonly AtWork[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const ends of atWork) use(uses, ends);
  return uses;
}

export function use(uses: Map<string, number>, { source_id, target_id }: EndIds): void {
  for (const id of new Set([source_id, target_id])) uses.set(id, (uses.get(id) ?? 0) + 1);
}

export function usesOf(uses: ReadonlyMap<string, number>, { source_id, target_id }: EndIds): number {
  return Math.max(uses.get(source_id) ?? 0, uses.get(target_id) ?? 0);
}
