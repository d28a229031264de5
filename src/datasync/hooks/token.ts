import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encode32, randomText } from '../../lib/ids.ts';

// slh_<random, 160 bits in 32 characters><checksum, 7>. The checksum lets a scanner or a typo be told from a token without asking the database.
const PATTERN = /^slh_[0-9a-hjkmnp-tv-z]{39}$/;
const CHECKSUM_LENGTH = 7;

/** A new token for the address of a hook. */
export function newToken(): string {
  const body = `slh_${randomText(32)}`;
  return body + encode32(crc32(body));
}

/** Whether the text has the form of a token and its checksum is right. */
export function isToken(text: string): boolean {
  return PATTERN.test(text) && encode32(crc32(text.slice(0, -CHECKSUM_LENGTH))) === text.slice(-CHECKSUM_LENGTH);
}

/** What is stored of a token. It has 160 random bits, so a plain hash cannot be guessed backwards. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
