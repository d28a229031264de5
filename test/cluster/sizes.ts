/** `npm run test:cluster` has things happen often; `npm test` has no time for that. */
const asked = process.env['FAULTS'];

export const isLarge = asked !== undefined;

export function howOften(usually: number): number {
  return asked === undefined ? usually : Number(asked);
}
