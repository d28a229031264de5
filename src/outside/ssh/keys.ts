import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { OutsideError } from '../errors.ts';
import { CURVES, curveOf, pointOf, typeOfCurve } from './curves.ts';
import { LockedKey, openSshKey } from './openssh-key.ts';
import { mpint, ProtocolError, SshReader, string } from './wire.ts';

// Keys of SSH are short lists of values; Node has them as JSON Web Keys.

// Shorter ones can be broken.
const MIN_RSA_BITS = 2048;

/** How a server can prove who it is, the best first. */
const HOST_KEY_ALGORITHMS = [
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
  const line = pinnedLine(pinned);
  if (!line) return pinned.trim().replace(/=+$/, '') === fingerprintOf(blob);
  return line.type === keyTypeOf(blob) && line.key === blob.toString('base64');
}

/** The type and the key in such a line. What stands behind them is for people. */
function pinnedLine(pinned: string): { type: string; key: string } | undefined {
  const [type, key] = (/(?:^|\s)((?:ssh|ecdsa)-\S+)\s+(\S+)/.exec(pinned) ?? []).slice(1);
  return type === undefined || key === undefined || pinned.trim().startsWith('SHA256:') ? undefined : { type, key };
}

/** The ways in which a server may prove a key that was pinned, if its type is known; else all. */
export function hostKeyAlgorithmsFor(pinned: string | undefined): readonly string[] {
  const line = pinned === undefined ? undefined : pinnedLine(pinned);
  return line ? HOST_KEY_ALGORITHMS.filter((algorithm) => isOfType(algorithm, line.type)) : HOST_KEY_ALGORITHMS;
}

/** Whether keys of a type sign in this way. */
export function isOfType(algorithm: string, type: string): boolean {
  return type === 'ssh-rsa' ? algorithm.startsWith('rsa-sha2-') : algorithm === type;
}

export function keyTypeOf(blob: Buffer): string {
  return new SshReader(blob).text();
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
  const curve = curveOf(type, reader.text());
  return { type, key: fromJwk({ kty: 'EC', crv: curve.crv, ...pointOf(reader.string(), curve) }) };
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
  if (used !== algorithm || !isOfType(used, type)) return false;
  if (type === 'ssh-ed25519') return verify(null, data, key, bytes);
  if (type === 'ssh-rsa') return verify(used === 'rsa-sha2-512' ? 'sha512' : 'sha256', data, key, padded(bytes, rsaBytes(key)));
  const curve = CURVES.find((one) => typeOfCurve(one) === type);
  if (!curve) return false;
  const parts = new SshReader(bytes);
  const both = [parts.positive(), parts.positive()];
  if (both.some((part) => part.length > curve.bytes)) return false;
  return verify(curve.hash, data, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(both.map((part) => padded(part, curve.bytes))));
}

/** Some leave out the zeros before a number. */
function padded(bytes: Buffer, length: number): Buffer {
  return bytes.length < length ? Buffer.concat([Buffer.alloc(length - bytes.length), bytes]) : bytes;
}

function rsaBytes(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
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
    key = text.includes('BEGIN OPENSSH PRIVATE KEY')
      ? openSshKey(text, passphrase)
      : createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase }) });
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    const why = error instanceof LockedKey ? error.why : undefined;
    if (why === 'unknown lock')
      throw unusable('it is encrypted in a way that is not known', 'Encrypt it anew by `ssh-keygen -p -Z aes256-ctr -a 16 -f FILE`.');
    if (why === 'no passphrase' || /MISSING_PASSPHRASE|INTERRUPTED_OR_CANCELLED/.test(code))
      throw unusable('it is encrypted', 'Give its passphrase.', fields.passphrase);
    if (why === 'wrong passphrase' || (passphrase !== undefined && /BAD_DECRYPT|bad decrypt/i.test(`${code} ${String(error)}`)))
      throw unusable('the passphrase does not open it', 'Check the passphrase.', fields.passphrase);
    throw unusable('it is no key in PEM or in the format of OpenSSH', 'Give the whole file, from BEGIN to END.');
  }
  const found = asLoginKey(key);
  if (!found) throw unusable('it is of a type that is not known', 'Use Ed25519, ECDSA or RSA with 2048 bits or more.');
  return found;
}

function asLoginKey(key: KeyObject): LoginKey | undefined {
  if (!['ed25519', 'rsa', 'ec'].includes(key.asymmetricKeyType ?? '')) return undefined;
  if (key.asymmetricKeyType === 'ec' && !/^(prime256v1|secp384r1|secp521r1)$/.test(key.asymmetricKeyDetails?.namedCurve ?? ''))
    return undefined;
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
  const curve = CURVES.find(({ crv }) => crv === jwk['crv']);
  if (!curve) return undefined;
  const type = typeOfCurve(curve);
  return {
    blob: Buffer.concat([string(type), string(curve.name), string(Buffer.concat([Buffer.from([4]), member('x'), member('y')]))]),
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
