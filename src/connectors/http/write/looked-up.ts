/** What was found is remembered for so many values of each lookup; then the one that was asked for longest ago is forgotten. */
const MOST_KNOWN = 10_000;

/** What was looked up in this session: for each value, what was found, as JSON. */
export class LookedUp {
  readonly #known = new Map<string, string>();

  get(value: string): string | undefined {
    const found = this.#known.get(value);
    if (found === undefined) return undefined;
    this.#known.delete(value);
    this.#known.set(value, found);
    return found;
  }

  set(value: string, found: string): void {
    this.#known.set(value, found);
    if (this.#known.size <= MOST_KNOWN) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}
