// What was committed, by the numbers that servers give to transactions. Pure.

/** Of MariaDB: the last transaction of each domain. */
export type DomainState = ReadonlyMap<number, { readonly server: number; readonly number: bigint }>;

export function parseDomains(text: string): Map<number, { server: number; number: bigint }> {
  const state = new Map<number, { server: number; number: bigint }>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d+)-(\d+)-(\d+)\s*$/.exec(part);
    if (match) state.set(Number(match[1]), { server: Number(match[2]), number: BigInt(match[3] as string) });
  }
  return state;
}

export function printDomains(state: DomainState): string {
  return [...state].map(([domain, { server, number }]) => `${domain}-${server}-${number}`).join(',');
}

/** Whether everything in one is in the other too. */
export function domainsWithin(one: DomainState, other: DomainState): boolean {
  return [...one].every(([domain, { number }]) => number <= (other.get(domain)?.number ?? -1n));
}

/** Of MySQL: ranges of numbers of each server that has made some, in their order; both ends belong to it. */
export class GtidSet {
  readonly #ranges = new Map<string, [bigint, bigint][]>();

  static parse(text: string): GtidSet {
    const set = new GtidSet();
    for (const part of text.split(',')) {
      const [source = '', ...ranges] = part.trim().toLowerCase().split(':');
      let name = source;
      for (const range of ranges) {
        const match = /^(\d+)(?:-(\d+))?$/.exec(range);
        // What is no range is a tag: the numbers behind it are counted for themselves.
        if (!match) name = `${source}:${range}`;
        else set.add(name, BigInt(match[1] as string), BigInt(match[2] ?? (match[1] as string)));
      }
    }
    return set;
  }

  add(source: string, from: bigint, to = from): void {
    const ranges = this.#ranges.get(source);
    if (!ranges) return void this.#ranges.set(source, [[from, to]]);
    const last = ranges.at(-1) as [bigint, bigint];
    // Nearly always the next one.
    if (from === last[1] + 1n) last[1] = to;
    else {
      ranges.push([from, to]);
      ranges.sort((one, other) => (one[0] < other[0] ? -1 : 1));
      const joined: [bigint, bigint][] = [];
      for (const range of ranges) {
        const before = joined.at(-1);
        if (before && range[0] <= before[1] + 1n) before[1] = before[1] > range[1] ? before[1] : range[1];
        else joined.push(range);
      }
      this.#ranges.set(source, joined);
    }
  }

  isWithin(other: GtidSet): boolean {
    return [...this.#ranges].every(([source, ranges]) =>
      ranges.every(([from, to]) => other.#ranges.get(source)?.some((range) => range[0] <= from && to <= range[1])),
    );
  }

  toString(): string {
    return [...this.#ranges]
      .map(([source, ranges]) => [source, ...ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`))].join(':'))
      .join(',');
  }

  /** As the protocol wants it, lowest byte first; its end does not belong to a range. */
  encoded(): Buffer {
    const parts = [number64(BigInt(this.#ranges.size))];
    for (const [source, ranges] of this.#ranges) {
      parts.push(Buffer.from(source.replaceAll('-', ''), 'hex'), number64(BigInt(ranges.length)));
      for (const [from, to] of ranges) parts.push(number64(from), number64(to + 1n));
    }
    return Buffer.concat(parts);
  }

  /** The protocol that we speak knows no tags. */
  get hasTags(): boolean {
    return [...this.#ranges.keys()].some((source) => source.includes(':'));
  }
}

function number64(number: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(number);
  return bytes;
}
