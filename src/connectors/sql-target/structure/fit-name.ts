import { createHash } from 'node:crypto';

/** A name that is no longer than this: what is cut off is told by a few digits, so that two names stay two. */
export function fitName(name: string, most: number, sizeOf: (text: string) => number = (text) => text.length): string {
  if (sizeOf(name) <= most) return name;
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 8);
  let kept = Array.from(name);
  while (sizeOf(kept.join('')) > most - digits.length - 1) kept = kept.slice(0, -1);
  return `${kept.join('')}_${digits}`;
}
