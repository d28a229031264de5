import { createHash } from 'node:crypto';
import type { Filter } from '../../connectors/contract.ts';
import type { StretchDigest } from '../../connectors/digests.ts';
import { type ErrorKind, OutsideError } from '../../outside/errors.ts';
import { at } from '../failure.ts';
import { sourceOf, type StreamWork, targetOf } from '../stream-work.ts';
import type { DigestPlan } from './digest-plan.ts';

/** Rows of one stretch: so many are read where a single one differs. */
export const STRETCH_ROWS = 1_000;
/** So many stretches are digested by one statement, which is over soon. */
const STRETCHES = 100;

/** What is refused like that is no fault of the run: a value, a type, a function that the server lacks or that the user may not use. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorKind>(['data', 'config', 'auth']);

/** A range of keys, half open. It is one of the first field of the key. Where a bound is missing, everything on that side belongs to it. */
export interface KeyRange {
  readonly from: string | undefined;
  readonly below: string | undefined;
}

/** What has come of some stretches. */
export interface DigestedPart {
  /** How many rows the source has in them. */
  readonly rows: number;
  /** Those that are not the same; neighbours are one range. */
  readonly different: readonly KeyRange[];
  /** The first key behind them; undefined when they were the last ones. */
  readonly next: string | undefined;
}

/** A system turned out not to digest these rows. */
export class CannotDigest extends Error {}

/** The digests of both ends, some stretches at a time, in the order of the key. */
export class Digests {
  readonly #work: StreamWork;
  readonly #plan: DigestPlan;
  readonly #all = createHash('sha256');

  constructor(work: StreamWork, plan: DigestPlan) {
    this.#work = work;
    this.#plan = plan;
  }

  /** The digest of all stretches of the source, in hexadecimal. */
  take(): string {
    return this.#all.digest('hex');
  }

  /** Takes in rows that were read after all. */
  add(lines: Buffer): void {
    this.#all.update(lines);
  }

  /** Has both ends digest some stretches from a key on. */
  async part(from: string | undefined, stretches = STRETCHES): Promise<DigestedPart> {
    const { source, target } = this.#plan;
    const asked = { rows: STRETCH_ROWS, most: stretches };
    const found = await this.#ask('source', () => source.digests.cuts({ ...source.rows, from, ...asked }));
    // Behind the last cut there may be more: it is where the next part begins.
    const next = found.length === stretches ? found.at(-1) : undefined;
    const different = [...new Set(found)];
    // So many rows have one value of the first field of the key that stretches would be too long, or one would not get on at all.
    if (next !== undefined && different.length < found.length / 2) throw new CannotDigest();
    const cuts = different.filter((cut) => cut !== from && cut !== next);
    const range = { from, cuts, below: next };
    const [ours, theirs] = await Promise.all([
      this.#ask('source', () => source.digests.digest({ ...source.rows, ...range })),
      this.#ask('target', () => target.digests.digest({ ...target.rows, ...range })),
    ]);
    for (const { rows, digest } of ours) this.#all.update(`${rows} ${digest}\n`);
    const rows = ours.reduce((sum, stretch) => sum + stretch.rows, 0);
    return { rows, different: differentRanges([from, ...cuts, next], ours, theirs), next };
  }

  /** Where it is refused, the rows are read instead. If that is refused, too, it is told there. */
  async #ask<Answer>(end: 'source' | 'target', work: () => Promise<Answer | undefined>): Promise<Answer> {
    const answer = await at(end === 'source' ? sourceOf(this.#work) : targetOf(this.#work), () =>
      work().catch((error: unknown) => {
        if (error instanceof OutsideError && REFUSALS.has(error.kind)) return undefined;
        throw error;
      }),
    );
    if (answer === undefined) throw new CannotDigest();
    return answer;
  }
}

function differentRanges(
  bounds: readonly (string | undefined)[],
  ours: readonly StretchDigest[],
  theirs: readonly StretchDigest[],
): KeyRange[] {
  const ranges: KeyRange[] = [];
  for (const [place, { rows, digest }] of ours.entries()) {
    const other = theirs[place];
    if (other?.rows === rows && other.digest === digest) continue;
    const [from, below] = [bounds[place], bounds[place + 1]];
    const last = ranges.at(-1);
    if (last && last.below === from && from !== undefined) ranges[ranges.length - 1] = { from: last.from, below };
    else ranges.push({ from, below });
  }
  return ranges;
}

/** The rows of a range, as filters on the key. */
export function filtersOf(field: string, { from, below }: KeyRange): Filter[] {
  return [
    ...(from === undefined ? [] : [{ field, op: '>=' as const, value: from }]),
    ...(below === undefined ? [] : [{ field, op: '<' as const, value: below }]),
  ];
}
