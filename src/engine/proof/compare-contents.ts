import type { Stream } from '../../connectors/contract.ts';
import type { StreamWork } from '../stream-work.ts';
import { CannotDigest, type DigestedPart, Digests, filtersOf, type KeyRange, STRETCH_ROWS } from './by-digest.ts';
import { type DigestPlan, digestPlanOf } from './digest-plan.ts';
import { type SourceListener, sourceFeed, targetFeed } from './feeds.ts';
import { type LineFeed, pairStreams, type Unmatched } from './pair-streams.ts';
import type { ProofShape } from './proof-shape.ts';

/** With fewer rows than that, to find out what takes longer takes longer than what it saves. */
const WORTH_DIGESTS = 100_000;
/** Of so many stretches it is measured at first how long it takes to digest them, and to read them. */
const TRIED_STRETCHES = 10;
/** Of a large table more is tried, twice as much each time, up to this part of its rows: a few milliseconds tell little on a busy machine. */
const TRIED_PART = 0.01;
/** So many ranges are read at the same time. */
const AT_ONCE = 4;
/** Digests must save at least a fifth of the time: the servers have other work. */
const WORTH_IT = 0.8;

export interface Comparing {
  readonly work: StreamWork;
  readonly target: Stream | undefined;
  readonly shape: ProofShape;
  /** Hears of what is read at the source. */
  readonly listener: SourceListener;
  /** Takes rows that were digested, and not read. */
  readonly digested: (rows: number) => void;
  /** Takes what is not the same; it is told when both ends were compared. */
  readonly unmatched: Unmatched;
}

/** How both ends were compared: by the digest of all stretches of the source, or by reading all rows. */
export type Compared = { readonly by: 'digests'; readonly digest: string } | { readonly by: 'rows' };

/**
 * Compares both ends. Where they can digest their rows themselves, and that is quicker than to read them, just those ranges are read that differ: over a slow
 * link nearly nothing has to travel, while on one machine it is quicker to read. Which of the two it is, is measured each time.
 */
export async function compareContents(comparing: Comparing): Promise<Compared> {
  const { work, target, unmatched } = comparing;
  const plan = digestPlanOf(work, target);
  const compared = plan && rowsIn(comparing) >= WORTH_DIGESTS ? await compareByDigests(comparing, plan) : undefined;
  if (compared) return compared;
  await readBoth(comparing, { from: undefined, below: undefined });
  unmatched.finish();
  return { by: 'rows' };
}

/** As far as it is known. */
function rowsIn({ work, target }: Comparing): number {
  return Math.max(target?.estimatedRows ?? 0, work.state.rows ?? 0);
}

/** By digests, if both ends can, and if it pays. Undefined, and nothing has been compared, when the rows are to be read. */
async function compareByDigests(comparing: Comparing, plan: DigestPlan): Promise<Compared | undefined> {
  const { work, digested, unmatched } = comparing;
  const digests = new Digests(work, plan);
  const tried = await unlessImpossible(tryDigests(comparing, plan, digests));
  if (!tried?.isQuicker) return undefined;
  const parts = tried.parts.values();
  for (let part = parts.next().value; part; ) {
    await readAll({ ...comparing, listener: quiet(comparing.listener) }, part.different, plan);
    digested(part.rows);
    const { next } = part;
    work.signal.throwIfAborted();
    part = parts.next().value;
    if (part || next === undefined) continue;
    part = await unlessImpossible(digests.part(next));
    if (!part)
      await readBoth({ ...comparing, listener: alsoDigested(comparing.listener, digests) }, { from: next, below: undefined }, plan);
  }
  unmatched.finish();
  return { by: 'digests', digest: digests.take() };
}

/** Digests the first stretches, reads them as well, and tells which was quicker. The first time warms up both ends, so it counts only where it is the last, too. */
async function tryDigests(
  comparing: Comparing,
  plan: DigestPlan,
  digests: Digests,
): Promise<{ parts: DigestedPart[]; isQuicker: boolean }> {
  const parts: DigestedPart[] = [];
  const most = (TRIED_PART * rowsIn(comparing)) / STRETCH_ROWS;
  const spent = { digesting: 0, reading: 0 };
  let from: string | undefined;
  for (let [stretches, all] = [TRIED_STRETCHES, TRIED_STRETCHES]; ; stretches *= 2, all += stretches) {
    const began = performance.now();
    const part = await digests.part(from, stretches);
    const digested = performance.now();
    await readUnheard(comparing, plan, { from, below: part.next });
    if (parts.length === 1) [spent.digesting, spent.reading] = [0, 0];
    spent.digesting += digested - began;
    spent.reading += performance.now() - digested;
    parts.push(part);
    from = part.next;
    if (from === undefined || all + 2 * stretches > most) return { parts, isQuicker: spent.digesting < WORTH_IT * spent.reading };
  }
}

/** Reads ranges, a few at the same time: most of them are small, and wait for the systems rather than for us. */
async function readAll(comparing: Comparing, ranges: readonly KeyRange[], plan: DigestPlan): Promise<void> {
  for (let first = 0; first < ranges.length; first += AT_ONCE)
    for (const ended of await Promise.allSettled(ranges.slice(first, first + AT_ONCE).map((range) => readBoth(comparing, range, plan))))
      if (ended.status === 'rejected') throw ended.reason;
}

/** What could not be digested any more belongs to the digest as it was read. */
function alsoDigested(listener: SourceListener, digests: Digests): SourceListener {
  return {
    ...listener,
    read: (lines, count, rejected) => {
      digests.add(lines);
      listener.read?.(lines, count, rejected);
    },
  };
}

async function unlessImpossible<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CannotDigest) return undefined;
    throw error;
  }
}

/** Reads a range from both ends and compares it, for the time that it takes. What that finds is found again. */
async function readUnheard(comparing: Comparing, plan: DigestPlan, range: KeyRange): Promise<void> {
  await readBoth({ ...comparing, listener: {}, unmatched: { offer: () => {}, differ: () => {}, finish: () => {} } }, range, plan);
}

/** Rows that were digested are counted already, those among them that cannot be used, too. */
function quiet(listener: SourceListener): SourceListener {
  return { ...listener, read: (lines, _count, rejected) => listener.read?.(lines, -rejected, rejected) };
}

/** Reads a range of both ends side by side. */
async function readBoth({ work, target, shape, listener, unmatched }: Comparing, range: KeyRange, plan?: DigestPlan): Promise<void> {
  const filters = {
    source: plan ? filtersOf(plan.source.rows.key[0], range) : [],
    target: plan ? filtersOf(plan.target.rows.key[0], range) : [],
  };
  const source = sourceFeed(work, listener, filters.source);
  await pairStreams(source, target ? targetFeed(work, target, filters.target) : nothing(), shape, unmatched);
}

async function* nothing(): AsyncGenerator<Buffer> & LineFeed {}
