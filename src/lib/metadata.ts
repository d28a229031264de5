import { invalidParam } from './errors.ts';
import { depthOf } from './json.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 32;

/** What a caller keeps with us that is its own affair, as JSON text; throws INVALID_PARAMS when it is too much. */
export function metadataText(metadata: object, field: string): string {
  demandShallow(metadata, field);
  const text = JSON.stringify(metadata);
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalidParam(field, 'must be at most 16 KiB as JSON');
  return text;
}

/** What is nested deeper is not to be walked through, nor to be written as JSON. */
export function demandShallow(value: unknown, field: string): void {
  if (depthOf(value, MAX_DEPTH) > MAX_DEPTH) throw invalidParam(field, `must not be nested more than ${MAX_DEPTH} levels deep`);
}
