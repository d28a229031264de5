import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

// How senders sign what they send. Whatever is looked at here is the body byte by byte, and every comparison takes the same time wherever
// the difference is.

/** What is to be judged. */
export interface SentCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Why a call was not taken, in words that are also counted by. */
export type CallRefusal = 'missing' | 'malformed' | 'wrong' | 'timestamp';

/** A message that is older or newer than this is not taken: it may have been recorded and sent again. */
const TOLERANCE = 5 * 60_000;

const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_KEY = 'whpk_';
const SYMMETRIC_KEY = 'whsec_';

/** The value of a header that is there once; senders never repeat those that we look at. */
export function headerOf({ headers }: Pick<SentCall, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Standard Webhooks 1.0: the first signature that one of the secrets has made. `svix-…` is what the headers were called before. */
export function checkStandard(call: SentCall, secrets: readonly string[]): CallRefusal | undefined {
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => standardHeader(call, name));
  if (id === undefined || sent === undefined || signatures === undefined) return 'missing';
  const clock = checkTime(sent, call.now);
  if (clock) return clock;
  const signed = Buffer.concat([Buffer.from(`${id}.${sent}.`), call.body]);
  const given = signatures.split(' ').flatMap((entry) => {
    const [, version, signature] = /^(v1a?),(.+)$/.exec(entry) ?? [];
    return version !== undefined && signature !== undefined ? [{ version, signature: Buffer.from(signature, 'base64') }] : [];
  });
  if (given.length === 0) return 'malformed';
  for (const secret of secrets) {
    const publicKey = publicKeyOf(secret);
    const expected = publicKey ? undefined : createHmac('sha256', symmetricKeyOf(secret)).update(signed).digest();
    for (const { version, signature } of given) {
      if (expected && version === 'v1' && isSame(signature, expected)) return undefined;
      if (publicKey && version === 'v1a' && signature.length === 64 && verify(null, signed, publicKey, signature)) return undefined;
    }
  }
  return 'wrong';
}

/** What a message is called by Standard Webhooks. */
export function standardHeader(call: Pick<SentCall, 'headers'>, name: string): string | undefined {
  return headerOf(call, `webhook-${name}`) ?? headerOf(call, `svix-${name}`);
}

/** `t=<seconds>,v1=<hex>`, of the time and the body. There is a `v1` for each secret while one is being replaced. */
export function checkStripe(call: SentCall, secrets: readonly string[]): CallRefusal | undefined {
  const header = headerOf(call, 'stripe-signature');
  if (header === undefined) return 'missing';
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string | undefined]);
  const sent = parts.find(([name]) => name === 't')?.[1];
  const given = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [Buffer.from(value, 'hex')] : []));
  if (sent === undefined || given.length === 0) return 'malformed';
  const clock = checkTime(sent, call.now);
  if (clock) return clock;
  return anySigned(secrets, Buffer.concat([Buffer.from(`${sent}.`), call.body]), given);
}

/** A signature of the body alone, in one header, with or without a word before it. */
export function checkBody(
  call: SentCall,
  secrets: readonly string[],
  { header, prefix, encoding }: { header: string; prefix: string; encoding: 'hex' | 'base64' },
): CallRefusal | undefined {
  const value = headerOf(call, header);
  if (value === undefined) return 'missing';
  if (!value.startsWith(prefix)) return 'malformed';
  return anySigned(secrets, call.body, [Buffer.from(value.slice(prefix.length), encoding)]);
}

/** A secret that both know, in a header. */
export function checkShared(call: SentCall, secrets: readonly string[], header: string): CallRefusal | undefined {
  const value = headerOf(call, header.toLowerCase());
  if (value === undefined) return 'missing';
  const given = hashOf(value);
  let isRight = false;
  for (const secret of secrets) isRight = isSame(given, hashOf(secret)) || isRight;
  return isRight ? undefined : 'wrong';
}

/** What is wrong with a secret of Standard Webhooks, in words. */
export function standardSecretFault(secret: string): string | undefined {
  const [, prefix, text] = /^(whsec_|whpk_)?([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (text === undefined) return 'must be the secret that the sender shows: whsec_ (or whpk_ for ed25519) and base64';
  const { length } = Buffer.from(text, 'base64');
  if (prefix === PUBLIC_KEY) return length === 32 ? undefined : 'must be a public key of 32 bytes, as base64 behind whpk_';
  return length >= 16 && length <= 128 ? undefined : 'must have 16 to 128 bytes, as base64 behind whsec_';
}

function anySigned(secrets: readonly string[], signed: Buffer, given: readonly Buffer[]): CallRefusal | undefined {
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(signed).digest();
    if (given.some((signature) => isSame(signature, expected))) return undefined;
  }
  return 'wrong';
}

function checkTime(sent: string, now: number): CallRefusal | undefined {
  if (!/^\d{1,12}$/.test(sent)) return 'malformed';
  return Math.abs(now - Number(sent) * 1000) > TOLERANCE ? 'timestamp' : undefined;
}

function symmetricKeyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(SYMMETRIC_KEY) ? secret.slice(SYMMETRIC_KEY.length) : secret, 'base64');
}

function publicKeyOf(secret: string): KeyObject | undefined {
  if (!secret.startsWith(PUBLIC_KEY)) return undefined;
  const raw = Buffer.from(secret.slice(PUBLIC_KEY.length), 'base64');
  return createPublicKey({ key: Buffer.concat([ED25519_PREFIX, raw]), format: 'der', type: 'spki' });
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
