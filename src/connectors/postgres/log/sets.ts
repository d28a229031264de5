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
    return this.#bytes >= BATCH_BYTES || this.#isCut;
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
      this.#endRun();
      this.#run = new LineRun(shape, kind, this.#memory);
      added = this.#run.add(bytes, start, end);
    }
    if (this.#run.isFull) this.#endRun();
    return added === 'added';
  }

  #endRun(): void {
    const run = this.#run;
    if (!run) return;
    this.#run = undefined;
    if (run.isShort) this.#withoutLines = MIXED;
    const changes = run.end();
    for (const change of changes) this.#changes.push(change);
    this.#bytes += run.size + OVERHEAD * changes.length;
  }

  /** Everything since the last commit was a transaction that ends here. False when there was nothing in it for us, and nothing to add it to. */
  commit(lsn: bigint, at: number): boolean {
    this.#endRun();
    if (this.#changes.length === 0 && this.#lsn === undefined && !this.#isPieced) return false;
    this.#isPieced = false;
    this.#lsn = lsn;
    this.#committedAt = at;
    this.#whole = this.#changes.length;
    this.#wholeBytes = this.#bytes;
    return true;
  }

  /** Up to here there is nothing for us. */
  pass(lsn: bigint): void {
    this.#endRun();
    this.#lsn = lsn;
    this.#whole = this.#changes.length;
    this.#wholeBytes = this.#bytes;
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
    this.#isPieced = true;
    const set: ChangeSet = { changes: this.#changes, bytes: this.#bytes };
    this.#changes = [];
    this.#bytes = 0;
    return set;
  }
}
