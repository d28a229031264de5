import type { Change, ChangeLines, ChangeSet } from '../../changes.ts';
import { BATCH_BYTES } from '../../contract.ts';
import { type LineShape, LineRun, linesMemory } from './line-run.ts';
import { type WalPosition, positionText } from './position.ts';

/** What the objects of a change take until it is written, besides the text. Counted too low, sets grow so large that most of them is kept as if for long. */
const OVERHEAD = 300;
/** Where changes are too mixed for lines, so many are taken one by one before it is tried again. */
const MIXED = 1000;

/** Puts changes together to sets: as many transactions as fit into one, or a piece of one that is larger. */
export class ChangeSets {
  readonly #server: Omit<WalPosition, 'lsn'>;
  #changes: Change[] = [];
  #bytes = 0;
  /** How much of it belongs to transactions that are whole. */
  #whole = 0;
  #wholeBytes = 0;
  #lsn: bigint | undefined;
  #committedAt: number | undefined;
  /** A piece of a transaction was given out, and its end was not. */
  #isPieced = false;
  #isCut = false;
  readonly #memory = linesMemory();
  /** Lines that may still grow. */
  #run: LineRun | undefined;
  #withoutLines = 0;
  /** What was given out last. */
  given = 0n;

  constructor(server: Omit<WalPosition, 'lsn'>) {
    this.#server = server;
  }

  get isFull(): boolean {
    return this.#isCut || this.#bytes + (this.#run?.size ?? 0) >= BATCH_BYTES;
  }

  /** A transaction is there as a whole, or it is told that there is nothing for us. */
  get hasWhole(): boolean {
    return this.#lsn !== undefined;
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0 && !this.#run && this.#lsn === undefined;
  }

  add(change: Change, bytes: number): void {
    this.#endRun();
    this.#changes.push(change);
    this.#bytes += bytes + OVERHEAD;
  }

  /** Adds a row that lies there, as a line. False when it cannot be one. */
  addLine(shape: LineShape, kind: ChangeLines['kind'], bytes: Buffer, start: number, end: number): boolean {
    if (this.#withoutLines > 0) {
      this.#withoutLines--;
      return false;
    }
    if (this.#run && (this.#run.shape !== shape || this.#run.kind !== kind)) this.#endRun();
    this.#run ??= new LineRun(shape, kind, this.#memory);
    let added = this.#run.add(bytes, start, end);
    if (added === 'again') {
      const isOften = this.#run.isShortUntilAgain;
      this.#endRun();
      // This one is still tried, so that it need not be looked at twice.
      if (isOften) this.#withoutLines = MIXED;
      this.#run = new LineRun(shape, kind, this.#memory);
      added = this.#run.add(bytes, start, end);
    }
    if (this.#run.isFull) this.#endRun();
    return added === 'added';
  }

  /** Lines end here, as something else follows. */
  #endRun(): void {
    const run = this.#run;
    if (!run) return;
    if (run.isShort) this.#withoutLines = MIXED;
    this.#run = this.#giveWhole(run);
    if (this.#run) this.#give(this.#run);
    this.#run = undefined;
  }

  /** Adds the lines of transactions that are whole, and answers what is left. */
  #giveWhole(run: LineRun): LineRun | undefined {
    if (!run.hasWhole) return run;
    const rest = run.split();
    this.#give(run);
    this.#isWhole();
    return rest;
  }

  #give(run: LineRun): void {
    const changes = run.end();
    for (const change of changes) this.#changes.push(change);
    this.#bytes += run.size + OVERHEAD * changes.length;
  }

  /** All changes so far are of transactions that are whole. */
  #isWhole(): void {
    this.#whole = this.#changes.length;
    this.#wholeBytes = this.#bytes;
  }

  /** Everything since the last commit was a transaction that ends here. False when there was nothing in it for us, and nothing to add it to. */
  commit(lsn: bigint, at: number): boolean {
    if (this.isEmpty && !this.#isPieced) return false;
    this.#isPieced = false;
    this.#committedAt = at;
    this.pass(lsn);
    return true;
  }

  /** Up to here there is nothing else for us. Lines may go on: the next transaction may be like this one. */
  pass(lsn: bigint): void {
    this.#lsn = lsn;
    this.#run?.commit();
    this.#isWhole();
  }

  /** What is here is to be taken before anything is added: it lies before this place, and what follows does not. */
  cut(lsn: bigint): void {
    if (lsn <= this.given) return;
    this.pass(lsn);
    this.#isCut = true;
  }

  /** Whole transactions; or a piece of one that is too large, without a position. */
  take(): ChangeSet | undefined {
    if (this.#lsn !== undefined) {
      if (this.#run) this.#run = this.#giveWhole(this.#run);
      this.given = this.#lsn;
      this.#isCut = false;
      const set: ChangeSet = {
        changes: this.#whole === this.#changes.length ? this.#changes : this.#changes.slice(0, this.#whole),
        bytes: this.#wholeBytes,
        position: positionText({ ...this.#server, lsn: this.#lsn }),
        ...(this.#committedAt !== undefined && { committedAt: this.#committedAt }),
      };
      this.#changes = this.#whole === this.#changes.length ? [] : this.#changes.slice(this.#whole);
      this.#bytes -= this.#wholeBytes;
      this.#whole = 0;
      this.#wholeBytes = 0;
      this.#lsn = undefined;
      this.#committedAt = undefined;
      return set;
    }
    if (!this.isFull) return undefined;
    if (this.#run) this.#give(this.#run);
    this.#run = undefined;
    this.#isPieced = true;
    const set: ChangeSet = { changes: this.#changes, bytes: this.#bytes };
    this.#changes = [];
    this.#bytes = 0;
    return set;
  }
}
