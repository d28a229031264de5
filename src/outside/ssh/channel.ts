import { OutsideError } from '../errors.ts';
import type { Transport } from './transport.ts';
import { byte, printable, ProtocolError, SshReader, string, uint32 } from './wire.ts';

const WINDOW = 4 * 1024 * 1024;
const PACKET = 32 * 1024;
const [OPEN, OPENED, OPEN_FAILED, ADJUST, DATA, EXTENDED, END, CLOSE, REQUEST, DONE, FAILED] = [
  90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100,
];
/** The number of our only channel. */
const OWN = 0;
const SHORTAGE = 4;

interface ChannelOptions {
  readonly transport: Transport;
  /** Who is spoken to, for errors. */
  readonly where: string;
  readonly user: string;
  readonly subsystem: string;
  onOpen(): void;
  onData(bytes: Buffer): void;
}

/** The one channel of a connection: a session with a subsystem in it. */
export class SessionChannel {
  readonly #options: ChannelOptions;
  #stage: 'new' | 'opening' | 'starting' | 'open' | 'over' = 'new';
  /** The number of the channel at the other side, and how much it takes. */
  #remote = 0;
  #room = 0;
  #largest = PACKET;
  /** What has come in since the other side was told last that it may send more. */
  #unread = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#stage === 'open';
  }

  begin(): void {
    this.#stage = 'opening';
    this.#options.transport.send(Buffer.concat([byte(OPEN), string('session'), uint32(OWN), uint32(WINDOW), uint32(PACKET)]));
  }

  end(): void {
    this.#stage = 'over';
    this.wake();
  }

  /** Resolves when there is room for more, or when it is over. */
  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && this.isOpen; ) {
      const length = Math.min(bytes.length - at, this.#room, this.#largest);
      if (length === 0) {
        await this.#woken();
        continue;
      }
      this.#room -= length;
      const part = string(bytes.subarray(at, at + length));
      const isTaken = this.#options.transport.send(Buffer.concat([byte(DATA), uint32(this.#remote), part]));
      at += length;
      if (!isTaken && this.isOpen) await this.#woken();
    }
  }

  #woken(): Promise<void> {
    return new Promise((done) => this.#waiting.push(done));
  }

  wake(): void {
    for (const one of this.#waiting.splice(0)) one();
  }

  /** Takes a message about channels; answers false when it is none that is known. */
  take(message: Buffer): boolean {
    const kind = message[0] as number;
    const reader = new SshReader(message, 1);
    if (kind === OPEN) {
      reader.string();
      // Nothing is to be opened from there: "administratively prohibited".
      this.#options.transport.reply(Buffer.concat([byte(OPEN_FAILED), uint32(reader.uint32()), uint32(1), string(''), string('')]));
      return true;
    }
    if (kind < OPENED || kind > FAILED) return false;
    if (reader.uint32() !== OWN) throw new ProtocolError('it speaks of a channel that is not there');
    this.#about(kind, reader);
    return true;
  }

  #about(kind: number, reader: SshReader): void {
    switch (kind) {
      case OPENED:
        return this.#opened(reader);
      case OPEN_FAILED:
        this.#demand('opening');
        throw this.#refused(reader);
      case DONE:
        this.#demand('starting');
        this.#stage = 'open';
        return this.#options.onOpen();
      case FAILED:
        this.#demand('starting');
        throw this.#missing();
      case ADJUST:
        this.#demand('starting', 'open');
        this.#room = Math.min(this.#room + reader.uint32(), 0xffffffff);
        return this.wake();
      case DATA: {
        this.#demand('open');
        const bytes = reader.string();
        this.#received(bytes);
        return this.#options.onData(bytes);
      }
      case EXTENDED:
        this.#demand('starting', 'open');
        reader.uint32();
        return this.#received(reader.string());
      case END:
        return;
      case CLOSE:
        throw Object.assign(new Error('it ended the session'), { code: 'ECONNRESET' });
      case REQUEST:
        reader.string();
        if (reader.boolean()) this.#options.transport.reply(Buffer.concat([byte(FAILED), uint32(this.#remote)]));
    }
  }

  #demand(...stages: string[]): void {
    if (!stages.includes(this.#stage)) throw new ProtocolError('a message comes before its time');
  }

  #opened(reader: SshReader): void {
    this.#demand('opening');
    this.#stage = 'starting';
    [this.#remote, this.#room, this.#largest] = [reader.uint32(), reader.uint32(), Math.min(reader.uint32(), PACKET)];
    if (this.#largest === 0) throw new ProtocolError('it takes no bytes at all');
    const { transport, subsystem } = this.#options;
    transport.send(Buffer.concat([byte(REQUEST), uint32(this.#remote), string('subsystem'), byte(1), string(subsystem)]));
  }

  #received(bytes: Buffer): void {
    this.#unread += bytes.length;
    if (this.#unread < WINDOW / 2) return;
    this.#options.transport.reply(Buffer.concat([byte(ADJUST), uint32(this.#remote), uint32(this.#unread)]));
    this.#unread = 0;
  }

  #refused(reader: SshReader): OutsideError {
    const { where, user } = this.#options;
    const [code, words] = [reader.uint32(), printable(reader.text())];
    const why = words === '' ? '' : `: ${words}`;
    if (code === SHORTAGE) return new OutsideError('transient', 'SERVER_BUSY', `${where} has no session left for ${user}${why}.`);
    return new OutsideError('auth', 'CHANNEL_REFUSED', `${where} lets ${user} in, but refuses a session${why}.`, {
      hint: 'Look at the settings of the SSH server, such as MaxSessions, and what its log says.',
    });
  }

  #missing(): OutsideError {
    const { where, user, subsystem } = this.#options;
    return new OutsideError('config', 'SUBSYSTEM_MISSING', `${where} does not offer ${subsystem} to ${user}.`, {
      hint: `Switch ${subsystem} on in the SSH server, or choose another user.`,
    });
  }
}
