import { createECDH, createHash, createPublicKey, diffieHellman, generateKeyPairSync, getDiffieHellman } from 'node:crypto';
import { mpint, ProtocolError, string } from './wire.ts';

/** Our half of an agreement on a secret. */
export interface Half {
  /** What is sent, as it stands in the message. */
  readonly sent: Buffer;
  /** The secret, from what the other side has sent. */
  secret(theirs: Buffer): Buffer;
}

interface Agreement {
  readonly hash: string;
  begin(): Half;
}

const X25519 = { hash: 'sha256', begin: beginX25519 };

/** The ways to agree on a secret, the best first. */
export const AGREEMENTS: ReadonlyMap<string, Agreement> = new Map<string, Agreement>([
  ['curve25519-sha256', X25519],
  ['curve25519-sha256@libssh.org', X25519],
  ['ecdh-sha2-nistp256', { hash: 'sha256', begin: () => beginCurve('prime256v1') }],
  ['ecdh-sha2-nistp384', { hash: 'sha384', begin: () => beginCurve('secp384r1') }],
  ['diffie-hellman-group16-sha512', { hash: 'sha512', begin: () => beginGroup('modp16') }],
  ['diffie-hellman-group14-sha256', { hash: 'sha256', begin: () => beginGroup('modp14') }],
]);

function beginX25519(): Half {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const raw = Buffer.from((publicKey.export({ format: 'jwk' }) as { x: string }).x, 'base64url');
  return {
    sent: string(raw),
    secret: (theirs) => {
      if (theirs.length !== 32) throw new ProtocolError('its half of the key is not one');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: theirs.toString('base64url') }, format: 'jwk' });
      // Throws for the few points that would make the secret known.
      return judged(() => diffieHellman({ privateKey, publicKey: key }));
    },
  };
}

function beginCurve(name: string): Half {
  const own = createECDH(name);
  return { sent: string(own.generateKeys()), secret: (theirs) => judged(() => own.computeSecret(theirs)) };
}

function beginGroup(name: string): Half {
  const own = getDiffieHellman(name);
  const sent = mpint(own.generateKeys());
  return {
    sent,
    secret: (theirs) => {
      if ((theirs[0] ?? 0) >= 0x80) throw new ProtocolError('its half of the key is not one');
      return judged(() => own.computeSecret(theirs));
    },
  };
}

function judged(compute: () => Buffer): Buffer {
  try {
    return compute();
  } catch {
    throw new ProtocolError('its half of the key is not one');
  }
}

/** The hash that both sides sign and make keys from. */
export function exchangeHash(hash: string, parts: readonly Buffer[]): Buffer {
  const digest = createHash(hash);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** A key of this length, for the purpose that the letter stands for. */
export function derivedKey(hash: string, secret: Buffer, exchanged: Buffer, letter: string, session: Buffer, length: number): Buffer {
  let key = createHash(hash).update(secret).update(exchanged).update(letter).update(session).digest();
  while (key.length < length) key = Buffer.concat([key, createHash(hash).update(secret).update(exchanged).update(key).digest()]);
  return key.subarray(0, length);
}
