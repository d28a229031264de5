import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { OutsideError } from '../errors.ts';
import { mpint, ProtocolError, SshReader, string } from './wire.ts';

// Keys of SSH are short lists of values; Node has them as JSON Web Keys.

const CURVES: Readonly<Record<string, { crv: string; hash: string; bytes: number }>> = {
  nistp256: { crv: 'P-256', hash: 'sha256', bytes: 32 },
  nistp384: { crv: 'P-384', hash: 'sha384', bytes: 48 },
  nistp521: { crv: 'P-521', hash: 'sha512', bytes: 66 },
};
// Shorter ones can be broken.
const MIN_RSA_BITS = 2048;

/** How a server can prove who it is, the best first. */
export const HOST_KEY_ALGORITHMS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

const base64 = (bytes: Buffer): string => bytes.toString('base64url');

/** The fingerprint of a public key, as `ssh-keygen -l` shows it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** Whether a key is the one that was pinned: by its fingerprint, or as a line of `known_hosts` or of `ssh-keyscan`. */
export function isPinned(blob: Buffer, pinned: string): boolean {
  const wanted = pinned.trim();
  if (wanted.startsWith('SHA256:')) return wanted.replace(/=+$/, '') === fingerprintOf(blob);
  return wanted.split(/\s+/).includes(blob.toString('base64'));
}

function publicKeyOf(blob: Buffer): { type: string; key: KeyObject } {
  const reader = new SshReader(blob);
  const type = reader.text();
  if (type === 'ssh-ed25519') return { type, key: fromJwk({ kty: 'OKP', crv: 'Ed25519', x: base64(reader.string()) }) };
  if (type === 'ssh-rsa') {
    const [e, n] = [reader.positive(), reader.positive()];
    if (n.length * 8 < MIN_RSA_BITS) throw new ProtocolError(`its RSA key has less than ${MIN_RSA_BITS} bits`);
    return { type, key: fromJwk({ kty: 'RSA', e: base64(e), n: base64(n) }) };
  }
  const curve = CURVES[reader.text()];
  if (!curve) throw new ProtocolError(`its key is of an unknown type`);
  return { type, key: fromJwk({ kty: 'EC', crv: curve.crv, ...pointOf(reader.string(), curve.bytes) }) };
}

function pointOf(point: Buffer, bytes: number): { x: string; y: string } {
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) throw new ProtocolError('a point of a curve is not one');
  return { x: base64(point.subarray(1, 1 + bytes)), y: base64(point.subarray(1 + bytes)) };
}

function fromJwk(key: Record<string, string>): KeyObject {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    throw new ProtocolError('its key is broken');
  }
}

/** Whether the holder of a public key has signed this with the algorithm that was agreed on. */
export function isSignedBy(blob: Buffer, algorithm: string, data: Buffer, signature: Buffer): boolean {
  const { type, key } = publicKeyOf(blob);
  const reader = new SshReader(signature);
  const [used, bytes] = [reader.text(), reader.string()];
  if (used !== algorithm || (type === 'ssh-rsa' ? !used.startsWith('rsa-sha2-') : used !== type)) return false;
  if (type === 'ssh-ed25519') return verify(null, data, key, bytes);
  if (type === 'ssh-rsa') return verify(used === 'rsa-sha2-512' ? 'sha512' : 'sha256', data, key, bytes);
  const curve = CURVES[type.replace('ecdsa-sha2-', '')];
  if (!curve) return false;
  const parts = new SshReader(bytes);
  const both = [parts.positive(), parts.positive()];
  if (both.some((part) => part.length > curve.bytes)) return false;
  const padded = both.map((part) => Buffer.concat([Buffer.alloc(curve.bytes - part.length), part]));
  return verify(curve.hash, data, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(padded));
}

/** A key to log in with. */
export interface LoginKey {
  readonly blob: Buffer;
  /** How it can sign, the best first. */
  readonly algorithms: readonly string[];
  sign(algorithm: string, data: Buffer): Buffer;
}

