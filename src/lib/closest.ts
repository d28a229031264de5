/** The name that somebody may have meant: the one that needs the fewest changes, if these are few. */
export function closest(wanted: string, names: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let [best, fewest] = [undefined as string | undefined, most + 1];
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= fewest) continue;
    const changes = name.toLowerCase() === wanted.toLowerCase() ? 0 : distance(wanted, name);
    if (changes < fewest) [best, fewest] = [name, changes];
  }
  return best;
}

/** How many letters have to be put in, left out or exchanged to make one of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchanged = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(exchanged, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
