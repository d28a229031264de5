/** As many characters of columns as are kept, unpacked: enough to sort a million orders by each of their numbers. */
const MOST_CHARACTERS = 32_000_000;

interface Kept {
  column: unknown;
  characters: number;
}

/** Columns that were read of late, by their versions: what has been read once need not come from the database again, as long as it is the same. */
export class ColumnCache {
  readonly #most: number;
  /** Those that were used last come last. */
  readonly #kept = new Map<number, Kept>();
  #characters = 0;

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  /** A column as it was put here; a version is unpacked in one way only. */
  get<Column>(version: number): Column | undefined {
    const kept = this.#kept.get(version);
    if (!kept) return undefined;
    this.#kept.delete(version);
    this.#kept.set(version, kept);
    return kept.column as Column;
  }

  /** Keeps what was made of so many characters. */
  put(version: number, column: unknown, characters: number): void {
    if (this.#kept.has(version)) return;
    this.#kept.set(version, { column, characters });
    this.#characters += characters;
    for (const [oldest, kept] of this.#kept) {
      if (this.#characters <= this.#most) break;
      this.#kept.delete(oldest);
      this.#characters -= kept.characters;
    }
  }
}

/** By chance, and so large that no two columns of any database have the same one. */
export function newVersion(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
}
