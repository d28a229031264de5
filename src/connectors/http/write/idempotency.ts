import { hash } from 'node:crypto';
import type { Batch } from '../../batch.ts';
import type { WriteRequest } from '../../contract.ts';

/**
 * The key of one version of one record: the same whenever it is sent, in whichever batch, and another for every other version. It is
 * made of whose work it is, of what is sent and where to, and of what tells this version from all others.
 */
export function recordKey({ owner, stream }: WriteRequest, batch: Batch, index: number, sent: { path: string; body: string }): string {
  return digest([owner, stream, batch.operation, versionOf(batch, index), sent.path, sent.body]);
}

/** The key of a request: that of its one record, or one made of those of all its records. */
export function requestKey(keys: readonly string[]): string {
  return keys.length === 1 ? (keys[0] as string) : digest(keys);
}

/** A caller that gives a batch without its rows' versions gives it again as it is. */
function versionOf({ version, position }: Batch, index: number): string {
  return version ? version(index) : `${position}/${index}`;
}

function digest(parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('')).slice(0, 48);
}
