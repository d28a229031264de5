/** Things with a time, the earliest first. */
export class Heap<Thing> {
  readonly #entries: { at: number; thing: Thing }[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): { at: number; thing: Thing } | undefined {
    return this.#entries[0];
  }

  push(at: number, thing: Thing): void {
    const entries = this.#entries;
    const entry = { at, thing };
    let place = entries.length;
    entries.push(entry);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = entries[above];
      if (other === undefined || other.at <= at) break;
      entries[place] = other;
      place = above;
    }
    entries[place] = entry;
  }

  pop(): Thing | undefined {
    const entries = this.#entries;
    const [top] = entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return top?.thing;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [one, two] = [entries[left], entries[left + 1]];
      if (one === undefined) break;
      const [below, smaller] = two !== undefined && two.at < one.at ? [left + 1, two] : [left, one];
      if (smaller.at >= last.at) break;
      entries[place] = smaller;
      place = below;
    }
    entries[place] = last;
    return top?.thing;
  }

  clear(): void {
    this.#entries.length = 0;
  }
}
