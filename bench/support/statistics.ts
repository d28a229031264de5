export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that so many percent of them do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? Number.NaN;
}

export interface Pair<Value> {
  ours: Value[];
  reference: Value[];
}

/** Measures in turns, so that whatever else the machine does falls on both alike. */
export async function inTurns<Value>(rounds: number, ours: () => Promise<Value>, reference: () => Promise<Value>): Promise<Pair<Value>> {
  const pair: Pair<Value> = { ours: [], reference: [] };
  for (let round = 0; round < rounds; round++) {
    pair.ours.push(await ours());
    pair.reference.push(await reference());
  }
  return pair;
}

/** The same for more than two. */
export async function inRotation<Name extends string, Value>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<Value>>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round < rounds; round++) for (const name of names) values[name].push(await contenders[name]());
  return values;
}

export function mapPair<From, To>({ ours, reference }: Pair<From>, to: (value: From) => To): Pair<To> {
  return { ours: ours.map(to), reference: reference.map(to) };
}

/** The same figures on every run: numbers from 0 to 1 that look random. */
export function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
