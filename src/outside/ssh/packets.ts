import { type Cipheriv, createCipheriv, createDecipheriv, createHmac, type Decipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { ProtocolError } from './wire.ts';

// What is allowed beyond the 35,000 bytes that everybody has to take.
const MAX_PACKET = 256 * 1024;
const [PLAIN_BLOCK, BLOCK] = [8, 16];
const TAG = 16;

export const CIPHERS: ReadonlyMap<string, { name: string; key: number; iv: number; isSealed: boolean }> = new Map([
  ['aes256-gcm@openssh.com', { name: 'aes-256-gcm', key: 32, iv: 12, isSealed: true }],
  ['aes128-gcm@openssh.com', { name: 'aes-128-gcm', key: 16, iv: 12, isSealed: true }],
  ['aes256-ctr', { name: 'aes-256-ctr', key: 32, iv: 16, isSealed: false }],
  ['aes192-ctr', { name: 'aes-192-ctr', key: 24, iv: 16, isSealed: false }],
  ['aes128-ctr', { name: 'aes-128-ctr', key: 16, iv: 16, isSealed: false }],
]);

export const MACS: ReadonlyMap<string, { hash: string; bytes: number; isOutside: boolean }> = new Map([
  ['hmac-sha2-256-etm@openssh.com', { hash: 'sha256', bytes: 32, isOutside: true }],
  ['hmac-sha2-512-etm@openssh.com', { hash: 'sha512', bytes: 64, isOutside: true }],
  ['hmac-sha2-256', { hash: 'sha256', bytes: 32, isOutside: false }],
  ['hmac-sha2-512', { hash: 'sha512', bytes: 64, isOutside: false }],
]);

/** What protects packets of one direction from now on. */
export interface Protection {
  readonly cipher: string;
  readonly mac: string;
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly macKey: Buffer;
}

/** Makes packets of messages. */
export class Sealer {
  sequence = 0;
  #protection: (Protection & { stream?: Cipheriv }) | undefined;

  protect(protection: Protection): void {
    const { name, isSealed } = cipherOf(protection);
    this.#protection = {
      ...protection,
      iv: Buffer.from(protection.iv),
      ...(!isSealed && { stream: createCipheriv(name, protection.key, protection.iv) }),
    };
  }

  seal(payload: Buffer): Buffer {
    const sequence = this.sequence;
    this.sequence = (sequence + 1) >>> 0;
    const protection = this.#protection;
    if (!protection) return packetOf(payload, PLAIN_BLOCK, 4);
    const { name, isSealed } = cipherOf(protection);
    if (isSealed) {
      const packet = packetOf(payload, BLOCK, 0);
      const cipher = createCipheriv(name as 'aes-256-gcm', protection.key, protection.iv);
      cipher.setAAD(packet.subarray(0, 4));
      const body = cipher.update(packet.subarray(4));
      cipher.final();
      countUp(protection.iv);
      return Buffer.concat([packet.subarray(0, 4), body, cipher.getAuthTag()]);
    }
    const { isOutside } = macOf(protection);
    const packet = packetOf(payload, BLOCK, isOutside ? 0 : 4);
    const stream = protection.stream as Cipheriv;
    if (!isOutside) return Buffer.concat([stream.update(packet), macFor(protection, sequence, packet)]);
    const locked = Buffer.concat([packet.subarray(0, 4), stream.update(packet.subarray(4))]);
    return Buffer.concat([locked, macFor(protection, sequence, locked)]);
  }
}

/** Takes packets apart as their bytes come in. */
export class Opener {
  sequence = 0;
  #protection: (Protection & { stream?: Decipheriv }) | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #waiting = 0;
  /** Of the packet that is coming in: its length, and its beginning where that had to be decrypted to know it. */
  #begun: { length: number; head: Buffer } | undefined;

