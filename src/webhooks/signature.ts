import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// The signatures of Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks). Signed is `id.timestamp.body`.

export const SIGNATURES = ['symmetric', 'ed25519'] as const;
/** `symmetric`: HMAC-SHA256 by a secret that both sides have; `ed25519`: the receiver needs the public key alone. */
export type SignatureKind = (typeof SIGNATURES)[number];

const SYMMETRIC = 'whsec_';
const PRIVATE = 'whsk_';
const PUBLIC = 'whpk_';
const SYMMETRIC_BYTES = 32;
const SEED_BYTES = 32;

/** A secret that signs. */
export interface SigningSecret {
  readonly id: string;
  /** `whsec_…` or `whsk_…`. */
  readonly secret: string;
  /** ISO time from which on it signs no more; null for the one that is in use. */
  readonly expiresAt: string | null;
}

export function newSigningSecret(kind: SignatureKind): string {
  if (kind === 'symmetric') return SYMMETRIC + randomBytes(SYMMETRIC_BYTES).toString('base64');
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  // As other libraries have it: the seed, and the public key behind it.
  return PRIVATE + Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64');
}

export function kindOfSecret(secret: string): SignatureKind {
  return secret.startsWith(PRIVATE) ? 'ed25519' : 'symmetric';
}

/** `whpk_…` of a secret that has a public side. */
export function publicKeyOf(secret: string): string | null {
  if (kindOfSecret(secret) === 'symmetric') return null;
  return PUBLIC + bytesOf(secret).subarray(SEED_BYTES).toString('base64');
}

/** The three headers of one attempt. Secrets that are over at that time do not sign. */
export function signatureHeaders(
  { secrets }: { readonly secrets: readonly SigningSecret[] },
  messageId: string,
  timestampSeconds: number,
  body: string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const at = timestampSeconds * 1000;
  const signed = `${messageId}.${timestampSeconds}.${body}`;
  const signatures = secrets
    .filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > at)
    .map(({ secret }) => signatureOf(secret, signed));
  return { 'webhook-id': messageId, 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signatures.join(' ') };
}

function signatureOf(secret: string, signed: string): string {
  if (kindOfSecret(secret) === 'symmetric') return `v1,${createHmac('sha256', bytesOf(secret)).update(signed).digest('base64')}`;
  return `v1a,${sign(null, Buffer.from(signed), privateKeyOf(secret)).toString('base64')}`;
}

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
}

// To make a key of its bytes takes as long as to sign.
const KEPT_KEYS = 1000;
const keys = new Map<string, KeyObject>();

function privateKeyOf(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = bytesOf(secret);
  const part = (from: number, to?: number): string => bytes.subarray(from, to).toString('base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', d: part(0, SEED_BYTES), x: part(SEED_BYTES) },
  });
  if (keys.size >= KEPT_KEYS) keys.clear();
  keys.set(secret, key);
  return key;
}
