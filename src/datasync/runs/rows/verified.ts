import { hash } from 'node:crypto';
import { bulk } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { ProofResult, StreamReport } from '../../../engine/run.ts';
import { appendEvents } from '../../../events/append.ts';
import { intervalOf } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import { isProof, onlyReads } from './run-modes.ts';
import { reportsOf, type RunRow } from './run-row.ts';
import { definitionOf } from './stored-definition.ts';
import type { SyncOfRun } from './sync-state.ts';

/** What a run has found of all its streams together. */
export interface RunProof {
  readonly result: ProofResult;
  readonly rows: number;
  /** Of several streams: the digest of their digests. */
  readonly digest: string;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
}

/** What is known of a synchronization since its streams were compared last. */
export interface Verified extends RunProof {
  readonly at: string;
  readonly run_id: string;
  /** What was written since then, so that nobody knows whether it still holds; null while it is the last that is known. */
  readonly since: WrittenSince | null;
}

/** What has written to the target after both ends were compared. */
interface WrittenSince {
  readonly at: string;
  readonly by: 'run' | 'undo';
  /** The run that has written, or that was undone. */
  readonly run_id: string;
}

/** What differed and was written since is compared again by itself, so long after it was the last time. */
export const CHECK_AGAIN = 3_600_000;

/** Null when a stream was not compared. */
export function proofOfRun(reports: readonly StreamReport[]): RunProof | null {
  const proofs = reports.flatMap(({ target, proof }) => (proof ? [{ target, ...proof }] : []));
  const [first] = proofs;
  if (!first || proofs.length < reports.length) return null;
  const sum = (name: 'rows' | 'missing' | 'extra' | 'different'): number => proofs.reduce((total, proof) => total + proof[name], 0);
  const has = (result: ProofResult): boolean => proofs.some((proof) => proof.result === result);
  const digests = proofs.map(({ target, digest }) => `${target}\t${digest}\n`).sort();
  return {
    result: has('differs') ? 'differs' : has('changing') ? 'changing' : 'equal',
    rows: sum('rows'),
    digest: proofs.length === 1 ? first.digest : hash('sha256', digests.join('')),
    missing: sum('missing'),
    extra: sum('extra'),
    different: sum('different'),
  };
}

/** Keeps what a run has found when it has compared all streams, and tells of it. */
export async function noteProof(tx: Connection, now: number, sync: SyncOfRun, run: RunRow): Promise<void> {
  const isOver = run.status === 'succeeded' || run.status === 'partial';
  const proof = isProof(run.mode) && run.streams === null && isOver ? proofOfRun(reportsOf(run)) : null;
  if (!proof) return;
  const at = isoTime(now);
  const verified: Verified = { at, ...proof, run_id: run.id, since: null };
  await tx.all(sql`update sync_state set verified = ${JSON.stringify(verified)} where sync_id = ${sync.id}`);
  const data = JSON.stringify({ id: sync.id, name: sync.name, verified });
  await appendEvents(tx, 'syncs', [{ type: 'sync.verified', objectId: sync.id, at, data }], {});
}

/** What was found of a synchronization when its streams were compared last. Of an older version it has no `since`. */
export function readVerified(verified: string | null): Verified | null {
  return verified === null ? null : { since: null, ...(JSON.parse(verified) as Omit<Verified, 'since'> & Partial<Verified>) };
}

/**
 * A run that has written may have mended what differed: then that is no longer known, and both ends are compared again soon. What is live is
 * not mended by going on. That both ends were equal, runs do not put in doubt; they may make good what an undo has.
 */
export async function doubtAfterRun(tx: Connection, now: number, sync: SyncOfRun, run: RunRow): Promise<void> {
  const isOver = run.status === 'succeeded' || run.status === 'partial';
  const hasWritten = run.inserted + run.updated + run.deleted > 0;
  if (!isOver || !hasWritten || sync.live !== 0 || onlyReads(run.mode)) return;
  const verified = readVerified(sync.verified);
  // A repair of all streams has looked itself.
  if (!verified || (isProof(run.mode) && run.streams === null)) return;
  if (verified.since === null ? verified.result === 'equal' : verified.since.by === 'run') return;
  await setSince(tx, sync.id, verified, { at: isoTime(now), by: 'run', run_id: run.id });
  const again = isoTime(Math.max(now, Date.parse(verified.at) + CHECK_AGAIN));
  if (sync.verify_at === null || sync.verify_at > again) await setNextVerify(tx, [{ syncId: sync.id, at: again }]);
}

/** To take a run back makes the target another than the source on purpose: whatever was found, it is not known any more. */
export async function doubtAfterUndo(tx: Connection, now: number, sync: SyncOfRun, runId: string): Promise<void> {
  const verified = readVerified(sync.verified);
  if (verified) await setSince(tx, sync.id, verified, { at: isoTime(now), by: 'undo', run_id: runId });
}

async function setSince(tx: Connection, syncId: string, verified: Verified, since: WrittenSince): Promise<void> {
  await tx.all(sql`update sync_state set verified = ${JSON.stringify({ ...verified, since })} where sync_id = ${syncId}`);
}

/** When the streams of a synchronization are compared by themselves, after a moment; null when they are not. */
export function nextVerify(sync: { readonly definition: string }, now: number): string | null {
  const every = intervalOf(definitionOf(sync).verify?.every ?? '');
  return every === undefined ? null : isoTime(now + every);
}

export async function setNextVerify(tx: Connection, next: readonly { syncId: string; at: string | null }[]): Promise<void> {
  const rows = next.map(({ syncId, at }) => [syncId, at]);
  await tx.all(sql`
    update sync_state set verify_at = input.next from ${bulk({ id: 'text', next: 'text' }, rows)} as input where sync_state.sync_id = input.id`);
}
