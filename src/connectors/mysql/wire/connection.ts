import type { Duplex } from 'node:stream';
import { codeOf, OutsideError } from '../../../outside/errors.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { type StatementResult, answerOf, readLength, refusal, type Texts, textsOf } from './packets.ts';

// The driver shakes hands; from then on we speak the text protocol ourselves. Rows are taken as bytes straight out of what
// the network delivers, a row too large is refused before it is all here, and a server that asks for a file of ours gets
// only the rows we meant to load.

/** What takes the rows of a statement: the bytes of each, as the protocol frames them. */
export interface RowSink {
  /** The type of every column, as the protocol numbers them, before the first row of a statement. */
  columns?(types: readonly number[]): void;
  row(bytes: Buffer, start: number, end: number): void;
}

/** What a packet of the log may have: one event, which is a row or a compressed transaction. */
const MAX_EVENT_BYTES = 4 * MAX_ROW_BYTES;

interface RunningStatement {
  sink: RowSink | undefined;
  /** What LOAD DATA LOCAL gets to read. */
  data: Iterable<Buffer> | undefined;
  /** It answers with events of the log, one in each packet, and does not end. */
  isDump?: boolean;
  /** What was wrong with it. */
  fault?: Error;
  resolve: (answer: StatementResult) => void;
  reject: (error: Error) => void;
}

type WireState = 'idle' | 'answer' | 'columns' | 'end-of-columns' | 'rows' | 'events';

const COM_QUIT = 1;
const COM_QUERY = 3;
const LONGEST_PACKET = 0xffffff;
/** Below this, copying is cheaper than another call of the system. */
const SMALL = 16_384;
const NO_ANSWER: StatementResult = { affected: 0, warnings: 0, info: '' };
/** A packet that is on its way for longer than this, at less than this many bytes in a second, comes from a server that is broken. */
const PACKET_TIMEOUT = 60_000;
const SLOWEST = 10_000;

export class Wire {
  readonly #stream: Duplex;
  /** `10.11.19-MariaDB` or `8.0.36`. */
  readonly version: string;
  readonly isMariaDb: boolean;
  readonly isEncrypted: boolean;
  #state: WireState = 'idle';
  #statement: RunningStatement | undefined;
  #columns = 0;
  #types: number[] = [];
  #sequence = 0;
  #failure: Error | undefined;
  // What arrived of a packet that is not complete.
  readonly #header = Buffer.alloc(4);
  #headerLength = 0;
  #packet: Buffer | undefined;
  #packetLength = 0;
  // The parts of a row of more than 16 MB.
  #parts: Buffer[] = [];
  #partsLength = 0;
  #since = 0;
  readonly #watch: NodeJS.Timeout;

