import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { anyVerified } from './verified.ts';

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

/** What is longer is no id of a message. */
export const MAX_ID = 255;
/** Of all kinds together. A sender that replaces its secret sends two. */
const MAX_SIGNATURES = 10;
const MAX_ASYMMETRIC = 3;
const SHA256_BYTES = 32;
const ED25519_BYTES = 64;

const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_KEY = 'whpk_';
const SYMMETRIC_KEY = 'whsec_';

/** The value of a header that is there once; senders never repeat those that we look at. */
export function headerOf({ headers }: Pick<SentCall, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Standard Webhooks 1.0: one of the signatures was made with one of the secrets. `svix-…` is what the headers were called before.
 *
 * A caller that knows the address may send anything, so what a call costs before it is known to be from the sender has a bound: few
 * signatures, one digest for each secret, and what is dear is done beside the thread that answers everybody.
 */
export async function checkStandard(call: SentCall, secrets: readonly string[]): Promise<CallRefusal | undefined> {
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => standardHeader(call, name));
  if (id === undefined || sent === undefined || signatures === undefined) return 'missing';
  // The parts are joined by dots: with one in the id, other parts would have the same signature.
  if (id.includes('.') || id.length > MAX_ID) return 'malformed';
  const clock = checkTime(sent, call.now);
  if (clock) return clock;
  const entries = signatures.split(' ').filter((entry) => entry !== '');
  if (entries.length > MAX_SIGNATURES) return 'malformed';
  const [shared, asymmetric] = [given(entries, 'v1,'), given(entries, 'v1a,')];
  if (shared.length + asymmetric.length === 0 || asymmetric.length > MAX_ASYMMETRIC) return 'malformed';
  const prefix = `${id}.${sent}.`;
  const publicKeys = secrets.flatMap((secret) => publicKeyOf(secret) ?? []);
  const keys = secrets.filter((secret) => !secret.startsWith(PUBLIC_KEY)).map(symmetricKeyOf);
  if (anySigned(keys, [prefix, call.body], shared) === undefined) return undefined;
  const possible = asymmetric.filter(({ length }) => length === ED25519_BYTES);
  return (await anyVerified(publicKeys, [Buffer.from(prefix), call.body], possible)) ? undefined : 'wrong';
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
  const made = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [Buffer.from(value, 'hex')] : []));
  if (sent === undefined || made.length === 0 || parts.length > MAX_SIGNATURES) return 'malformed';
  const clock = checkTime(sent, call.now);
  if (clock) return clock;
  return anySigned(secrets, [`${sent}.`, call.body], made);
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
  return anySigned(secrets, [call.body], [Buffer.from(value.slice(prefix.length), encoding)]);
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

/** The signatures of one kind, by the word before them. */
function given(entries: readonly string[], kind: string): Buffer[] {
  return entries.filter((entry) => entry.startsWith(kind)).map((entry) => Buffer.from(entry.slice(kind.length), 'base64'));
}

function anySigned(
  secrets: readonly (string | Buffer)[],
  signed: readonly (string | Buffer)[],
  signatures: readonly Buffer[],
): CallRefusal | undefined {
  // What cannot be a signature costs no digest.
  const possible = signatures.filter(({ length }) => length === SHA256_BYTES);
  if (possible.length === 0) return 'wrong';
  for (const secret of secrets) {
    const hmac = createHmac('sha256', secret);
    for (const part of signed) hmac.update(part);
    const expected = hmac.digest();
    if (possible.some((signature) => isSame(signature, expected))) return undefined;
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
