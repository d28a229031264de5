/**
 * Terms, each with the places that have it, while a segment is made of them. What is kept is numbers in a few long lists: as an object for each
 * term, of which a segment has some ten thousand, it would be copied again and again when memory is tidied.
 */
export class Gathering {
  /** Of each term its number, which is its index in the lists below. */
  readonly #numbers = new Map<string, number>();
  /** Told once, as most terms come again and again. */
  readonly #hashes: number[] = [];
  /** The entries with the first and the last place of each term. */
  readonly #firsts: number[] = [];
  readonly #lasts: number[] = [];
  /** Of each entry its place, and the entry with the next place of the same term, or 0. The first entry is nobody's. */
  readonly #places: number[] = [-1];
  readonly #nexts: number[] = [0];
  /** The numbers of terms that come together again and again. */
  readonly #groups = new Map<readonly string[], readonly number[]>();

  /** Places come in their order. Answers the hash of the term, or 0 when it has this place already. */
  add(term: string, place: number): number {
    return this.#addPlace(this.#numbers.get(term) ?? this.#numberOf(term), place);
  }

  /** The same of some terms, that are known again by the list that they come in; answers the sum. */
  addAll(terms: readonly string[], place: number): number {
    let group = this.#groups.get(terms);
    if (group === undefined) {
      group = terms.map((term) => this.#numbers.get(term) ?? this.#numberOf(term));
      this.#groups.set(terms, group);
    }
    let sum = 0;
    for (const number of group) sum += this.#addPlace(number, place);
    return sum;
  }

  get terms(): string[] {
    return [...this.#numbers.keys()];
  }

  /** The places of a term, in their order. */
  placesOf(term: string): number[] {
    const places: number[] = [];
    const first = this.#firsts[this.#numbers.get(term) ?? -1] ?? 0;
    for (let entry = first; entry !== 0; entry = this.#nexts[entry] as number) places.push(this.#places[entry] as number);
    return places;
  }

  #numberOf(term: string): number {
    const number = this.#hashes.push(hashOfTerm(term)) - 1;
    this.#firsts.push(0);
    this.#lasts.push(0);
    this.#numbers.set(term, number);
    return number;
  }

  #addPlace(number: number, place: number): number {
    const last = this.#lasts[number] as number;
    if (this.#places[last] === place) return 0;
    const entry = this.#places.push(place) - 1;
    this.#nexts.push(0);
    if (last === 0) this.#firsts[number] = entry;
    else this.#nexts[last] = entry;
    this.#lasts[number] = entry;
    return this.#hashes[number] as number;
  }
}

/** The same for the same terms, whatever their order. */
export function hashOf(terms: ReadonlySet<string>): number {
  let sum = 0;
  for (const term of terms) sum = (sum + hashOfTerm(term)) >>> 0;
  return sum;
}

function hashOfTerm(term: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01_00_01_93);
  return hash;
}
