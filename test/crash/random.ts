/** Answers numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * A seed is the number that all random choices of a test are made from (mulberry32): the same seed makes the same choices again.
 * What no seed can repeat is the exact instant at which a process dies.
 */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Runs the work with a new seed, or with the one in TEST_SEED; when it fails, the error tells the seed. */
export async function withSeed<Result>(work: (random: Random) => Promise<Result>): Promise<Result> {
  const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 32);
  try {
    return await work(randomFrom(seed));
  } catch (error) {
    throw new Error(`Failed with the seed ${seed}; TEST_SEED=${seed} makes the same choices again.`, { cause: error });
  }
}