/** Reads a private key; throws in words that name the members of the configuration. */
export function loginKeyOf(text: string, passphrase: string | undefined, fields: { key: string; passphrase: string }): LoginKey {
  const unusable = (why: string, hint: string, field = fields.key): OutsideError =>
    new OutsideError('config', 'KEY_UNUSABLE', `The private key cannot be used: ${why}.`, { field, hint });
  let key: KeyObject;
  try {
    key = /BEGIN OPENSSH PRIVATE KEY/.test(text)
      ? openSshKey(text)
      : createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase }) });
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (error instanceof EncryptedKey)
      throw unusable(
        'it is encrypted in the format of OpenSSH',
        'Convert it by `ssh-keygen -p -m PKCS8 -f FILE`, and give its passphrase; or give a key without one.',
      );
    if (/MISSING_PASSPHRASE|INTERRUPTED_OR_CANCELLED/.test(code))
      throw unusable('it is encrypted', 'Give its passphrase.', fields.passphrase);
    if (passphrase !== undefined && /BAD_DECRYPT|bad decrypt/i.test(`${code} ${String(error)}`))
      throw unusable('the passphrase does not open it', 'Check the passphrase.', fields.passphrase);
    throw unusable('it is no key in PEM or in the format of OpenSSH', 'Give the whole file, from BEGIN to END.');
  }
  const found = asLoginKey(key);
  if (!found) throw unusable('it is of a type that is not known', 'Use Ed25519, ECDSA or RSA with 2048 bits or more.');
  return found;
}

function asLoginKey(key: KeyObject): LoginKey | undefined {
  const jwk = createPublicKey(key).export({ format: 'jwk' }) as Record<string, string>;
  const member = (name: string): Buffer => Buffer.from(jwk[name] ?? '', 'base64url');
  if (jwk['crv'] === 'Ed25519') {
    const type = 'ssh-ed25519';
    return {
      blob: Buffer.concat([string(type), string(member('x'))]),
      algorithms: [type],
      sign: (name, data) => signature(name, sign(null, data, key)),
    };
  }
  if (jwk['kty'] === 'RSA') {
    if (member('n').length * 8 < MIN_RSA_BITS) return undefined;
    return {
      blob: Buffer.concat([string('ssh-rsa'), mpint(member('e')), mpint(member('n'))]),
      algorithms: ['rsa-sha2-512', 'rsa-sha2-256'],
      sign: (name, data) => signature(name, sign(name === 'rsa-sha2-512' ? 'sha512' : 'sha256', data, key)),
    };
  }
  const [name, curve] = Object.entries(CURVES).find(([, { crv }]) => crv === jwk['crv']) ?? [];
  if (name === undefined || !curve) return undefined;
  const type = `ecdsa-sha2-${name}`;
  return {
    blob: Buffer.concat([string(type), string(name), string(Buffer.concat([Buffer.from([4]), member('x'), member('y')]))]),
    algorithms: [type],
    sign: (algorithm, data) => {
      const bytes = sign(curve.hash, data, { key, dsaEncoding: 'ieee-p1363' });
      return signature(algorithm, Buffer.concat([mpint(bytes.subarray(0, curve.bytes)), mpint(bytes.subarray(curve.bytes))]));
    },
  };
}

function signature(algorithm: string, bytes: Buffer): Buffer {
  return Buffer.concat([string(algorithm), string(bytes)]);
}

class EncryptedKey extends Error {}

function openSshKey(text: string): KeyObject {
  const bytes = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const magic = 'openssh-key-v1\0';
  const reader = new SshReader(bytes);
  if (reader.take(magic.length).toString('latin1') !== magic) throw new ProtocolError('no key of OpenSSH');
  const cipher = reader.text();
  reader.string();
  reader.string();
  reader.uint32();
  reader.string();
  if (cipher !== 'none') throw new EncryptedKey();
  const inner = new SshReader(reader.string());
  inner.uint32();
  inner.uint32();
  const type = inner.text();
  const private_ = (key: Record<string, string>): KeyObject => createPrivateKey({ key, format: 'jwk' });
  if (type === 'ssh-ed25519') {
    const [x, both] = [inner.string(), inner.string()];
    return private_({ kty: 'OKP', crv: 'Ed25519', x: base64(x), d: base64(both.subarray(0, 32)) });
  }
  if (type === 'ssh-rsa') {
    const [n, e, d, qi, p, q] = Array.from({ length: 6 }, () => inner.positive()) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const rest = (prime: Buffer): string => base64(bytesOf(numberOf(d) % (numberOf(prime) - 1n)));
    const parts = { n, e, d, qi, p, q };
    const named = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, base64(part)]));
    return private_({ kty: 'RSA', ...named, dp: rest(p), dq: rest(q) });
  }
  const curve = CURVES[inner.text()];
  if (!curve) throw new ProtocolError('an unknown type');
  const point = pointOf(inner.string(), curve.bytes);
  const d = inner.positive();
  return private_({ kty: 'EC', crv: curve.crv, ...point, d: base64(Buffer.concat([Buffer.alloc(curve.bytes - d.length), d])) });
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
