import { createDecipheriv, createPrivateKey, type KeyObject } from 'node:crypto';
import { bcryptKey } from './bcrypt.ts';
import { curveOf, pointOf } from './curves.ts';
import { ProtocolError, SshReader } from './wire.ts';

const MAGIC = 'openssh-key-v1\0';
// `ssh-keygen` takes 16 or 24 of them; so many take seconds.
const MAX_ROUNDS = 500;

/** Why a key cannot be read, where more can be said than that it makes no sense. */
export class LockedKey extends Error {
  readonly why: 'no passphrase' | 'wrong passphrase' | 'unknown lock';

  constructor(why: LockedKey['why']) {
    super(why);
    this.why = why;
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64url');

/** A private key in the format that `ssh-keygen` writes. */
export function openSshKey(text: string, passphrase: string | undefined): KeyObject {
  const bytes = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const reader = new SshReader(bytes);
  if (reader.take(MAGIC.length).toString('latin1') !== MAGIC) throw new ProtocolError('no key of OpenSSH');
  const [cipher, kdf, options] = [reader.text(), reader.text(), reader.string()];
  if (reader.uint32() !== 1) throw new ProtocolError('not one key');
  reader.string();
  const locked = reader.string();
  const inner = new SshReader(cipher === 'none' ? locked : unlocked(locked, cipher, kdf, options, passphrase));
  // The same number twice: so it is known whether it was opened.
  if (inner.uint32() !== inner.uint32())
    throw cipher === 'none' ? new ProtocolError('a key is damaged') : new LockedKey('wrong passphrase');
  return keyIn(inner);
}

function unlocked(locked: Buffer, cipher: string, kdf: string, options: Buffer, passphrase: string | undefined): Buffer {
  const [, bits, mode] = /^aes(128|192|256)-(ctr|cbc)$/.exec(cipher) ?? [];
  const reader = new SshReader(options);
  if (bits === undefined || kdf !== 'bcrypt') throw new LockedKey('unknown lock');
  if (passphrase === undefined) throw new LockedKey('no passphrase');
  const [salt, rounds] = [reader.string(), reader.uint32()];
  if (rounds > MAX_ROUNDS) throw new LockedKey('unknown lock');
  const length = Number(bits) / 8;
  const made = bcryptKey(passphrase, salt, rounds, length + 16);
  const opener = createDecipheriv(`aes-${bits}-${mode}`, made.subarray(0, length), made.subarray(length)).setAutoPadding(false);
  return Buffer.concat([opener.update(locked), opener.final()]);
}

function keyIn(inner: SshReader): KeyObject {
  const type = inner.text();
  const made = (key: Record<string, string>): KeyObject => createPrivateKey({ key, format: 'jwk' });
  if (type === 'ssh-ed25519') {
    const [x, both] = [inner.string(), inner.string()];
    return made({ kty: 'OKP', crv: 'Ed25519', x: base64(x), d: base64(both.subarray(0, 32)) });
  }
  if (type === 'ssh-rsa') {
    const [n, e, d, qi, p, q] = Array.from({ length: 6 }, () => inner.positive()) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const rest = (prime: Buffer): string => base64(bytesOf(numberOf(d) % (numberOf(prime) - 1n)));
    const parts = { n, e, d, qi, p, q };
    const named = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, base64(part)]));
    return made({ kty: 'RSA', ...named, dp: rest(p), dq: rest(q) });
  }
  const curve = curveOf(type, inner.text());
  const point = pointOf(inner.string(), curve);
  const d = inner.positive();
  return made({ kty: 'EC', crv: curve.crv, ...point, d: base64(Buffer.concat([Buffer.alloc(curve.bytes - d.length), d])) });
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
