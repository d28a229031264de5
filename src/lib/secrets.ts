import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** 128 bits in base64: more than chance ever makes equal. */
const MARK_LENGTH = 22;

export class SecretError extends Error {
  override readonly name = 'SecretError';
}

/** Encrypts what must not lie about in the open: AES-256-GCM, with the place of a secret bound into it. */
export interface Keyring {
  /** The id of the key that new secrets are encrypted with. */
  readonly current: string;
  /** `place` is what the secret belongs to; moved to another place, it can no longer be read. */
  encrypt(text: string, place: string): string;
  /** Throws a SecretError that names the key when it is not in the ring. */
  decrypt(sealed: string, place: string): string;
  /** A mark of the text for each key, the current one first: equal where key and text are, and telling nothing about either. */
  marks(text: string): string[];
}

/**
 * Reads `id:key` entries, separated by commas or line ends. The first key encrypts, all of them decrypt: to change keys, put
 * the new one first. A key is 32 bytes in base64 or hexadecimal; without an id it is called by the start of its hash.
 */
export function parseKeyring(text: string): Keyring {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseKey);
  const [first] = entries;
  if (!first) throw new SecretError('holds no key');
  const keys = new Map<string, Buffer>();
  for (const { id, key } of entries) {
    if (keys.has(id)) throw new SecretError(`has two keys with the id "${id}"`);
    keys.set(id, key);
  }
  return {
    current: first.id,
    encrypt: (plain, place) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${first.id}.${sealed.toString('base64url')}`;
    },
    decrypt: (sealed, place) => {
      const id = keyIdOf(sealed);
      const key = keys.get(id);
      if (!key) throw new SecretError(`it was encrypted with the key "${id}", which is not among the keys of this node`);
      const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(place));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
      } catch (error) {
        throw new SecretError(`it does not open with the key "${id}": the key is another one of that name, or the secret was changed`, {
          cause: error,
        });
      }
    },
    marks: (text) =>
      [...keys.values()].map((key) => createHmac('sha256', key).update(`mark:${text}`).digest('base64url').slice(0, MARK_LENGTH)),
  };
}

/** The id of the key that a secret was encrypted with. */
export function keyIdOf(sealed: string): string {
  return /^v1\.(.+)\.[\w-]*$/.exec(sealed)?.[1] ?? '';
}

export function newKeyText(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

function parseKey(entry: string): { id: string; key: Buffer } {
  const match = /^(?:([A-Za-z0-9_-]{1,64}):)?([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})$/.exec(entry);
  // The entry itself is not repeated: it may be a key with a typing error.
  if (!match) throw new SecretError('must hold keys of 32 bytes in base64 or hexadecimal, each with or without an id before it: id:key');
  const [, id, text = ''] = match;
  const key = Buffer.from(text, text.length === 64 ? 'hex' : 'base64');
  return { id: id ?? createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}
