import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { AGREEMENTS, derivedKey, exchangeHash, type Half } from './exchange.ts';
import { isSignedBy } from './keys.ts';
import { CIPHERS, MACS, Opener, type Protection, Sealer } from './packets.ts';
import { byte, mpint, printable, ProtocolError, SshReader, string, uint32 } from './wire.ts';

const VERSION = 'SSH-2.0-Syncline';
// Lines that a server may say before its version, and their length.
const MAX_GREETING = 32 * 1024;
// As RFC 4253 asks for.
const RENEWAL: Renewal = { bytes: 1024 ** 3, ms: 3_600_000 };
// A server that asks and asks, and does not take our answers, would fill the memory.
const MAX_ANSWERS = 1000;
const MAX_UNSENT = 1024 * 1024;
const [DISCONNECT, IGNORE, UNIMPLEMENTED, DEBUG, EXT_INFO, KEXINIT, NEWKEYS, KEX_SENT, KEX_REPLY] = [1, 2, 3, 4, 7, 20, 21, 30, 31];
const STRICT = { ours: 'kex-strict-c-v00@openssh.com', theirs: 'kex-strict-s-v00@openssh.com' };

/** New keys are agreed on after so many bytes, or so much time. */
export interface Renewal {
  readonly bytes: number;
  readonly ms: number;
}

interface TransportOptions {
  readonly socket: Socket;
  /** How the server may prove who it is, the best first. */
  readonly algorithms: readonly string[];
  readonly renewal?: Renewal | undefined;
  /** Judges the key by which the server has proved who it is; throws when it is not to be believed. `offered` is all that it could prove. */
  judgeHost(blob: Buffer, offered: readonly string[]): void;
  /** A message that is not about keys. */
  onMessage(message: Buffer): void;
  /** The first time that both sides have keys. */
  onReady(): void;
  /** It is over; called once. */
  onEnd(error: Error): void;
}

/** What was agreed on for a key exchange that is under way. */
interface Exchange {
  readonly ours: Buffer;
  theirs?: Buffer;
  half?: Half;
  agreement?: string;
  hostKey?: string;
  offered?: readonly string[];
  chosen?: { out: Pick<Protection, 'cipher' | 'mac'>; in: Pick<Protection, 'cipher' | 'mac'> };
  isGuessWrong?: boolean;
  incoming?: Protection;
}

