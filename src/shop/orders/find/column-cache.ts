/** As many characters as are kept: enough to sort some million orders. */
const MOST_CHARACTERS = 24_000_000;

/** Columns that were read of late, by their versions: what has been read once need not come from the database again, as long as it is the same. */
export class ColumnCache {
  readonly #most: number;
  /** Those that were used last come last. */
  readonly #texts = new Map<number, string>();
  #characters = 0;

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  get(version: number): string | undefined {
    const text = this.#texts.get(version);
    if (text === undefined) return undefined;
    this.#texts.delete(version);
    this.#texts.set(version, text);
    return text;
  }

  put(version: number, text: string): void {
    if (this.#texts.has(version)) return;
    this.#texts.set(version, text);
    this.#characters += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#characters <= this.#most) break;
      this.#texts.delete(oldest);
      this.#characters -= length;
    }
  }
}

/** By chance, and so large that no two columns of any database have the same one. */
export function newVersion(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
}
