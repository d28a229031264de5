import { hash } from 'node:crypto';
import { bulk } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { ProofMode, ProofResult, RunMode, StreamReport } from '../../../engine/run.ts';
import { appendEvents } from '../../../events/append.ts';
import { intervalOf } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
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
}

const PROOF_MODES: readonly RunMode[] = ['verify', 'repair', 'repair_preview'] satisfies ProofMode[];

export function isProof(mode: RunMode): boolean {
  return PROOF_MODES.includes(mode);
}

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
  const verified: Verified = { at, ...proof, run_id: run.id };
  await tx.all(sql`update sync_state set verified = ${JSON.stringify(verified)} where sync_id = ${sync.id}`);
  const data = JSON.stringify({ id: sync.id, name: sync.name, verified });
  await appendEvents(tx, 'syncs', [{ type: 'sync.verified', objectId: sync.id, at, data }], {});
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
