import type { LedgerSegment } from '../run.ts';
import type { StreamWork } from '../stream-work.ts';
import { DeliveredTable } from './delivered-table.ts';
import { LedgerEntries, type LedgerEntry, writeEntries } from './ledger-entries.ts';

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
    for (const lines = new LedgerEntries(entries, table.marks); lines.next(); )
      table.put(lines.mark, lines.isRemoved ? null : lines.digest, place);
  }
  return table;
}

/** All segments of a stream, in their order. The next ones are on their way while some are looked at. */
export async function* segmentsOf({ ports, plan }: LedgerWork): AsyncGenerator<LedgerSegment> {
  const pageAfter = (seq: number): Promise<readonly LedgerSegment[]> => {
    const page = ports.listDelivered(plan.index, seq);
    // It may fail while nobody waits for it yet.
    page.catch(() => {});
    return page;
  };
  for (let page = await pageAfter(0); page.length > 0; ) {
    const next = pageAfter(page.at(-1)?.seq ?? 0);
    yield* page;
    page = await next;
  }
}

/** What the table knows of the records of a segment that are in no later one. */
export function* lastEntries({ seq, entries }: LedgerSegment, table: DeliveredTable): Generator<{ entry: LedgerEntry; place: number }> {
  for (const lines = new LedgerEntries(entries, table.marks); lines.next(); ) {
    const place = table.find(lines.mark);
    if (!lines.isRemoved && table.seqOf(place) === seq) yield { entry: lines.entry, place };
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
  for await (const segment of segmentsOf(work)) {
    const { seq, generation } = segment;
    if (joined && (joined.generation !== generation || joined.counting.length >= RECORDS_JOINED)) await write();
    joined = {
      from: joined?.from ?? seq,
      seq,
      generation,
      counting: [...(joined?.counting ?? []), ...lastEntries(segment, table).map(({ entry }) => entry)],
    };
  }
  await write();
}
