import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encode32, randomText } from '../lib/ids.ts';

// slk_<id of the key, 26>_<random, 160 bits in 32 characters><checksum, 7>. The checksum lets a scanner or a typo be told
// from a key without asking the database.
const PATTERN = /^slk_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{39}$/;
const CHECKSUM_LENGTH = 7;

/** A new secret for the key with this id (`key_…`). */
export function newSecret(keyId: string): string {
  const body = `slk_${keyId.slice('key_'.length)}_${randomText(32)}`;
  return body + encode32(crc32(body));
}

/** Whether the text has the form of a key and its checksum is right. */
export function isWellFormed(secret: string): boolean {
  return PATTERN.test(secret) && encode32(crc32(secret.slice(0, -CHECKSUM_LENGTH))) === secret.slice(-CHECKSUM_LENGTH);
}

/** The id of the key that a secret says it is of; undefined for what is no secret. It is no secret itself. */
export function keyIdOf(secret: string): string | undefined {
  return isWellFormed(secret) ? `key_${secret.slice('slk_'.length, 'slk_'.length + 26)}` : undefined;
}

/** What is stored of a secret. It has 160 random bits, so a plain hash cannot be guessed backwards. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
