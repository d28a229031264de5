import type { ApiError } from '../api/errors.ts';

/** What the service has found wrong, as sentences by the place of the field. */
export function faultsByField(error: ApiError | null): ReadonlyMap<string, string> {
  return new Map(error?.faults.map(({ field, reason }) => [field, faultSentence(reason)]));
}

/** `is mandatory` → `Is mandatory.` */
function faultSentence(reason: string): string {
  const begun = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}
