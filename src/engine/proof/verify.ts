import type { Stream } from '../../connectors/contract.ts';
import { abilitiesOf } from '../ends.ts';
import { StreamFailure } from '../failure.ts';
import type { StreamWork } from '../stream-work.ts';
import { proveByLedger } from './by-ledger.ts';
import { compareEnds, proofOf } from './prove.ts';

/** Compares what the target has with what the source has, through the mapping. Nothing is written anywhere. */
export async function verifyStream(work: StreamWork, target: Stream | undefined): Promise<void> {
  const { plan, report, ports } = work;
  const began = performance.now();
  if (plan.isDelivered) report.proof = await proveByLedger(work, began);
  else {
    demandReadable(work, target);
    report.proof = proofOf(await compareEnds(work, target), began);
  }
  report.status = 'succeeded';
  ports.progress(plan.index, report);
}

/** Throws when the target cannot be read back, and no ledger tells what it has. */
export function demandReadable({ plan, order }: StreamWork, target: Stream | undefined): void {
  const { read } = abilitiesOf(order.target.type);
  const lacking =
    target?.kind === 'resource' ? plan.write.fields.filter(({ name }) => !target.fields.some((one) => one.name === name)) : [];
  const isMissing = !target && !abilitiesOf(order.target.type).createsStreams;
  if (read && lacking.length === 0 && target?.unusable === undefined && !isMissing) return;
  const why = lacking.length > 0 ? ` with the field "${lacking[0]?.name}"` : '';
  throw new StreamFailure({
    kind: 'config',
    code: 'CANNOT_VERIFY',
    message: `"${plan.write.stream}" cannot be read back at the target${why}, and in mode ${plan.definition.mode} nothing is kept of what it has accepted.`,
    hint: 'A mirror keeps a ledger of what such a target has accepted, and can be verified by it.',
  });
}
