import type { LedgerSegment } from '../run.ts';
import type { StreamWork } from '../stream-work.ts';
import { DeliveredTable } from './delivered-table.ts';
import { type LedgerEntry, readEntries, writeEntries } from './ledger-entries.ts';

/** When several segments are joined, no more are taken in once there are so many records. */
const RECORDS_JOINED = 5_000;
/** It is not worth tidying up less than this. */
const FEW_LINES = 1_000;
const FEW_SEGMENTS = 100;
/** So many records in a segment are enough. */
const RECORDS_A_SEGMENT = 100;

type LedgerWork = Pick<StreamWork, 'ports' | 'plan' | 'state'>;

/** Reads what the target has, by what was written down. */
export async function readLedger(work: LedgerWork): Promise<DeliveredTable> {
  const table = new DeliveredTable();
  for await (const { seq, generation, isMine, entries } of segmentsOf(work)) {
    const place = { seq, isMine, isOutdated: generation !== work.state.generation };
    for (const entry of readEntries(entries)) table.put(entry, place);
  }
  return table;
}

/** All segments of a stream, in their order. */
export async function* segmentsOf({ ports, plan }: LedgerWork): AsyncGenerator<LedgerSegment> {
  for (let after = 0; ; ) {
    const page = await ports.listDelivered(plan.index, after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

/** Tidies the ledger up when most of its lines count no more, or it has very many segments. The oldest come first: so what counts always stays. */
export async function joinLedger(work: LedgerWork, table: DeliveredTable): Promise<void> {
  const { lines, segments, there } = table;
  const isWorthIt = lines > 2 * there + FEW_LINES || segments > there / RECORDS_A_SEGMENT + FEW_SEGMENTS;
  if (!isWorthIt) return;
  let joined: { from: number; seq: number; generation: number; counting: LedgerEntry[] } | undefined;
  const write = async (): Promise<void> => {
    if (!joined) return;
    const { counting, ...place } = joined;
    joined = undefined;
    await work.ports.joinDelivered(work.plan.index, { ...place, entries: writeEntries(counting) });
  };
  for await (const { seq, generation, entries } of segmentsOf(work)) {
    if (joined && (joined.generation !== generation || joined.counting.length >= RECORDS_JOINED)) await write();
    const isLast = ({ key, digest }: LedgerEntry): boolean => digest !== null && table.seqOf(table.find(key)) === seq;
    joined = {
      from: joined?.from ?? seq,
      seq,
      generation,
      counting: [...(joined?.counting ?? []), ...[...readEntries(entries)].filter(isLast)],
    };
  }
  await write();
}
