import { type PgQuery, type PgWire, wireOf } from '../../../lib/pg-internals.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { type Diversion, divert } from '../wire/incoming.ts';

// The log over the wire: after START_REPLICATION both sides send messages in COPY's manner, until the connection ends.

const COPY_DATA = 0x64;
const COPY_BOTH = 0x57;
/** A notice, a setting, a notification: may come at any time, and the driver has to know of it. */
const BESIDE = new Set(Buffer.from('NSA'));
const HEADER = 5;
const SMALL = 64 * 1024;
/** So much is taken in before it is read. The server waits with the rest. */
const MOST_AHEAD = 1024 * 1024;
/** A change may have a row twice: as it was and as it is. */
const LARGEST_MESSAGE = 2 * MAX_ROW_BYTES + SMALL;

/** What the server sends, message by message. They lie in `bytes` until the next one is asked for. */
export class WalFeed implements PgQuery {
  readonly #text: string;
  #wire: PgWire | undefined;
  #diversion: Diversion | undefined;
  #fill = 0;
  #next = 0;
  #isPaused = false;
  #isHandedBack = false;
  #isLeft = false;
  #arrived: (() => void) | undefined;
  /** Called when there may be something to step to, and nobody waits for it. */
  whenUnasked: () => void = () => {};
  #error: unknown;
  bytes: Buffer = Buffer.allocUnsafeSlow(SMALL);
  /** The message at hand. */
  start = 0;
  end = 0;
  callback: (() => void) | undefined = undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Called by the driver. */
  submit(connection: PgWire): void {
    const wire = wireOf(connection);
    this.#wire = wire;
    this.#diversion = divert(wire.stream, this.#onData);
    wire.query(this.#text);
  }

  /** Goes on to the next message. False when none is whole yet; throws what has ended the feed once all before it was read. */
  step(): boolean {
    for (;;) {
      const ready = this.#fill - this.#next;
      if (ready < HEADER) break;
      const size = this.bytes.readUInt32BE(this.#next + 1) + 1;
      const kind = this.bytes[this.#next];
      if (kind === COPY_DATA && size > LARGEST_MESSAGE) throw tooLarge(size);
      if (kind !== COPY_DATA && kind !== COPY_BOTH && !BESIDE.has(kind as number)) {
        this.#handBack();
        break;
      }
      if (ready < size) {
        this.#make(size);
        break;
      }
      this.start = this.#next + HEADER;
      this.end = this.#next + size;
      this.#next = this.end;
      if (kind === COPY_DATA) return true;
      if (kind !== COPY_BOTH) this.#diversion?.driver(this.bytes.subarray(this.start - HEADER, this.end));
    }
    if (this.#error !== undefined) throw this.#error;
    // A message that is larger than what is taken ahead has to get in as a whole.
    if (this.#isPaused && this.#fill - this.#next < Math.max(MOST_AHEAD, this.#wanted())) {
      this.#isPaused = false;
      this.#wire?.stream.resume();
    }
    return false;
  }

  /** Resolves when there may be something to step to, or when it is woken. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  wake(): void {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    if (arrived) arrived();
    else this.whenUnasked();
  }

  send(message: Buffer): void {
    const { stream } = this.#wire ?? {};
    if (!stream || stream.destroyed || this.#error !== undefined) return;
    const framed = Buffer.allocUnsafe(HEADER + message.length);
    framed[0] = COPY_DATA;
    framed.writeUInt32BE(message.length + 4, 1);
    message.copy(framed, HEADER);
    stream.write(framed);
  }

  /** Ends it. What was sent before still gets there. */
  leave(): void {
    const { stream } = this.#wire ?? {};
    if (!stream || stream.destroyed) return;
    // The end of the COPY, and of the connection.
    stream.end(Buffer.from([0x63, 0, 0, 0, 4, 0x58, 0, 0, 0, 4]));
    // What still comes has to be taken, or it is never heard that the connection is over.
    this.#isLeft = true;
    stream.resume();
    setTimeout(() => stream.destroy(), 1000).unref();
  }

  /** Gives memory back that a large row has taken. */
  shrink(): void {
    if (this.#fill === this.#next && this.bytes.length > SMALL) this.#make(0);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isLeft) return;
    if (this.#isHandedBack) return this.#diversion?.driver(chunk);
    if (this.#fill + chunk.length > this.bytes.length) this.#make(this.#fill - this.#next + chunk.length);
    chunk.copy(this.bytes, this.#fill);
    this.#fill += chunk.length;
    if (!this.#isPaused && this.#fill - this.#next >= Math.max(MOST_AHEAD, this.#wanted())) {
      this.#isPaused = true;
      this.#wire?.stream.pause();
    }
    this.wake();
  };

  /** How large the message is that has begun. */
  #wanted(): number {
    return this.#fill - this.#next < HEADER ? 0 : Math.min(LARGEST_MESSAGE, this.bytes.readUInt32BE(this.#next + 1) + 1);
  }

  /** Makes room for so many bytes, in the same memory where that is possible. The message at hand is gone then. */
  #make(room: number): void {
    if (room <= this.bytes.length && room > 0) {
      if (this.#next === 0) return;
      this.bytes.copyWithin(0, this.#next, this.#fill);
    } else {
      let size = SMALL;
      while (size < room) size *= 2;
      const other = Buffer.allocUnsafeSlow(size);
      this.bytes.copy(other, 0, this.#next, this.#fill);
      this.bytes = other;
    }
    this.#fill -= this.#next;
    this.#next = 0;
  }

  /** Everything from here on is the driver's: it knows how errors are spelled. */
  #handBack(): void {
    this.#isHandedBack = true;
    this.#diversion?.end();
    this.#diversion?.driver(this.bytes.subarray(this.#next, this.#fill));
    this.#next = this.#fill;
    if (this.#isPaused) this.#wire?.stream.resume();
    this.#isPaused = false;
  }

  handleError(error: unknown): void {
    this.#error ??= error;
    this.wake();
  }

  /** The server has ended the log, as when it is shut down. */
  handleReadyForQuery(): void {
    this.handleError(new Error('Connection terminated'));
  }

  handleCommandComplete(): void {
    this.handleReadyForQuery();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
}

function tooLarge(size: number): OutsideError {
  const megabytes = Math.round(size / 1024 / 1024);
  return new OutsideError(
    'data',
    'ROW_TOO_LARGE',
    `A change of ${megabytes} MB is larger than the ${Math.round(LARGEST_MESSAGE / 1024 / 1024)} MB that are allowed.`,
    { hint: 'Take the table out of the synchronization, or load it by a mirror that leaves the large column out.' },
  );
}
