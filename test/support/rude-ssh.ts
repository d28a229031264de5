import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { AGREEMENTS, derivedKey, exchangeHash } from '../../src/outside/ssh/exchange.ts';
import { fingerprintOf } from '../../src/outside/ssh/keys.ts';
import { Opener, type Protection, Sealer } from '../../src/outside/ssh/packets.ts';
import { byte, mpint, SshReader, string, uint32 } from '../../src/outside/ssh/wire.ts';

const VERSION = 'SSH-2.0-rude';
const CIPHER = { cipher: 'aes128-gcm@openssh.com', mac: '' };

interface HostKey {
  readonly type: string;
  readonly blob: Buffer;
  sign(data: Buffer): Buffer;
}

/** What a server of the tests does otherwise than it should. Messages by their number; what is not named here is answered well. */
export interface Manners {
  readonly isLax?: boolean;
  readonly hostKeys?: readonly string[];
  readonly kex?: string;
  hostKey?(exchange: number): HostKey;
  /** Before its list of algorithms, and before its half of the secret. */
  first?(session: RudeSession): void;
  middle?(session: RudeSession): void;
  /** Its half, instead of a good one. */
  readonly half?: Buffer;
  readonly answers?: Readonly<Record<number, (session: RudeSession, message: Buffer) => void>>;
  /** The bytes of the subsystem. */
  onData?(session: RudeSession, bytes: Buffer): void;
}

export interface RudeSsh {
  readonly port: number;
  readonly fingerprint: string;
  /** The connections that are there now, and all messages that came. */
  readonly sockets: ReadonlySet<Socket>;
  readonly received: Buffer[];
  close(): void;
}

/** An Ed25519 key as a server has it. */
export function hostKeyMade(): HostKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from((publicKey.export({ format: 'jwk' }) as { x: string }).x, 'base64url');
  const type = 'ssh-ed25519';
  const blob = Buffer.concat([string(type), string(raw)]);
  return { type, blob, sign: (data) => Buffer.concat([string(type), string(sign(null, data, privateKey))]) };
}

/** An SSH server in memory that does as it is told, rules or not. */
export async function startRudeSsh(manners: Manners): Promise<RudeSsh> {
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  const own = hostKeyMade();
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    new RudeSession(socket, { hostKey: () => own, ...manners }, received).start();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const close = (): void => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (listener.address() as AddressInfo).port, fingerprint: fingerprintOf(own.blob), sockets, received, close };
}

/** One connection to it. */
export class RudeSession {
  readonly socket: Socket;
  readonly #manners: Manners & Required<Pick<Manners, 'hostKey'>>;
  readonly #received: Buffer[];
  readonly #sealer = new Sealer();
  readonly #opener = new Opener();
  #greeting = '';
  #theirVersion = '';
  #own: Buffer | undefined;
  #theirs: Buffer | undefined;
  #incoming: Protection | undefined;
  #session: Buffer | undefined;
  #exchanges = 0;

  constructor(socket: Socket, manners: Manners & Required<Pick<Manners, 'hostKey'>>, received: Buffer[]) {
    this.socket = socket;
    this.#manners = manners;
    this.#received = received;
  }

  start(): void {
    this.socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.socket.write(`${VERSION}\r\n`);
    this.#manners.first?.(this);
    this.begin();
  }

  send(message: Buffer): void {
    if (this.socket.writable) this.socket.write(this.#sealer.seal(message));
  }

  /** Bytes of the subsystem. */
  say(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 30_000)
      this.send(Buffer.concat([byte(94), uint32(0), string(bytes.subarray(at, at + 30_000))]));
  }

  /** Begins to agree on keys. */
  begin(): void {
    const { isLax, hostKeys = ['ssh-ed25519'], kex = 'curve25519-sha256' } = this.#manners;
    const names = [isLax ? kex : `${kex},kex-strict-s-v00@openssh.com`, hostKeys.join(','), CIPHER.cipher, CIPHER.cipher];
    const lists = [...names, '', '', 'none', 'none', '', ''].map((list) => string(list));
    this.#own = Buffer.concat([byte(20), Buffer.alloc(16), ...lists, byte(0), uint32(0)]);
    this.send(this.#own);
  }

  #receive(bytes: Buffer): void {
    if (this.#theirVersion === '') {
      this.#greeting += bytes.toString('latin1');
      const end = this.#greeting.indexOf('\r\n');
      if (end === -1) return;
      this.#theirVersion = this.#greeting.slice(0, end);
      this.#opener.add(Buffer.from(this.#greeting.slice(end + 2), 'latin1'));
    } else this.#opener.add(bytes);
    for (let message = this.#opener.next(); message; message = this.#opener.next()) this.#take(Buffer.from(message));
  }

  #take(message: Buffer): void {
    this.#received.push(message);
    const kind = message[0] as number;
    const answer = this.#manners.answers?.[kind];
    if (answer) return answer(this, message);
    const reader = new SshReader(message, 1);
    if (kind === 20) {
      this.#theirs = message;
      if (!this.#own) this.begin();
    } else if (kind === 30) this.#agree(reader.string());
    else if (kind === 21) {
      this.#opener.protect(this.#incoming as Protection);
      if (!this.#manners.isLax) this.#opener.sequence = 0;
      [this.#own, this.#theirs] = [undefined, undefined];
    } else if (kind === 5) this.send(Buffer.concat([byte(6), string(reader.text())]));
    else if (kind === 50) {
      reader.text();
      reader.text();
      if (reader.text() === 'none') this.send(Buffer.concat([byte(51), string('publickey,password,keyboard-interactive'), byte(0)]));
      else this.send(byte(52));
    } else if (kind === 90) this.send(Buffer.concat([byte(91), uint32(0), uint32(7), uint32(2 ** 31), uint32(32_768)]));
    else if (kind === 98) this.send(Buffer.concat([byte(99), uint32(0)]));
    else if (kind === 94) {
      reader.uint32();
      this.#manners.onData?.(this, reader.string());
    }
  }

  #agree(theirs: Buffer): void {
    const { half, kex = 'curve25519-sha256', isLax } = this.#manners;
    this.#manners.middle?.(this);
    const hostKey = this.#manners.hostKey(this.#exchanges++);
    if (half) return this.send(Buffer.concat([byte(31), string(hostKey.blob), string(half), string('')]));
    const { hash } = AGREEMENTS.get(kex) as { hash: string };
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    const sent = Buffer.from((publicKey.export({ format: 'jwk' }) as { x: string }).x, 'base64url');
    const secret = mpint(diffieHellman({ privateKey, publicKey: keyOf(theirs) }));
    const parts = [this.#theirVersion, VERSION, this.#theirs as Buffer, this.#own as Buffer, hostKey.blob, theirs, sent].map(string);
    const exchanged = exchangeHash(hash, [...parts, secret]);
    const session = (this.#session ??= exchanged);
    this.send(Buffer.concat([byte(31), string(hostKey.blob), string(sent), string(hostKey.sign(exchanged))]));
    this.send(byte(21));
    const keys = (iv: string, key: string): Protection => ({
      ...CIPHER,
      iv: derivedKey(hash, secret, exchanged, iv, session, 12),
      key: derivedKey(hash, secret, exchanged, key, session, 16),
      macKey: Buffer.alloc(0),
    });
    this.#sealer.protect(keys('B', 'D'));
    if (!isLax) this.#sealer.sequence = 0;
    this.#incoming = keys('A', 'C');
  }
}

function keyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });
}
