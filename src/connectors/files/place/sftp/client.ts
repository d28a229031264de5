import { aborted, LOST_HINT, OutsideError } from '../../../../outside/errors.ts';
import type { Reach } from '../../../../outside/reach.ts';
import { openSubsystem, type SshChannel } from '../../../../outside/ssh/connection.ts';
import { type LoginKey, loginKeyOf } from '../../../../outside/ssh/keys.ts';
import { byte, ProtocolError, SshReader, string, uint32 } from '../../../../outside/ssh/wire.ts';
import type { SftpConfig } from '../config.ts';

const SILENT_MS = 30_000;
const MAX_MESSAGE = 1024 * 1024;
const [INIT, VERSION, STATUS] = [1, 2, 101];
export const OK = 0;

/** What was answered: its kind, and the rest of it. */
export interface SftpAnswer {
  readonly kind: number;
  readonly reader: SshReader;
}

/** Something that was opened. It is gone with the connection that it was opened on. */
export interface RemoteHandle {
  readonly bytes: Buffer;
  readonly generation: number;
}

interface Waiting {
  resolve(answer: SftpAnswer): void;
  reject(error: Error): void;
}

interface Live {
  readonly channel: SshChannel;
  readonly extensions: ReadonlySet<string>;
}

/** Requests and answers of the SSH File Transfer Protocol, version 3. It connects when something is wanted, and again when the connection was lost. */
export class SftpClient {
  readonly #config: SftpConfig;
  readonly #reach: Reach;
  readonly #closing: AbortSignal;
  /** The other side has so many milliseconds to say something while we wait for it. */
  readonly silence: number;
  #key: LoginKey | undefined;
  #live: Promise<Live> | undefined;
  #fingerprint: string | undefined;
  #id = 0;
  readonly #waiting = new Map<number, Waiting>();
  #greeting: Waiting | undefined;
  #sent: Promise<void> = Promise.resolve();
  #received: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  /** Raised with every connection. */
  #generation = 0;

  constructor(config: SftpConfig, reach: Reach, closing: AbortSignal, silence = SILENT_MS) {
    this.#config = config;
    this.#reach = reach;
    this.#closing = closing;
    this.silence = silence;
  }

  get where(): string {
    return `${this.#config.host}:${this.#config.port}`;
  }

  /** The fingerprint of the server's host key. */
  async fingerprint(): Promise<string> {
    await this.#connected();
    return this.#fingerprint ?? '';
  }

