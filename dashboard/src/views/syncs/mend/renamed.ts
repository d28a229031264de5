/** A stream by the names of its fields. */
export interface FieldNames {
  readonly name: string;
  readonly fields: readonly string[];
}

/** So much of the fields has to be the same. */
const ENOUGH = 0.6;

/**
 * Under which name something that is gone seems to be there now: what has most of its fields and its whole key. Where two are as much alike, nobody
 * can tell, and nothing is said.
 */
export function renamedTo(gone: FieldNames & { key: readonly string[] }, others: readonly FieldNames[]): string | undefined {
  const found = others
    .filter(({ fields }) => gone.key.every((name) => fields.includes(name)))
    .map((other) => ({ name: other.name, alike: alikeness(gone.fields, other.fields), near: nearness(gone.name, other.name) }))
    // A lone id is in every table: then the name has to say it.
    .filter(({ alike, near }) => alike >= ENOUGH && (gone.fields.length > 1 || near >= ENOUGH))
    .toSorted((one, other) => other.alike - one.alike || other.near - one.near);
  const [best, second] = found;
  return best && (second?.alike !== best.alike || second.near !== best.near) ? best.name : undefined;
}

/** From 0 to 1: how many of the fields of both they share. */
function alikeness(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((name) => other.includes(name)).length;
  return shared / Math.max(one.length, other.length, 1);
}

/** From 0 to 1: how much of the names begins or ends alike. */
function nearness(one: string, other: string): number {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  let end = 0;
  while (end < short.length && short.at(-1 - end) === long.at(-1 - end)) end++;
  return Math.max(start, end) / short.length;
}
