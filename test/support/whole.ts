/** `npm run test:whole` leaves nothing out. `npm test` has a sample of what takes long. */
export const isWhole = process.env['WHOLE'] !== undefined;

/** How often, or how many: `few` in a sample. */
export function sampled(few: number, whole: number): number {
  return isWhole ? whole : few;
}
