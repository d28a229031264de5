/** The candidate that was most likely meant, or undefined when none is near. */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** How many letters have to be typed, dropped or changed; two that changed places count as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(changed, (last[j] as number) + 1, (current[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, (beforeLast[j - 2] as number) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] as number;
}