  protect(protection: Protection): void {
    const { name, isSealed } = cipherOf(protection);
    this.#protection = {
      ...protection,
      iv: Buffer.from(protection.iv),
      ...(!isSealed && { stream: createDecipheriv(name, protection.key, protection.iv) }),
    };
  }

  add(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#waiting += bytes.length;
  }

  /** The next message that is there as a whole. */
  next(): Buffer | undefined {
    const protection = this.#protection;
    const sealed = protection ? cipherOf(protection).isSealed : false;
    const mac = protection && !sealed ? macOf(protection) : undefined;
    const trailer = sealed ? TAG : (mac?.bytes ?? 0);
    if (!this.#begun) {
      if (!this.#has(4)) return undefined;
      const plain = Buffer.from(this.#take(4));
      const head = mac && !mac.isOutside ? (protection as { stream: Decipheriv }).stream.update(plain) : plain;
      const length = head.readUInt32BE();
      const block = protection ? BLOCK : PLAIN_BLOCK;
      const counted = sealed || mac?.isOutside ? length : length + 4;
      if (length < 5 || length > MAX_PACKET || counted % block !== 0)
        throw protection ? changed() : new ProtocolError('a packet has an impossible length');
      this.#begun = { length, head };
    }
    const { length, head } = this.#begun;
    if (!this.#has(length + trailer)) return undefined;
    const body = this.#take(length);
    const proof = this.#take(trailer);
    this.#begun = undefined;
    const sequence = this.sequence;
    this.sequence = (sequence + 1) >>> 0;
    return messageOf(protection ? this.#opened(protection, sequence, head, body, proof) : body);
  }

  #opened(protection: Protection & { stream?: Decipheriv }, sequence: number, head: Buffer, body: Buffer, proof: Buffer): Buffer {
    const { name, isSealed } = cipherOf(protection);
    if (isSealed) {
      const cipher = createDecipheriv(name as 'aes-256-gcm', protection.key, protection.iv);
      cipher.setAAD(head);
      cipher.setAuthTag(proof);
      const plain = cipher.update(body);
      try {
        cipher.final();
      } catch {
        throw changed();
      }
      countUp(protection.iv);
      return plain;
    }
    const { isOutside } = macOf(protection);
    const stream = protection.stream as Decipheriv;
    const locked = isOutside ? body : undefined;
    const plain = isOutside ? undefined : stream.update(body);
    const expected = macFor(protection, sequence, Buffer.concat([head, locked ?? (plain as Buffer)]));
    if (!timingSafeEqual(expected, proof)) throw changed();
    return plain ?? stream.update(body);
  }

  #has(length: number): boolean {
    if (this.#bytes.length + this.#waiting < length) return false;
    if (this.#bytes.length < length) {
      this.#bytes = Buffer.concat([this.#bytes, ...this.#parts]);
      this.#parts = [];
      this.#waiting = 0;
    }
    return true;
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

function packetOf(payload: Buffer, block: number, counted: number): Buffer {
  const padding = 4 + ((block - ((counted + 1 + payload.length + 4) % block)) % block);
  const packet = Buffer.alloc(5 + payload.length + padding);
  packet.writeUInt32BE(1 + payload.length + padding);
  packet[4] = padding;
  payload.copy(packet, 5);
  randomBytes(padding).copy(packet, 5 + payload.length);
  return packet;
}

function messageOf(body: Buffer): Buffer {
  const padding = body[0] as number;
  if (padding < 4 || padding + 2 > body.length) throw new ProtocolError('a packet has an impossible padding');
  return body.subarray(1, body.length - padding);
}

/** The next connection may be well: it is the way to the server that is at fault. */
function changed(): Error {
  return Object.assign(new Error('a packet was changed on its way'), { code: 'SSH_CHANGED' });
}

/** The last eight bytes count packets. */
function countUp(iv: Buffer): void {
  iv.writeBigUInt64BE((iv.readBigUInt64BE(4) + 1n) & 0xffffffffffffffffn, 4);
}

function macFor(protection: Protection, sequence: number, bytes: Buffer): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(sequence);
  return createHmac(macOf(protection).hash, protection.macKey).update(number).update(bytes).digest();
}

function cipherOf({ cipher }: Protection) {
  return CIPHERS.get(cipher) as { name: string; key: number; iv: number; isSealed: boolean };
}

function macOf({ mac }: Protection) {
  return MACS.get(mac) as { hash: string; bytes: number; isOutside: boolean };
}