/** The encrypted way to a server: versions, keys, packets. What they carry is the business of others. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #sealer = new Sealer();
  readonly #opener = new Opener();
  #greeting: Buffer | undefined = Buffer.alloc(0);
  #theirVersion = '';
  #exchange: Exchange | undefined;
  /** The hash of the first exchange: it names this connection. */
  #session: Buffer | undefined;
  #isStrict = false;
  #isEnded = false;
  /** Whether what comes in is protected by keys. */
  #isReady = false;
  /** Messages that wait until there are new keys. */
  readonly #held: Buffer[] = [];
  #bytes = 0;
  #begun = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { socket } = options;
    socket.on('data', (bytes: Buffer) => this.#guarded(() => this.#receive(bytes)));
    socket.on('error', (error) => this.end(error));
    socket.on('close', () => this.end(Object.assign(new Error('the connection ended'), { code: 'ECONNRESET' })));
    socket.write(`${VERSION}\r\n`);
    this.#begin();
  }

  get session(): Buffer {
    return this.#session ?? Buffer.alloc(0);
  }

  /** Sends a message; answers false when the socket has enough for now. */
  send(message: Buffer): boolean {
    if (this.#isEnded) return true;
    if (this.#exchange) {
      this.#held.push(message);
      return false;
    }
    return this.#write(message);
  }

  /** Sends what the other side has brought about. */
  reply(message: Buffer): void {
    if (this.#held.length >= MAX_ANSWERS || this.#options.socket.writableLength >= MAX_UNSENT)
      throw new ProtocolError('it asks without taking the answers');
    this.send(message);
  }

  /** Says that the message which came last is not known. */
  refuse(): void {
    this.reply(Buffer.concat([byte(UNIMPLEMENTED), uint32((this.#opener.sequence - 1) >>> 0)]));
  }

  end(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.socket.destroy();
    this.#options.onEnd(error);
  }

  #write(message: Buffer): boolean {
    this.#bytes += message.length;
    return this.#options.socket.write(this.#sealer.seal(message));
  }

  #guarded(work: () => void): void {
    if (this.#isEnded) return;
    try {
      work();
    } catch (error) {
      this.end(error as Error);
    }
  }

  #receive(bytes: Buffer): void {
    if (this.#greeting) {
      this.#greeting = Buffer.concat([this.#greeting, bytes]);
      this.#greet();
    } else this.#opener.add(bytes);
    if (this.#greeting) return;
    for (let message = this.#opener.next(); message && !this.#isEnded; message = this.#opener.next()) {
      this.#bytes += message.length;
      this.#take(message);
    }
    const { bytes: most, ms } = this.#options.renewal ?? RENEWAL;
    if (this.#session && !this.#exchange && (this.#bytes > most || performance.now() - this.#begun > ms)) this.#begin();
  }

  /** Lines before the one with its version are for people. */
  #greet(): void {
    const bytes = this.#greeting as Buffer;
    for (let from = 0; ; ) {
      const end = bytes.indexOf(0x0a, from);
      if (end === -1) {
        if (bytes.length > MAX_GREETING) throw new ProtocolError('it says no version');
        return;
      }
      const line = bytes.toString('latin1', from, end).replace(/\r$/, '');
      from = end + 1;
      if (!line.startsWith('SSH-')) continue;
      if (!/^SSH-(2\.0|1\.99)-/.test(line)) throw new ProtocolError(`it speaks ${printable(line, 40)}`);
      this.#theirVersion = line;
      this.#greeting = undefined;
      this.#opener.add(bytes.subarray(from));
      return;
    }
  }

  #begin(): void {
    const isFirst = this.#session === undefined;
    const kex = [...AGREEMENTS.keys(), ...(isFirst ? ['ext-info-c', STRICT.ours] : [])];
    const [ciphers, macs] = [[...CIPHERS.keys()], [...MACS.keys()]];
    const lists = [kex, this.#options.algorithms, ciphers, ciphers, macs, macs, ['none'], ['none'], [], []];
    const ours = Buffer.concat([byte(KEXINIT), randomBytes(16), ...lists.map((list) => string(list.join(','))), byte(0), uint32(0)]);
    this.#exchange = { ours };
    this.#write(ours);
    this.#bytes = 0;
    this.#begun = performance.now();
  }

  #take(message: Buffer): void {
    const kind = message[0] as number;
    // Until there are keys, nobody has proved anything: with the strict rules, nothing may slip in between.
    const isEarly = !this.#isReady;
    if (isEarly && this.#isStrict && ![DISCONNECT, NEWKEYS, KEX_REPLY].includes(kind))
      throw new ProtocolError('a message comes before its time');
    // Who has begun to agree on new keys says nothing else until they are there.
    if (this.#exchange?.theirs && kind >= 50) throw new ProtocolError('a message comes between keys');
    switch (kind) {
      case DISCONNECT: {
        const reader = new SshReader(message, 1);
        const [code, words] = [reader.uint32(), reader.text()];
        throw Object.assign(new Error(printable(words)), { code: 'SSH_DISCONNECT', reason: code });
      }
      case IGNORE:
      case UNIMPLEMENTED:
      case DEBUG:
      case EXT_INFO:
        return;
      case KEXINIT:
        return this.#agree(Buffer.from(message));
      case KEX_REPLY:
        return this.#exchanged(message);
      case NEWKEYS:
        return this.#renew();
      default:
        if (isEarly) throw new ProtocolError('a message comes before its time');
        return this.#options.onMessage(message);
    }
  }

  #agree(theirs: Buffer): void {
    if (!this.#exchange) this.#begin();
    const exchange = this.#exchange as Exchange;
    if (exchange.theirs) throw new ProtocolError('it begins twice to agree on keys');
    const reader = new SshReader(theirs, 17);
    const [kex = [], hostKeys = [], cipherOut = [], cipherIn = [], macOut = [], macIn = [], packOut = [], packIn = []] = Array.from(
      { length: 8 },
      () => reader.names(),
    );
    reader.names();
    reader.names();
    const isGuessed = reader.boolean();
    if (!this.#session) this.#isStrict = kex.includes(STRICT.theirs);
    if (!this.#session && this.#isStrict && this.#opener.sequence !== 1) throw new ProtocolError('a message comes before its time');
    const agreement = common('way to agree on keys', [...AGREEMENTS.keys()], kex);
    exchange.theirs = theirs;
    exchange.agreement = agreement;
    exchange.hostKey = common('type of host key', this.#options.algorithms, hostKeys);
    exchange.offered = hostKeys;
    common('compression', ['none'], packOut);
    common('compression', ['none'], packIn);
    exchange.chosen = { out: protectionOf(cipherOut, macOut), in: protectionOf(cipherIn, macIn) };
    exchange.isGuessWrong = isGuessed && (kex[0] !== [...AGREEMENTS.keys()][0] || hostKeys[0] !== this.#options.algorithms[0]);
    exchange.half = AGREEMENTS.get(agreement)?.begin() as Half;
    this.#write(Buffer.concat([byte(KEX_SENT), exchange.half.sent]));
  }

  #exchanged(message: Buffer): void {
    const exchange = this.#exchange;
    if (!exchange?.half || !exchange.theirs || !exchange.agreement || !exchange.chosen || exchange.incoming)
      throw new ProtocolError('a message comes before its time');
    // It had guessed what we would choose, and wrongly.
    if (exchange.isGuessWrong) {
      exchange.isGuessWrong = false;
      return;
    }
    const reader = new SshReader(message, 1);
    const [hostKey, theirs, signature] = [Buffer.from(reader.string()), Buffer.from(reader.string()), reader.string()];
    const { hash } = AGREEMENTS.get(exchange.agreement) as { hash: string };
    const secret = mpint(exchange.half.secret(theirs));
    const versions = [string(VERSION), string(this.#theirVersion)];
    const exchanged = exchangeHash(hash, [
      ...versions,
      string(exchange.ours),
      string(exchange.theirs),
      string(hostKey),
      exchange.half.sent,
      string(theirs),
      secret,
    ]);
    if (!isSignedBy(hostKey, exchange.hostKey as string, exchanged, signature))
      throw new ProtocolError('it does not prove that it has its host key');
    this.#options.judgeHost(hostKey, exchange.offered ?? []);
    const session = (this.#session ??= exchanged);
    const keys = (names: Pick<Protection, 'cipher' | 'mac'>, letters: string): Protection => {
      const { key, iv } = CIPHERS.get(names.cipher) as { key: number; iv: number };
      const made = (letter: string | undefined, length: number): Buffer =>
        derivedKey(hash, secret, exchanged, letter ?? '', session, length);
      return { ...names, iv: made(letters[0], iv), key: made(letters[1], key), macKey: made(letters[2], MACS.get(names.mac)?.bytes ?? 0) };
    };
    this.#write(byte(NEWKEYS));
    this.#sealer.protect(keys(exchange.chosen.out, 'ACE'));
    if (this.#isStrict) this.#sealer.sequence = 0;
    exchange.incoming = keys(exchange.chosen.in, 'BDF');
  }

  #renew(): void {
    const incoming = this.#exchange?.incoming;
    if (!incoming) throw new ProtocolError('a message comes before its time');
    this.#opener.protect(incoming);
    if (this.#isStrict) this.#opener.sequence = 0;
    this.#exchange = undefined;
    if (!this.#isReady) {
      this.#isReady = true;
      this.#options.onReady();
    }
    for (const message of this.#held.splice(0)) this.send(message);
    this.#options.socket.emit('drain');
  }
}

/** The first of ours that the other side has, too. */
function common(what: string, ours: readonly string[], theirs: readonly string[]): string {
  const found = ours.find((one) => theirs.includes(one));
  if (found === undefined) throw new ProtocolError(`there is no ${what} that both sides know; it has ${printable(theirs.join(', '))}`);
  return found;
}

function protectionOf(ciphers: readonly string[], macs: readonly string[]): Pick<Protection, 'cipher' | 'mac'> {
  const cipher = common('cipher', [...CIPHERS.keys()], ciphers);
  // Such a cipher proves by itself that nothing was changed.
  return { cipher, mac: CIPHERS.get(cipher)?.isSealed ? '' : common('MAC', [...MACS.keys()], macs) };
}
