import { WebhookError } from './errors.ts';

/** What Syncline posts to an endpoint. */
export interface WebhookMessage<Data = unknown> {
  /** The id of the event: the same however often it is sent. Remember it, to do nothing twice. */
  id: string;
  /** Such as `order.created`. */
  type: string;
  /** When the event happened. */
  timestamp: string;
  data: Data;
}

export interface WebhookRequest {
  /** The body as it came, before anything has parsed it. */
  body: string | Uint8Array;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface VerifyOptions {
  /** How many seconds ago, or ahead, a message may have been sent. 300 unless given. */
  tolerance?: number;
  /** Milliseconds; the clock of this machine unless given. */
  now?: number;
}

const SECRET = 'whsec_';
const PUBLIC_KEY = 'whpk_';

/**
 * Checks that a message comes from Syncline, and answers what it says; throws a `WebhookError` otherwise. `keys` are the secret of the endpoint
 * (`whsec_…`) or its public key (`whpk_…`), or several while one replaces another.
 */
export async function verifyWebhook<Data = unknown>(
  { body, headers }: WebhookRequest,
  keys: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage<Data>> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures)
    throw new WebhookError('The message lacks a header: webhook-id, webhook-timestamp or webhook-signature.');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) throw new WebhookError('The message was not sent just now.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const given = signatures.split(' ');
  const checks = [keys].flat().map((key) => isSignedWith(key, signed, given));
  if (!(await Promise.all(checks)).includes(true)) throw new WebhookError('The signature is not that of any of the keys.');
  const { type, timestamp: at, data } = JSON.parse(new TextDecoder().decode(bytes)) as Omit<WebhookMessage<Data>, 'id'>;
  return { id, type, timestamp: at, data };
}

async function isSignedWith(key: string, signed: Uint8Array<ArrayBuffer>, given: readonly string[]): Promise<boolean> {
  const isPublic = key.startsWith(PUBLIC_KEY);
  if (!isPublic && !key.startsWith(SECRET)) throw new WebhookError(`A key begins with ${SECRET} or ${PUBLIC_KEY}.`);
  const raw = bytesOf(key.slice(key.indexOf('_') + 1));
  if (!raw) throw new WebhookError('The key is not base64.');
  const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  const version = isPublic ? 'v1a,' : 'v1,';
  for (const one of given) {
    const signature = one.startsWith(version) ? bytesOf(one.slice(version.length)) : undefined;
    // It takes the same time whichever byte is wrong.
    if (signature && (await crypto.subtle.verify(algorithm.name, imported, signature, signed))) return true;
  }
  return false;
}

function headerOf(headers: WebhookRequest['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.join(' ');
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