  async can(extension: string): Promise<boolean> {
    return (await this.#connected()).extensions.has(extension);
  }

  /** Sends a request. The answer is of its kind, or a status. */
  async ask(kind: number, ...parts: Buffer[]): Promise<SftpAnswer> {
    return this.#asked(await this.#connected(), kind, parts);
  }

  /** Sends a request about what was opened. A server gives the same handles again: on another connection it would be about another file. */
  async askAbout(handle: RemoteHandle, kind: number, ...parts: Buffer[]): Promise<SftpAnswer> {
    const live = this.isThere(handle) && (await this.#live);
    if (!live)
      throw new OutsideError('transient', 'CONNECTION_LOST', `The connection to ${this.where} was lost, and what was open on it.`, {
        hint: LOST_HINT,
      });
    return this.#asked(live, kind, parts);
  }

  /** A handle that was just answered. */
  handleOf(bytes: Buffer): RemoteHandle {
    return { bytes: Buffer.from(bytes), generation: this.#generation };
  }

  isThere({ generation }: RemoteHandle): boolean {
    return this.#live !== undefined && generation === this.#generation;
  }

  /** An answer that makes no sense. */
  broken(why: string): OutsideError {
    return new OutsideError('transient', 'ANSWER_BROKEN', `${this.where} answered what makes no sense: ${why}.`, {
      hint: 'It is tried again. If it stays so, look what its log says.',
    });
  }

  tooSlow(): OutsideError {
    return new OutsideError('transient', 'TIMEOUT', `${this.where} sends hardly anything.`, {
      hint: 'The server or the way to it is overloaded. It is tried again later.',
    });
  }

  #asked({ channel }: Live, kind: number, parts: readonly Buffer[]): Promise<SftpAnswer> {
    const id = (this.#id = (this.#id + 1) >>> 0);
    const answer = new Promise<SftpAnswer>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#watch();
    const body = Buffer.concat([byte(kind), uint32(id), ...parts]);
    // One message after the other, whole.
    this.#sent = this.#sent.then(() => channel.write(string(body)));
    return answer;
  }

  close(): void {
    const live = this.#live;
    this.#live = undefined;
    void live?.then(({ channel }) => channel.close()).catch(() => {});
    this.#failAll(aborted());
  }

  #connected(): Promise<Live> {
    if (this.#closing.aborted) throw aborted();
    this.#live ??= this.#connect().catch((error: unknown) => {
      this.#live = undefined;
      throw error;
    });
    return this.#live;
  }

  async #connect(): Promise<Live> {
    const { host, port, user, password, host_key: hostKey } = this.#config;
    this.#received = Buffer.alloc(0);
    this.#sent = Promise.resolve();
    this.#generation++;
    // A server that comes back as another one in the middle of the work is not believed.
    const pinned = hostKey ?? this.#fingerprint;
    const options = { reach: this.#reach, host, port, user, password, key: this.#loginKey(), hostKey: pinned, prefix: 'place.' };
    const events = {
      onData: (bytes: Buffer) => this.#receive(bytes),
      onEnd: (error: OutsideError) => {
        this.#live = undefined;
        this.#failAll(error);
      },
    };
    const channel = await openSubsystem('sftp', options, events, this.#closing);
    try {
      const greeted = new Promise<SftpAnswer>((resolve, reject) => {
        this.#greeting = { resolve, reject };
      });
      this.#watch();
      void channel.write(string(Buffer.concat([byte(INIT), uint32(3)])));
      const { reader } = await greeted;
      const extensions = new Set<string>();
      while (reader.left > 0) {
        extensions.add(reader.text());
        reader.string();
      }
      this.#fingerprint = channel.fingerprint;
      return { channel, extensions };
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  /** Opened once: a passphrase takes a while. */
  #loginKey(): LoginKey | undefined {
    const { private_key: privateKey, passphrase } = this.#config;
    if (privateKey === undefined) return undefined;
    return (this.#key ??= loginKeyOf(privateKey, passphrase, { key: 'place.private_key', passphrase: 'place.passphrase' }));
  }

  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#received, bytes]);
    for (;;) {
      if (this.#received.length < 4) break;
      const length = this.#received.readUInt32BE();
      if (length < 5 || length > MAX_MESSAGE) throw new ProtocolError('a message of SFTP has an impossible length');
      if (this.#received.length < 4 + length) break;
      const message = this.#received.subarray(4, 4 + length);
      this.#received = this.#received.subarray(4 + length);
      this.#take(message);
      // Only what is whole counts: one byte now and then would hold a run without end.
      this.#watch();
    }
  }

  #take(message: Buffer): void {
    const kind = message[0] as number;
    const id = new SshReader(message, 1).uint32();
    const reader = new SshReader(message, 5, (why) => this.broken(why));
    if (kind === VERSION) {
      if (id < 3 || !this.#greeting) throw new ProtocolError('it speaks another version of SFTP');
      this.#greeting.resolve({ kind, reader });
      this.#greeting = undefined;
      return;
    }
    const waiting = this.#waiting.get(id);
    if (!waiting) throw new ProtocolError('it answers what nobody asked');
    this.#waiting.delete(id);
    waiting.resolve({ kind, reader });
  }

  /** Begins to wait anew, as long as there is something to wait for. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0 && !this.#greeting) return;
    this.#timer = setTimeout(() => {
      const live = this.#live;
      this.#live = undefined;
      void live?.then(({ channel }) => channel.close()).catch(() => {});
      this.#failAll(
        new OutsideError('transient', 'TIMEOUT', `${this.where} said nothing for ${this.silence / 1000} seconds.`, {
          hint: 'The server or the way to it is overloaded. It is tried again later.',
        }),
      );
    }, this.silence);
  }

  #failAll(error: OutsideError): void {
    clearTimeout(this.#timer);
    this.#greeting?.reject(error);
    this.#greeting = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** The code of a status; undefined when it is another answer. */
export function statusOf({ kind, reader }: SftpAnswer): number | undefined {
  return kind === STATUS ? reader.uint32() : undefined;
}
