import type { Position } from '../../batch.ts';
import type { AppliedSet, Applier, ApplyRequest, ApplyResult, ChangeLines } from '../../changes.ts';
import type { Changes, Field } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { NOTHING } from '../outcome.ts';
import type { Eventual } from '../transact.ts';
import { lookedUp } from './look-up.ts';
import { type ChangeReject, type KeyedStream, type Placed, placed } from './placed.ts';

/** What was made of some changes, by stream. */
export interface MadeChanges {
  readonly counts: readonly Changes[];
  /** Updates of rows that are not there, and of which not all is told. Where there are some, nothing was made of any. */
  readonly missing: readonly Placed[];
  /** Those that were left out, where the system can tell them by itself. */
  readonly refused?: readonly RefusedChange[];
}

export interface RefusedChange {
  readonly one: Placed;
  readonly error: OutsideError;
}

/** Many changes as bytes, as `Applier.applyLines` is given them. */
export type TargetLines = Omit<ChangeLines, 'op' | 'giveBack'>;

/** What really differs between SQL systems where changes are applied. The core calls it, and does everything else. */
export interface ChangeTarget {
  /** As they are now: `extend` changes them, and `rollback` changes them back. */
  readonly streams: readonly KeyedStream[];
  begin(): Eventual<void>;
  /** Ends the transaction: all of it counts, if the token is still ours. Without one it is made for the position alone. */
  commit(position: Position, note: string | undefined): Eventual<void>;
  /** Also when there is none, or the connection is gone. */
  rollback(): Eventual<void>;
  /** All of them, or none: where one is refused for its data, that is thrown. */
  make(changes: readonly Placed[]): Eventual<MadeChanges>;
  /** The same for a few, one by one; it may leave out what is refused and say so. */
  makeFew?(changes: readonly Placed[]): Eventual<MadeChanges>;
  /** The same for lines. Undefined: they are not what most are, and nothing was made of them. */
  makeLines?(changes: TargetLines): Eventual<Changes | undefined>;
  /** In words. Within the transaction. */
  rejectsOf(refused: readonly RefusedChange[]): Eventual<ChangeReject[]>;
  extend(stream: number, fields: readonly Field[]): Eventual<void>;
  close(): Eventual<void>;
}

/** From here on it does not pay to halve: they are made one by one. */
const FEW = 256;

/** Applies sets of changes: keeps transactions whole, finds what is refused, and counts. One set is given after the other. */
export class Applying implements Applier {
  readonly #target: ChangeTarget;
  readonly #lookUp: ApplyRequest['lookUp'];
  #checkpoint: Position | undefined;
  #note: string | undefined;
  #isOpen = false;
  readonly applyLines?: (changes: TargetLines) => Promise<Changes | undefined>;

  constructor(target: ChangeTarget, kept: { position: Position | undefined; note: string | undefined }, lookUp: ApplyRequest['lookUp']) {
    this.#target = target;
    this.#lookUp = lookUp;
    this.#checkpoint = kept.position;
    this.#note = kept.note;
    if (target.makeLines) this.applyLines = (changes) => this.#makeLines(changes);
  }

  get checkpoint(): Position | undefined {
    return this.#checkpoint;
  }

  get note(): string | undefined {
    return this.#note;
  }

  apply({ changes, position }: AppliedSet, settle?: Parameters<Applier['apply']>[1]): Promise<ApplyResult> {
    return this.#whole(async () => {
      const { good, rejects } = placed(this.#target.streams, changes);
      const outcome = new Outcome(this.#target.streams.length);
      if (good.length > 0) {
        await this.#begin();
        await this.#make(good, outcome);
        if (outcome.refused.length > 0) rejects.push(...(await this.#target.rejectsOf(outcome.refused)));
      }
      rejects.push(...outcome.rejects);
      const result = { counts: outcome.counts, rejects: rejects.sort((a, b) => a.index - b.index) };
      if (position === undefined) return result;
      const note = settle ? await settle(result) : this.#note;
      await this.#target.commit(position, note);
      this.#isOpen = false;
      this.#checkpoint = position;
      this.#note = note;
      return result;
    });
  }

  extend(stream: number, fields: readonly Field[]): Promise<void> {
    return this.#whole(async () => {
      await this.#begin();
      await this.#target.extend(stream, fields);
    });
  }

  async close(): Promise<void> {
    await this.#target.close();
  }

  async #begin(): Promise<void> {
    if (this.#isOpen) return;
    await this.#target.begin();
    this.#isOpen = true;
  }

  #makeLines(changes: TargetLines): Promise<Changes | undefined> {
    return this.#whole(async () => {
      await this.#begin();
      try {
        return await this.#target.makeLines?.(changes);
      } catch (error) {
        if (isAboutData(error)) return undefined;
        throw error;
      }
    });
  }

  /** What fails takes everything back since the last position: from there it can be given again. */
  async #whole<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.#isOpen = false;
      await this.#target.rollback();
      throw error;
    }
  }

  /** Makes the changes in their order. Those that are refused are looked for in halves. */
  async #make(changes: readonly Placed[], outcome: Outcome): Promise<void> {
    if (changes.length === 0) return;
    const target = this.#target;
    try {
      return await this.#takeIn(await target.make(changes), changes, outcome);
    } catch (error) {
      if (!isAboutData(error)) throw error;
      if (changes.length === 1 && !target.makeFew) return outcome.refuse(changes[0] as Placed, error);
    }
    if (changes.length > FEW || !target.makeFew) return this.#makeHalves(changes, outcome);
    try {
      return await this.#takeIn(await target.makeFew(changes), changes, outcome);
    } catch (error) {
      if (!isAboutData(error)) throw error;
      if (changes.length === 1) return outcome.refuse(changes[0] as Placed, error);
      return this.#makeHalves(changes, outcome);
    }
  }

  async #makeHalves(changes: readonly Placed[], outcome: Outcome): Promise<void> {
    const middle = changes.length >> 1;
    await this.#make(changes.slice(0, middle), outcome);
    await this.#make(changes.slice(middle), outcome);
  }

  async #takeIn(made: MadeChanges, changes: readonly Placed[], outcome: Outcome): Promise<void> {
    if (made.missing.length === 0) return outcome.add(made);
    const { completed, rejects, gone } = await lookedUp(this.#target.streams, changes, made.missing, this.#lookUp);
    outcome.rejects.push(...rejects);
    for (const { change } of gone) (outcome.counts[change.stream] as Changes).unchanged++;
    return this.#make(completed, outcome);
  }
}

function isAboutData(error: unknown): error is OutsideError {
  return error instanceof OutsideError && error.kind === 'data';
}

/** What has come of a set so far. */
class Outcome {
  readonly counts: Changes[];
  readonly refused: RefusedChange[] = [];
  readonly rejects: ChangeReject[] = [];

  constructor(streams: number) {
    this.counts = Array.from({ length: streams }, () => ({ ...NOTHING }));
  }

  add({ counts, refused = [] }: MadeChanges): void {
    for (const [stream, changes] of counts.entries()) {
      const sum = this.counts[stream] as Changes;
      for (const name of Object.keys(sum) as (keyof Changes)[]) sum[name] += changes[name];
    }
    this.refused.push(...refused);
  }

  refuse(one: Placed, error: OutsideError): void {
    this.refused.push({ one, error });
  }
}
