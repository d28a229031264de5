import type { Stream } from '../../connectors/contract.ts';
import { abilitiesOf } from '../ends.ts';
import { at } from '../failure.ts';
import { objection } from '../guard.ts';
import type { ChangeSample, ProofSample, StreamChanges } from '../run.ts';
import { copyStream } from '../stream.ts';
import { type StreamWork, targetOf } from '../stream-work.ts';
import { proveByLedger } from './by-ledger.ts';
import { compareEnds, type Findings, lookOnce, proofOf } from './prove.ts';
import { demandReadable } from './verify.ts';
import { writeDifferences } from './write-differences.ts';

/** Writes the rows that differ, and no others; then they are compared again. Under the guard, as a mirror is. */
export async function repairStream(work: StreamWork, target: Stream | undefined): Promise<void> {
  const { plan, report, ports } = work;
  if (plan.isDelivered) await repairByLedger(work);
  else {
    demandReadable(work, target);
    await repairRows(work, target);
  }
  ports.progress(plan.index, report);
}

/** What such a target has accepted is known row by row: a run sends just what differs. */
async function repairByLedger(work: StreamWork): Promise<void> {
  const { report, order } = work;
  const began = performance.now();
  report.proof = await proveByLedger(work, began);
  const { missing: inserted, different: updated, extra: deleted, rows } = report.proof;
  const changes = { inserted, updated, deleted, unchanged: rows - inserted - updated, samples: report.proof.samples.map(changeOf) };
  if (report.proof.result === 'equal' || order.mode === 'repair_preview') return succeed(work, changes);
  await copyStream(work);
  if (report.status !== 'needs_approval') report.proof = await proveByLedger(work, began);
}

async function repairRows(work: StreamWork, target: Stream | undefined): Promise<void> {
  const { report, order, state, plan } = work;
  const began = performance.now();
  const findings = await compareEnds(work, target);
  report.proof = proofOf(findings, began);
  const changes = changesOf(findings, report.proof.samples);
  const isNothing = changes.inserted + changes.updated + changes.deleted === 0;
  if (isNothing || order.mode === 'repair_preview') return succeed(work, changes);
  const { samples: _, ...counts } = changes;
  const refusal = objection(order.definition.guard, {
    target: plan.write.stream,
    changes: counts,
    read: findings.rows,
    rowsBefore: state.rows,
  });
  if (refusal && !order.approved) {
    Object.assign(report, { status: 'needs_approval', error: refusal, changes: counts });
    return;
  }
  if (!target || !canWriteRows(work)) return repairWhole(work, target, began);
  await writeDifferences(work, target, findings);
  const { shape, suspects, known, arrival } = findings;
  // What the target lacked of the fields was added when it was written to.
  const isWhole = plan.write.fields.every(({ name }) => target.fields.some((field) => field.name === name));
  await lookOnce({ work, target: isWhole ? target : await targetNow(work), shape, suspects, known, arrival });
  const open = suspects.settle();
  report.proof = proofOf({ ...findings, open }, began);
  report.status = report.rejected > 0 ? 'partial' : 'succeeded';
}

/** Whether single rows can be written: a file is written as a whole, and rows without a key cannot be found. */
function canWriteRows({ plan, order }: StreamWork): boolean {
  const { write, deletes } = abilitiesOf(order.target.type);
  return (
    plan.write.mode === 'append' || (plan.write.key.length > 0 && write.includes('upsert') && (deletes || plan.write.deletes === 'keep'))
  );
}

/** Where rows cannot be written one by one, a mirror does it, which leaves alone what is equal as far as the target can. */
async function repairWhole(work: StreamWork, target: Stream | undefined, began: number): Promise<void> {
  const { report } = work;
  Object.assign(report, { read: 0, rejected: 0, bytes: 0 });
  // A person has agreed, or nobody has to: the guard has looked at the same rows.
  await copyStream({ ...work, order: { ...work.order, approved: true } });
  const found = target ?? (await targetNow(work));
  const counted = { read: report.read, rejected: report.rejected, bytes: report.bytes };
  report.proof = proofOf(await compareEnds(work, found), began);
  Object.assign(report, counted);
}

async function targetNow(work: StreamWork): Promise<Stream | undefined> {
  const { stream } = work.plan.write;
  return (await at(targetOf(work), () => work.target.discover([stream]))).find(({ name }) => name === stream);
}

function succeed({ report, order }: StreamWork, changes: StreamChanges): void {
  report.status = 'succeeded';
  if (order.mode === 'repair_preview') report.changes = changes;
}

/** What a repair changes. */
function changesOf({ suspects, rows }: Findings, samples: readonly ProofSample[]): StreamChanges {
  const { missing, different, extra } = suspects.counts();
  return { inserted: missing, updated: different, deleted: extra, unchanged: rows - missing - different, samples: samples.map(changeOf) };
}

const CHANGES = { missing: 'insert', different: 'update', extra: 'delete' } as const;

function changeOf({ difference, key, source, target }: ProofSample): ChangeSample {
  return { change: CHANGES[difference], key, before: target, after: source };
}