  constructor(stream: Duplex, version: string) {
    this.#stream = stream;
    this.version = version;
    this.isEncrypted = 'encrypted' in stream;
    this.isMariaDb = /mariadb/i.test(version);
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', (error) => {
      const code = codeOf(error);
      this.#fail(
        error instanceof OutsideError
          ? error
          : new OutsideError('transient', 'CONNECTION_LOST', `The connection to the server was lost${code ? ` (${code})` : ''}.`, {
              cause: error,
            }),
      );
    });
    stream.on('close', () => this.#fail(new OutsideError('transient', 'CONNECTION_LOST', 'The server closed the connection.')));
    this.#watch = setInterval(() => {
      if ((!this.#packet && this.#parts.length === 0) || stream.isPaused()) return;
      const elapsed = performance.now() - this.#since;
      const received = (this.#packet ? this.#packetLength : 0) + this.#partsLength;
      if (elapsed > PACKET_TIMEOUT && received < (elapsed / 1000) * SLOWEST)
        this.#fail(new OutsideError('transient', 'TIMEOUT', 'The server began to send a row and hardly went on.'));
    }, 5000).unref();
  }

  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }

  get isOpen(): boolean {
    return this.#failure === undefined && !this.#stream.destroyed;
  }

  /** Runs a statement that answers with no rows. */
  run(sql: string | Buffer): Promise<StatementResult> {
    return this.#start(sql, { sink: undefined, data: undefined });
  }

  /** The rows of a statement, for small answers. */
  async rows(sql: string): Promise<Texts[]> {
    const rows: Texts[] = [];
    await this.#start(sql, { sink: { row: (bytes, start, end) => void rows.push(textsOf(bytes, start, end)) }, data: undefined });
    return rows;
  }

  /** Hands every row to `sink`; resolves behind the last one. */
  async stream(sql: string, sink: RowSink): Promise<void> {
    await this.#start(sql, { sink, data: undefined });
  }

  /** Runs LOAD DATA LOCAL, with these bytes as the file. */
  load(sql: string, data: Iterable<Buffer>): Promise<StatementResult> {
    return this.#start(sql, { sink: undefined, data });
  }

  /** Sends a command of the protocol that answers with no rows. */
  command(bytes: Buffer): Promise<StatementResult> {
    return this.#begin(bytes, { sink: undefined, data: undefined });
  }

  /** Sends a command that makes the server send its log: every event is handed to `sink`, until the server ends it. */
  async dump(bytes: Buffer, sink: RowSink): Promise<void> {
    await this.#begin(bytes, { sink, data: undefined, isDump: true });
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#since = performance.now();
    this.#stream.resume();
  }

  /** Says goodbye; at once when a statement is under way. */
  end(): void {
    if (this.#state === 'idle' && this.isOpen) {
      this.#sequence = 0;
      this.#send(Buffer.from([COM_QUIT]));
      this.#failure = new OutsideError('transient', 'CONNECTION_CLOSED', 'The connection was closed.');
      clearInterval(this.#watch);
      this.#stream.end(() => this.#stream.destroy());
      setTimeout(() => this.#stream.destroy(), 1000).unref();
      return;
    }
    this.destroy();
  }

  destroy(error?: Error): void {
    this.#fail(error ?? new OutsideError('transient', 'CONNECTION_CLOSED', 'The connection was closed.'));
  }

  #start(sql: string | Buffer, started: Pick<RunningStatement, 'sink' | 'data'>): Promise<StatementResult> {
    return this.#begin(Buffer.concat([Buffer.from([COM_QUERY]), typeof sql === 'string' ? Buffer.from(sql) : sql]), started);
  }

  #begin(command: Buffer, started: Pick<RunningStatement, 'sink' | 'data' | 'isDump'>): Promise<StatementResult> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#state !== 'idle') return Promise.reject(new Error('A statement is under way on this connection.'));
    return new Promise((resolve, reject) => {
      this.#state = started.isDump ? 'events' : 'answer';
      this.#statement = { ...started, resolve, reject };
      this.#sequence = 0;
      this.#stream.resume();
      this.#send(command);
    });
  }

  /** Sends one logical packet, cut where the protocol wants it. Answers whether there is room for more. */
  #send(payload: Buffer): boolean {
    let hasRoom = true;
    for (let at = 0; ; at += LONGEST_PACKET) {
      const part = payload.subarray(at, at + LONGEST_PACKET);
      const header = Buffer.allocUnsafe(4);
      header.writeUIntLE(part.length, 0, 3);
      header[3] = this.#sequence++ & 0xff;
      if (part.length < SMALL) hasRoom = this.#stream.write(Buffer.concat([header, part]));
      else {
        this.#stream.write(header);
        hasRoom = this.#stream.write(part);
      }
      if (part.length < LONGEST_PACKET) return hasRoom;
    }
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    clearInterval(this.#watch);
    this.#stream.destroy();
    const statement = this.#statement;
    this.#statement = undefined;
    this.#packet = undefined;
    this.#parts = [];
    statement?.reject(error);
  }

  #done(answer: StatementResult): void {
    const statement = this.#statement;
    this.#statement = undefined;
    this.#state = 'idle';
    if (statement?.fault) statement.reject(statement.fault);
    else statement?.resolve(answer);
  }

  #refused(error: Error): void {
    const statement = this.#statement;
    this.#statement = undefined;
    this.#state = 'idle';
    statement?.reject(error);
  }

  #take(chunk: Buffer): void {
    try {
      this.#cut(chunk);
    } catch (error) {
      const isOurs = error instanceof OutsideError;
      this.#fail(
        isOurs ? error : new OutsideError('transient', 'PROTOCOL_ERROR', 'The server sent what cannot be understood.', { cause: error }),
      );
    }
  }

  /** Cuts what arrived into packets. */
  #cut(chunk: Buffer): void {
    const length = chunk.length;
    let at = 0;
    while (at < length && !this.#failure) {
      if (this.#packet) {
        const wanted = Math.min(this.#packet.length - this.#packetLength, length - at);
        chunk.copy(this.#packet, this.#packetLength, at, at + wanted);
        this.#packetLength += wanted;
        at += wanted;
        if (this.#packetLength < this.#packet.length) return;
        const packet = this.#packet;
        this.#packet = undefined;
        this.#framed(packet, 0, packet.length);
        continue;
      }
      let size: number;
      if (this.#headerLength === 0 && length - at >= 4) {
        size = (chunk[at] as number) | ((chunk[at + 1] as number) << 8) | ((chunk[at + 2] as number) << 16);
        this.#sequence = (chunk[at + 3] as number) + 1;
        at += 4;
      } else {
        this.#header[this.#headerLength++] = chunk[at++] as number;
        if (this.#headerLength < 4) continue;
        this.#headerLength = 0;
        size = this.#header.readUIntLE(0, 3);
        this.#sequence = (this.#header[3] as number) + 1;
      }
      if (size <= length - at) {
        this.#framed(chunk, at, at + size);
        at += size;
      } else {
        if (this.#parts.length === 0) this.#since = performance.now();
        this.#packet = Buffer.allocUnsafe(size);
        this.#packetLength = 0;
      }
    }
  }

  /** A whole packet; several of the longest make one. */
  #framed(bytes: Buffer, start: number, end: number): void {
    const isPart = end - start === LONGEST_PACKET;
    if (!isPart && this.#parts.length === 0) return this.#understand(bytes, start, end);
    this.#partsLength += end - start;
    if (this.#partsLength > (this.#state === 'events' ? MAX_EVENT_BYTES : MAX_ROW_BYTES))
      throw new OutsideError('data', 'ROW_TOO_LARGE', `A row is larger than ${MAX_ROW_BYTES} bytes.`, {
        hint: 'Leave the large field out of the synchronization.',
      });
    this.#parts.push(Buffer.from(bytes.subarray(start, end)));
    if (isPart) return undefined;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partsLength = 0;
    return this.#understand(whole, 0, whole.length);
  }

  #understand(bytes: Buffer, start: number, end: number): void {
    const first = bytes[start];
    switch (this.#state) {
      case 'rows':
        if (first === 0xfe && end - start < 9) return this.#done(NO_ANSWER);
        if (first === 0xff) return this.#refused(refusal(bytes, start, end));
        this.#statement?.sink?.row(bytes, start, end);
        return undefined;
      case 'events':
        if (first === 0x00) return this.#statement?.sink?.row(bytes, start + 1, end);
        if (first === 0xff) return this.#refused(refusal(bytes, start, end));
        return this.#done(NO_ANSWER);
      case 'answer':
        if (first === 0xff) return this.#refused(refusal(bytes, start, end));
        if (first === 0x00) return this.#done(answerOf(bytes, start, end));
        if (first === 0xfb) return void this.#upload();
        this.#columns = readLength(bytes, start).length;
        if (!this.#statement?.sink) throw new OutsideError('transient', 'PROTOCOL_ERROR', 'The server sent rows that were not asked for.');
        this.#state = 'columns';
        this.#types = [];
        return undefined;
      case 'columns':
        // Of the definition, only the type matters; it stands at a fixed distance from the end.
        this.#types.push(bytes[end - 6] ?? 0);
        if (--this.#columns === 0) this.#state = 'end-of-columns';
        return undefined;
      case 'end-of-columns':
        this.#state = 'rows';
        this.#statement?.sink?.columns?.(this.#types);
        return undefined;
      case 'idle':
        // A server that shuts down says so before it closes.
        throw first === 0xff
          ? refusal(bytes, start, end)
          : new OutsideError('transient', 'PROTOCOL_ERROR', 'The server spoke without being asked.');
    }
  }

  /** The server wants the file of LOAD DATA LOCAL. Whatever name it says, it gets our rows, and nothing when there are none. */
  async #upload(): Promise<void> {
    try {
      for (const chunk of this.#statement?.data ?? []) {
        if (!this.#send(chunk)) await new Promise<void>((resolve) => this.#whenWritable(resolve));
        if (this.#failure) return;
      }
    } catch (error) {
      if (!(error instanceof OutsideError)) return this.#fail(error as Error);
      // The rows themselves are at fault: the file ends here, and whatever the server says to it, this is what happened.
      if (this.#statement) this.#statement.fault = error;
    }
    if (!this.#failure) this.#send(Buffer.alloc(0));
  }

  #whenWritable(resume: () => void): void {
    const stream = this.#stream;
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resume();
    };
    stream.on('drain', done);
    stream.on('close', done);
  }
}
