import { hash } from 'node:crypto';

// What a target has accepted, as it is kept: in the first line the digests of what was accepted, one after the other, and then a line with the key of
// each record, in the spelling of the lines of a batch. The digest of a record that was removed is all zeros. Of several entries of one key, the last
// one counts. Here keys and digests are strings of bytes: a character for each. A million records go through this, and buffers would take three
// times as long.

/** So many bytes of a digest: two of a thousand million records are alike once in many million years. */
export const DIGEST_BYTES = 12;
const REMOVED = '\0'.repeat(DIGEST_BYTES);

/** A record as the target last accepted it; `digest` is null when it was removed. */
export interface LedgerEntry {
  readonly key: string;
  readonly digest: string | null;
}

export function writeEntries(entries: readonly LedgerEntry[]): string {
  if (entries.length === 0) return '';
  const digests = Buffer.from(entries.map(({ digest }) => digest ?? REMOVED).join(''), 'latin1');
  const keys = Buffer.from(entries.map(({ key }) => `${key}\n`).join(''), 'latin1');
  return `${digests.toString('base64')}\n${keys.toString()}`;
}

export function* readEntries(text: string): Generator<LedgerEntry> {
  const keysAt = text.indexOf('\n') + 1;
  const digests = Buffer.from(text.slice(0, keysAt), 'base64').toString('latin1');
  const keys = Buffer.from(text.slice(keysAt)).toString('latin1').split('\n');
  for (let at = 0; at < keys.length - 1; at++) {
    const digest = digests.slice(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES);
    yield { key: keys[at] as string, digest: digest === REMOVED ? null : digest };
  }
}

export function digestOf(bytes: Buffer | string): string {
  return hash('sha256', bytes, 'latin1').slice(0, DIGEST_BYTES);
}

/** A digest in letters. */
export function shownDigest(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('base64url');
}
