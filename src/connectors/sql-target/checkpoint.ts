import type { Position } from '../batch.ts';
import type { WriteRequest } from '../contract.ts';
import { fenced } from '../../outside/errors.ts';
import { forgotten, type Kept } from './kept.ts';
import type { Eventual } from './transact.ts';

/** The row of an owner, as its system reads and writes it: within the transaction under way, at the end of which it is free for others. */
export interface CheckpointRow {
  /** Makes the token ours and tells what is kept; undefined when there is a higher one. In a transaction of its own, if there is none. */
  take(): Eventual<Kept | undefined>;
  /** Whether the token is ours. */
  isOurs(): Eventual<boolean>;
  /** What the position counts, null when that was never said; undefined when the token is not ours. */
  state(): Eventual<string | null | undefined>;
  /** Changes what is named. Answers whether the token is ours; otherwise nothing has changed. */
  change(values: Partial<Record<keyof Kept, string | null>>): Eventual<boolean>;
}

/** Whose work it is, and how far it has come. Everything throws when another worker has taken over. */
export class Checkpoint {
  readonly #row: CheckpointRow;
  /** The rows of owners that are fenced with it. */
  readonly #fences: readonly CheckpointRow[];

  constructor(row: CheckpointRow, fences: readonly CheckpointRow[] = []) {
    this.#row = row;
    this.#fences = fences;
  }

  /** From now on, nobody with a lower token can write for this owner. Tells where to go on. */
  async takeOver(resume: WriteRequest['resume']): Promise<Kept> {
    for (const fence of this.#fences) if (!(await fence.take())) throw fenced();
    const kept = await this.#row.take();
    if (!kept) throw fenced();
    if (!resume || resume(kept.note)) return kept;
    const nothing = forgotten(kept);
    await this.begin(nothing);
    return nothing;
  }

  /** Nobody takes over until the end of the transaction. */
  async demand(): Promise<void> {
    await this.#demandFences();
    if (!(await this.#row.isOurs())) throw fenced();
  }

  /** What the position counts, as it is stored now. Nobody takes over until the end of the transaction. */
  async state(): Promise<string | undefined> {
    await this.#demandFences();
    const state = await this.#row.state();
    if (state === undefined) throw fenced();
    return state ?? undefined;
  }

  /** Stores what is named; a position of null is none. */
  async keep({ position, note, state }: { position?: Position | null; note?: string | undefined; state?: string }): Promise<void> {
    await this.#change({
      ...(position !== undefined && { position }),
      ...(note !== undefined && { note }),
      ...(state !== undefined && { state }),
    });
  }

  /** Stores all of it, in the place of what there was. */
  async begin({ position = null, note = null, state = null }: { [Name in keyof Kept]: Kept[Name] | null }): Promise<void> {
    await this.#change({ position, note, state });
  }

  async #change(values: Parameters<CheckpointRow['change']>[0]): Promise<void> {
    if (Object.keys(values).length === 0) return;
    await this.#demandFences();
    if (!(await this.#row.change(values))) throw fenced();
  }

  async #demandFences(): Promise<void> {
    for (const fence of this.#fences) if (!(await fence.isOurs())) throw fenced();
  }
}
