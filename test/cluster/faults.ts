/** How often something happens to the cluster: seldom in `npm test`, often in `npm run test:cluster`. */
const asked = process.env['FAULTS'];

export const isLarge = asked !== undefined;

export function howOften(usually: number): number {
  return asked === undefined ? usually : Number(asked);
}

/** Of so many, the first waits for the lease to be over by itself; of the others it is ended at once. */
const REAL_LEASES = 5;

export function waitsForLease(round: number): boolean {
  return round % REAL_LEASES === 0;
}

/** So long after the end of a lease another node has the run, at the latest, in milliseconds. */
export const TAKEN_OVER_WITHIN = 5_000;
