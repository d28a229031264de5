/**
 * Finds those that are refused among many, by halves. `trial` tries some of them together, in a transaction that is taken back, and answers why they
 * are refused; undefined when they are not.
 */
export async function findRefused(
  ids: readonly number[],
  trial: (ids: readonly number[]) => Promise<string | undefined>,
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  const look = async (some: readonly number[]): Promise<void> => {
    const reason = some.length === 0 ? undefined : await trial(some);
    if (reason === undefined) return;
    if (some.length === 1) return void found.set(some[0] as number, reason);
    const middle = some.length >> 1;
    await look(some.slice(0, middle));
    await look(some.slice(middle));
  };
  await look(ids);
  return found;
}
