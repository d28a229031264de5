import type { Engine } from '../../src/db/sql.ts';

/** `npm run test:whole` leaves nothing out. `npm test` has a sample of what takes long. */
export const isWhole = process.env['WHOLE'] !== undefined;

/** For tests that take long and care little for our own database: `npm test` has them on one of the two. */
export function oneIsEnough(engine: Engine): { skip: string | false } {
  return { skip: !isWhole && engine === 'postgres' && 'on SQLite alone; npm run test:whole has both' };
}

/** How often, or how many: `few` in a sample. */
export function sampled(few: number, whole: number): number {
  return isWhole ? whole : few;
}
