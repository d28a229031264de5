import type { Row } from '../../connectors/canonical.ts';
import type { Stream } from '../../connectors/contract.ts';
import { decodeRows } from '../../connectors/lines.ts';
import { OutsideError } from '../../outside/errors.ts';
import { abilitiesOf } from '../ends.ts';
import { rateSince } from '../progress.ts';
import { at } from '../failure.ts';
import type { StreamProof } from '../run.ts';
import { type StreamWork, targetOf } from '../stream-work.ts';
import { type Arrival, arrivalOf } from './arrival.ts';
import { askedByKeys } from './by-keys.ts';
import { compareContents, type Compared } from './compare-contents.ts';
import { CountedSuspects } from './counted-suspects.ts';
import { sourceFeed, targetFeed } from './feeds.ts';
import type { LineFeed } from './pair-streams.ts';
import { shownSamples } from './proof-samples.ts';
import { quarantinedKeys } from './quarantined.ts';
import { ProofShape } from './proof-shape.ts';
import { rowsDigest } from './rows-digest.ts';
import { KeyedSuspects, type Suspects } from './suspects.ts';
import { waitingFor } from './waiting.ts';

/** Rows that still change when they are looked at for the last time are said to. */
const MOST_LOOKS = 5;

/** What is known when both ends were compared. */
export interface Findings {
  readonly shape: ProofShape;
  readonly suspects: Suspects;
  /** The keys of the rows that differ, by their digests; undefined when there are too many to know. */
  readonly known: ReadonlyMap<string, Row> | undefined;
  readonly rows: number;
  readonly digest: string;
  /** What was digested: rows by us, or stretches of them by the systems. */
  readonly compared: Compared['by'];
  readonly quarantined: number;
  readonly arrival: Arrival;
  /** Rows that may be on their way. */
  readonly open: number;
}

/** Compares both ends of a stream, and looks again at what differs until it is known for what it is. */
export async function compareEnds(work: StreamWork, target: Stream | undefined): Promise<Findings> {
  const { plan } = work;
  const shape = new ProofShape(plan.write.fields, plan.write.key);
  const keepsExtra = plan.write.mode === 'append' || plan.write.deletes === 'keep';
  const suspects = shape.hasKey ? new KeyedSuspects(shape, keepsExtra) : new CountedSuspects(shape, keepsExtra);
  const arrival = arrivalOf(work);
  if (!target) await demandAbsent(work);
  const first = await firstLook(work, target, shape, suspects, arrival);
  const quarantined = suspects.count === 0 ? 0 : await clearQuarantined(work, shape, suspects, first.spared);
  const open = suspects.count === 0 ? 0 : await lookAgain({ work, target, shape, suspects, known: first.known, arrival });
  const { spared: _, ...found } = first;
  return { shape, suspects, quarantined, arrival, open, ...found };
}

/** Compares both ends, whole. */
async function firstLook(work: StreamWork, target: Stream | undefined, shape: ProofShape, suspects: Suspects, arrival: Arrival) {
  const { report, ports, plan } = work;
  const digest = rowsDigest(shape.hasKey);
  const spared = new Set<string>();
  const waiting = waitingFor(shape, (suspect) => suspects.add(suspect));
  let rows = 0;
  const began = performance.now();
  const counted = (count: number, rejected: number, bytes: number): void => {
    rows += count;
    report.read += count + rejected;
    report.rejected += rejected;
    report.bytes += bytes;
    report.rows_per_second = rateSince(began, report.read);
    ports.progress(plan.index, report);
  };
  const listener = {
    read: (lines: Buffer, count: number, rejected: number): void => {
      digest.add(lines);
      counted(count, rejected, lines.length);
    },
    spare: (keys: readonly Row[]): void => {
      for (const key of keys) spared.add(shape.keyMark(key));
    },
  };
  try {
    await arrival.note();
    const digested = (count: number): void => counted(count, 0, 0);
    const compared = await compareContents({ work, target, shape, listener, digested, unmatched: waiting });
    // What the source had when it was read is what has to arrive.
    if (suspects.count > 0) await arrival.note();
    const found = compared.by === 'digests' ? compared.digest : digest.take();
    return { rows, digest: found, compared: compared.by, spared, known: waiting.known };
  } finally {
    waiting.close();
  }
}

/** A stream that is not found may be one that the user may not look at. Then nothing can be said of it: its rows are not missing. */
async function demandAbsent(work: StreamWork): Promise<void> {
  const { stream, fields, key } = work.plan.write;
  const names = fields.map(({ name }) => name);
  await at(targetOf(work), async () => {
    try {
      for await (const batch of work.target.read({ stream, fields: names, key, signal: work.signal })) return batch.release();
    } catch (error) {
      if (error instanceof OutsideError && error.kind === 'auth') throw error;
    }
  });
}

async function clearQuarantined(work: StreamWork, shape: ProofShape, suspects: Suspects, spared: ReadonlySet<string>): Promise<number> {
  let cleared = 0;
  for (const key of spared) if (suspects.clear(key)) cleared++;
  for await (const key of quarantinedKeys(work, shape)) if (suspects.clear(key)) cleared++;
  return cleared;
}

interface Looking {
  readonly work: StreamWork;
  readonly target: Stream | undefined;
  readonly shape: ProofShape;
  readonly suspects: Suspects;
  readonly known: ReadonlyMap<string, Row> | undefined;
  readonly arrival: Arrival;
}

/** Looks again at the rows that differ, until each is alike or is as it was; answers how many still change. */
async function lookAgain(looking: Looking): Promise<number> {
  const { suspects, arrival } = looking;
  let open = suspects.count;
  for (let look = 0; open > 0 && look < MOST_LOOKS; look++) {
    if (!(await arrival.arrived(look))) return suspects.count;
    await lookOnce(looking);
    open = suspects.settle();
  }
  return open;
}

/** Reads the rows that differ at the target, and then at the source: what the target has by then was at the source before. */
export async function lookOnce({ work, target, shape, suspects, known, arrival }: Looking): Promise<void> {
  suspects.begin();
  const { source, target: end } = work.order;
  const filters = { source: abilitiesOf(source.type).filters, target: abilitiesOf(end.type).filters };
  const asked = askedByKeys(work.plan, known, filters) ?? [{ source: [], target: [] }];
  if (target) for (const one of asked) await seeAll('target', targetFeed(work, target, one.target), suspects);
  const spare = (keys: readonly Row[]): void => {
    for (const key of keys) suspects.clear(shape.keyMark(key));
  };
  for (const one of asked) await seeAll('source', sourceFeed(work, { spare }, one.source), suspects);
  await arrival.note();
}

async function seeAll(end: 'source' | 'target', feed: LineFeed, suspects: Suspects): Promise<void> {
  for await (const lines of feed) for (const row of decodeRows(lines)) suspects.see(end, row);
}

/** The findings as they are told. */
export function proofOf({ shape, suspects, arrival, open, rows, digest, compared, quarantined }: Findings, began: number): StreamProof {
  const counts = suspects.counts();
  const isDifferent = counts.missing + counts.extra + counts.different > 0 || suspects.isOverfull;
  return {
    result: isDifferent ? 'differs' : open > 0 ? 'changing' : 'equal',
    rows,
    digest,
    digest_of: compared === 'digests' ? 'ranges' : 'rows',
    ...counts,
    changing: open,
    kept: suspects.kept,
    quarantined,
    ...(suspects.isOverfull && { more: true }),
    by: 'target',
    position: arrival.position,
    duration_ms: Math.round(performance.now() - began),
    samples: shownSamples(shape, suspects.samples()),
  };
}
