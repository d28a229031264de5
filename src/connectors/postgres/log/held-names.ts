import { createHash } from 'node:crypto';
import { LONGEST_NAME } from '../catalogue/names.ts';

const HASH = 16;

/**
 * How the slot and the publication of an owner are called. Slots are of the whole server and have few letters to choose from: the hash keeps owners apart, also
 * those of the same name in two databases; the rest is for people.
 */
export function heldName(owner: string, database: string): string {
  const hash = createHash('sha256').update(`${database}\0${owner}`).digest('hex').slice(0, HASH);
  const words = owner
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, LONGEST_NAME - HASH - 'syncline__'.length);
  return `syncline_${words}_${hash}`;
}
