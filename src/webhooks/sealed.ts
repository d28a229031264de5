import { type Keyring, keyIdOf, SecretError } from '../lib/secrets.ts';
import { newId } from '../lib/ids.ts';
import { isoTime } from '../lib/clock.ts';
import { newSigningSecret, publicKeyOf, type SignatureKind, type SigningSecret } from './signature.ts';

// What an endpoint has of secrets, as it is stored: each value encrypted on its own and bound to its place, what may be shown beside it.

/** What stands where a secret is. Sent back, it keeps the secret. */
export const MASK = '********';

/** One signing secret as it is stored. */
export interface SealedSecret {
  readonly id: string;
  readonly created_at: string;
  /** From when on it signs no more; null for the one that is in use. */
  readonly expires_at: string | null;
  readonly public_key: string | null;
  readonly sealed: string;
}

/** Headers by name, each value encrypted. */
export type SealedHeaders = Readonly<Record<string, string>>;

export function sealSecret(
  keyring: Keyring,
  webhookId: string,
  kind: SignatureKind,
  now: number,
): { secret: string; stored: SealedSecret } {
  const secret = newSigningSecret(kind);
  const { id } = newId('sec', now);
  const stored = { id, created_at: isoTime(now), expires_at: null, public_key: publicKeyOf(secret) };
  return { secret, stored: { ...stored, sealed: keyring.encrypt(secret, placeOfSecret(webhookId, id)) } };
}

/** Throws SecretError. */
export function openSecrets(keyring: Keyring, webhookId: string, stored: readonly SealedSecret[]): SigningSecret[] {
  return stored.map(({ id, sealed, expires_at }) => ({
    id,
    secret: keyring.decrypt(sealed, placeOfSecret(webhookId, id)),
    expiresAt: expires_at,
  }));
}

export function sealHeaders(keyring: Keyring, webhookId: string, headers: Readonly<Record<string, string>>): SealedHeaders {
  return mapped(headers, (value, name) => keyring.encrypt(value, placeOfHeader(webhookId, name)));
}

/** Throws SecretError. */
export function openHeaders(keyring: Keyring, webhookId: string, headers: SealedHeaders): Record<string, string> {
  return mapped(headers, (sealed, name) => keyring.decrypt(sealed, placeOfHeader(webhookId, name)));
}

export function maskedHeaders(headers: SealedHeaders): Record<string, string> {
  return mapped(headers, () => MASK);
}

/** All of it encrypted with the first key of the keyring; undefined when it is already. Throws SecretError. */
export function resealed(
  keyring: Keyring,
  webhookId: string,
  { secrets, headers }: { secrets: readonly SealedSecret[]; headers: SealedHeaders },
): { secrets: readonly SealedSecret[]; headers: SealedHeaders } | undefined {
  const isNew = (sealed: string): boolean => keyIdOf(sealed) === keyring.current;
  if (secrets.every(({ sealed }) => isNew(sealed)) && Object.values(headers).every(isNew)) return undefined;
  const opened = openSecrets(keyring, webhookId, secrets);
  return {
    secrets: secrets.map((one, place) => ({
      ...one,
      sealed: keyring.encrypt(opened[place]?.secret ?? '', placeOfSecret(webhookId, one.id)),
    })),
    headers: sealHeaders(keyring, webhookId, openHeaders(keyring, webhookId, headers)),
  };
}

/** What is to be said of an endpoint whose secrets cannot be read; undefined for any other error. */
export function unreadable(error: unknown): string | undefined {
  if (!(error instanceof SecretError)) return undefined;
  return `Its secrets cannot be read: ${error.message}. Add that key to SYNCLINE_SECRET_KEY, or save the headers again and rotate the secret.`;
}

function mapped(headers: Readonly<Record<string, string>>, change: (value: string, name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value, name)]));
}

function placeOfSecret(webhookId: string, id: string): string {
  return `${webhookId} secret ${id}`;
}

function placeOfHeader(webhookId: string, name: string): string {
  return `${webhookId} header ${name.toLowerCase()}`;
}
