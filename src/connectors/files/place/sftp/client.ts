import { aborted, OutsideError } from '../../../../outside/errors.ts';
import type { Reach } from '../../../../outside/reach.ts';
import { openSubsystem, type SshChannel } from '../../../../outside/ssh/connection.ts';
import { loginKeyOf } from '../../../../outside/ssh/keys.ts';
import { byte, ProtocolError, SshReader, string, uint32 } from '../../../../outside/ssh/wire.ts';
import type { SftpConfig } from '../config.ts';

// The other side has so long to say something while we wait for it.
const SILENT_MS = 30_000;
const MAX_MESSAGE = 1024 * 1024;
const [INIT, VERSION, STATUS] = [1, 2, 101];
export const OK = 0;

/** What was answered: its kind, and the rest of it. */
export interface SftpAnswer {
  readonly kind: number;
  readonly reader: SshReader;
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
  #live: Promise<Live> | undefined;
  #fingerprint: string | undefined;
  #id = 0;
  readonly #waiting = new Map<number, Waiting>();
  #greeting: Waiting | undefined;
  #sent: Promise<void> = Promise.resolve();
  #received: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  /** Raised with every connection: what was opened on an earlier one is gone. */
  generation = 0;

  constructor(config: SftpConfig, reach: Reach, closing: AbortSignal) {
    this.#config = config;
    this.#reach = reach;
    this.#closing = closing;
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
    const { channel } = await this.#connected();
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
    const { host, port, user, password, private_key: privateKey, passphrase, host_key: hostKey } = this.#config;
    const fields = { key: 'place.private_key', passphrase: 'place.passphrase' };
    const key = privateKey === undefined ? undefined : loginKeyOf(privateKey, passphrase, fields);
    this.#received = Buffer.alloc(0);
    this.#sent = Promise.resolve();
    this.generation++;
    // A server that comes back as another one in the middle of the work is not believed.
    const pinned = hostKey ?? this.#fingerprint;
    const options = { reach: this.#reach, host, port, user, password, key, hostKey: pinned, prefix: 'place.' };
    const events = {
      onData: (bytes: Buffer) => this.#receive(bytes),
      onEnd: (error: OutsideError) => {
        this.#live = undefined;
        this.#failAll(error);
      },
    };
    const channel = await openSubsystem('sftp', options, events, this.#closing);
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
    }
    this.#watch();
  }

  #take(message: Buffer): void {
    const kind = message[0] as number;
    const reader = new SshReader(message, 1);
    const id = reader.uint32();
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
        new OutsideError('transient', 'TIMEOUT', `${this.where} said nothing for ${SILENT_MS / 1000} seconds.`, {
          hint: 'The server or the way to it is overloaded. It is tried again later.',
        }),
      );
    }, SILENT_MS);
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
