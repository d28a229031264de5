import { compareLines } from './compare-lines.ts';
import { type ProofShape, rowOfLine } from './proof-shape.ts';
import type { Waiting } from './waiting.ts';

const NEWLINE = 0x0a;
/** So many bytes are compared at once. */
const BLOCK = 64 * 1024;
/** So many lines further on the other end is looked for the same line, before the row has to wait for it. */
const FURTHER = 16;
/** When rows are spelled otherwise at the two ends, blocks are never the same: they are tried less often then. */
const MOST_LINES_BETWEEN = 20_000;
/** When both ends have another order, looking further on is in vain: it is tried less often then. */
const MOST_ROWS_BETWEEN = 4_096;

/** Takes the rows that are not the same at both ends, or not in the same place. */
export type Unmatched = Pick<Waiting, 'offer' | 'differ' | 'finish'>;

/** Lines as one end gives them: each buffer has whole lines, and is done with when the next one is asked for. */
export type LineFeed = AsyncIterable<Buffer>;

/**
 * Reads two streams of rows side by side and finds out which rows are the same. Both ends give their rows in the order of their keys, so mostly the same
 * bytes come at the same time, and whole blocks are compared. Where an end has another order (a collation), rows wait for each other. What waits in the end is
 * for the caller to `finish`: other ranges may come.
 */
export async function pairStreams(source: LineFeed, target: LineFeed, shape: ProofShape, waiting: Unmatched): Promise<void> {
  const pairing = new Pairing(shape, waiting);
  const ends = { source: new Feed(source), target: new Feed(target) };
  try {
    for (;;) {
      await Promise.all([ends.source.fill(), ends.target.fill()]);
      if (ends.source.isOver && ends.target.isOver) break;
      if (ends.source.isOver) pairing.drain('target', ends.target);
      else if (ends.target.isOver) pairing.drain('source', ends.source);
      else pairing.step(ends.source, ends.target);
    }
  } finally {
    await Promise.all([ends.source.close(), ends.target.close()]);
  }
}

/** What was read of one end and not compared yet. */
class Feed {
  readonly #lines: AsyncIterator<Buffer>;
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  isOver = false;

  constructor(lines: LineFeed) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Sees to it that there is something to compare, or that it is over. */
  async fill(): Promise<void> {
    while (this.at >= this.bytes.length && !this.isOver) {
      const { value, done } = await this.#lines.next();
      if (done) this.isOver = true;
      else this.bytes = value;
      this.at = 0;
    }
    if (this.isOver) this.bytes = Buffer.alloc(0);
  }

  get rest(): number {
    return this.bytes.length - this.at;
  }

  /** Behind the line that begins at a place. */
  lineEnd(from: number): number {
    return this.bytes.indexOf(NEWLINE, from) + 1;
  }

  async close(): Promise<void> {
    await this.#lines.return?.();
  }
}

class Pairing {
  readonly #shape: ProofShape;
  readonly #waiting: Unmatched;
  /** Lines to go until a block is tried again, and how many were left out the last time. */
  #linesLeft = 0;
  #linesBetween = 0;
  #rowsLeft = 0;
  #rowsBetween = 0;

  constructor(shape: ProofShape, waiting: Unmatched) {
    this.#shape = shape;
    this.#waiting = waiting;
  }

  /** The other end has no more rows. */
  drain(end: 'source' | 'target', feed: Feed): void {
    while (feed.rest > 0) this.#wait(end, feed);
  }

  /** Compares what both have, until one of them has to read more. */
  step(source: Feed, target: Feed): void {
    while (source.rest > 0 && target.rest > 0) {
      if (this.#linesLeft === 0) {
        if (this.#passBlock(source, target)) continue;
        this.#linesBetween = Math.min(Math.max(64, this.#linesBetween * 2), MOST_LINES_BETWEEN);
        this.#linesLeft = this.#linesBetween;
      }
      this.#linesLeft--;
      this.#passLine(source, target);
    }
  }

  /** Passes as many whole lines as are the same in a stretch; false when they are not. */
  #passBlock(source: Feed, target: Feed): boolean {
    const most = Math.min(source.rest, target.rest, BLOCK);
    const isSame = source.bytes.compare(target.bytes, target.at, target.at + most, source.at, source.at + most) === 0;
    const end = isSame ? source.bytes.lastIndexOf(NEWLINE, source.at + most - 1) + 1 : 0;
    const length = end - source.at;
    if (length <= 0) return false;
    source.at += length;
    target.at += length;
    this.#linesBetween = 0;
    return true;
  }

  #passLine(source: Feed, target: Feed): void {
    const match = compareLines(this.#shape, { bytes: source.bytes, start: source.at }, { bytes: target.bytes, start: target.at });
    if (match === 'apart') return this.#goApart(source, target);
    const [sourceEnd, targetEnd] = [source.lineEnd(source.at), target.lineEnd(target.at)];
    if (match === 'different')
      this.#waiting.differ(rowOfLine(source.bytes.subarray(source.at, sourceEnd)), rowOfLine(target.bytes.subarray(target.at, targetEnd)));
    source.at = sourceEnd;
    target.at = targetEnd;
  }

  /** The two rows do not belong together: one end has rows that the other lacks, or another order. */
  #goApart(source: Feed, target: Feed): void {
    if (this.#rowsLeft > 0) this.#rowsLeft--;
    else {
      const more = { source: this.#linesUntil(source, target), target: this.#linesUntil(target, source) };
      if (more.source !== undefined && more.source <= (more.target ?? FURTHER)) return this.#waitFor('source', source, more.source);
      if (more.target !== undefined) return this.#waitFor('target', target, more.target);
      this.#rowsBetween = Math.min(Math.max(8, this.#rowsBetween * 2), MOST_ROWS_BETWEEN);
      this.#rowsLeft = this.#rowsBetween;
    }
    this.#wait('source', source);
    this.#wait('target', target);
  }

  /** How many lines one has before the line that the other is at; undefined when it is not near. */
  #linesUntil(feed: Feed, other: Feed): number | undefined {
    const wanted = { bytes: other.bytes, start: other.at };
    for (let line = 0, start = feed.at; line < FURTHER && start < feed.bytes.length; line++) {
      if (compareLines(this.#shape, { bytes: feed.bytes, start }, wanted) !== 'apart') return line;
      start = feed.lineEnd(start);
    }
    return undefined;
  }

  #waitFor(end: 'source' | 'target', feed: Feed, lines: number): void {
    this.#rowsBetween = 0;
    for (let line = 0; line < lines; line++) this.#wait(end, feed);
  }

  #wait(end: 'source' | 'target', feed: Feed): void {
    const lineEnd = feed.lineEnd(feed.at);
    this.#waiting.offer(end, rowOfLine(feed.bytes.subarray(feed.at, lineEnd)));
    feed.at = lineEnd;
  }
}
