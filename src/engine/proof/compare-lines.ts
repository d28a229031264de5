import type { ProofShape } from './proof-shape.ts';

const TAB = 0x09;
const NEWLINE = 0x0a;

/** A line within a buffer, from its first byte to behind its newline. */
export interface LinePlace {
  readonly bytes: Buffer;
  readonly start: number;
}

/** `same`: the rows are equal. `different`: they have one key, and other values. `apart`: they do not belong together. */
export type LineMatch = 'same' | 'different' | 'apart';

/**
 * Compares two rows as bytes, and looks at the values of just those fields that are not spelled the same: a row that both ends have is mostly spelled
 * the same but for one or two.
 */
export function compareLines(
  shape: ProofShape,
  { bytes: one, start: oneStart }: LinePlace,
  { bytes: other, start: otherStart }: LinePlace,
): LineMatch {
  let [at, otherAt] = [oneStart, otherStart];
  let [from, otherFrom] = [oneStart, otherStart];
  let field = 0;
  let isDifferent = false;
  for (;;) {
    const byte = one[at];
    if (byte === other[otherAt]) {
      if (byte === NEWLINE || byte === undefined) return isDifferent ? 'different' : 'same';
      at++;
      otherAt++;
      if (byte === TAB) {
        field++;
        from = at;
        otherFrom = otherAt;
      }
      continue;
    }
    at = fieldEnd(one, at);
    otherAt = fieldEnd(other, otherAt);
    if (!shape.isSameField(field, one.subarray(from, at), other.subarray(otherFrom, otherAt))) {
      if (shape.tellsApart(field)) return 'apart';
      isDifferent = true;
    }
    if (one[at] !== other[otherAt]) throw new Error('the rows of both ends have not the same fields');
  }
}

function fieldEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== TAB && bytes[at] !== NEWLINE) at++;
  return at;
}
