import type { Stream } from '../../connectors/contract.ts';
import type { StreamWork } from '../stream-work.ts';
import { CannotDigest, Digests, filtersOf, type KeyRange } from './by-digest.ts';
import { type DigestPlan, digestPlanOf } from './digest-plan.ts';
import { type SourceListener, sourceFeed, targetFeed } from './feeds.ts';
import { type LineFeed, pairStreams, type Unmatched } from './pair-streams.ts';
import type { ProofShape } from './proof-shape.ts';

/** With fewer rows than that, to find out what takes longer takes longer than what it saves. */
const WORTH_DIGESTS = 100_000;
/** Of so many stretches it is measured how long it takes to digest them, and to read them. */
const TRIED_STRETCHES = 10;
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
  const isLarge = Math.max(target?.estimatedRows ?? 0, work.state.rows ?? 0) >= WORTH_DIGESTS;
  const compared = plan && isLarge ? await compareByDigests(comparing, plan) : undefined;
  if (compared) return compared;
  await readBoth(comparing, { from: undefined, below: undefined });
  unmatched.finish();
  return { by: 'rows' };
}

/** By digests, if both ends can, and if it pays. Undefined, and nothing has been compared, when the rows are to be read. */
async function compareByDigests(comparing: Comparing, plan: DigestPlan): Promise<Compared | undefined> {
  const { work, digested, unmatched } = comparing;
  const digests = new Digests(work, plan);
  const began = performance.now();
  const first = await unlessImpossible(digests.part(undefined, TRIED_STRETCHES));
  if (!first || !(await isQuicker(comparing, plan, { from: undefined, below: first.next }, performance.now() - began))) return undefined;
  for (let part = first; ; ) {
    await readAll({ ...comparing, listener: quiet(comparing.listener) }, part.different, plan);
    digested(part.rows);
    const { next } = part;
    if (next === undefined) break;
    work.signal.throwIfAborted();
    const more = await unlessImpossible(digests.part(next));
    if (!more) {
      await readBoth({ ...comparing, listener: alsoDigested(comparing.listener, digests) }, { from: next, below: undefined }, plan);
      break;
    }
    part = more;
  }
  unmatched.finish();
  return { by: 'digests', digest: digests.take() };
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

/** Whether a range was digested in less time than it takes to read it from both ends and compare it. What that finds is found again. */
async function isQuicker(comparing: Comparing, plan: DigestPlan, range: KeyRange, digesting: number): Promise<boolean> {
  const began = performance.now();
  const unmatched = { offer: () => {}, differ: () => {}, finish: () => {} };
  await readBoth({ ...comparing, listener: {}, unmatched }, range, plan);
  return digesting < WORTH_IT * (performance.now() - began);
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
