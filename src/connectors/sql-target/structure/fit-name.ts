import { createHash } from 'node:crypto';

/** A name that is no longer than this: what is cut off is told by a few digits, so that two names stay two. */
export function fitName(name: string, most: number, sizeOf: (text: string) => number = (text) => text.length): string {
  if (sizeOf(name) <= most) return name;
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 8);
  let kept = Array.from(name);
  while (sizeOf(kept.join('')) > most - digits.length - 1) kept = kept.slice(0, -1);
  return `${kept.join('')}_${digits}`;
}

/** What names of one kind have in common. */
export interface NameRoom {
  readonly most: number;
  readonly sizeOf?: (text: string) => number;
  /** Upper and lower case are the same name. */
  readonly foldsCase?: true;
}

/** Chooses names that fit, each once, in the order in which they are asked for: so it is the same ones after a restart. */
export class NameChoice {
  readonly #room: NameRoom;
  readonly #taken: Set<string>;

  constructor(room: NameRoom, taken: readonly string[] = []) {
    this.#room = room;
    this.#taken = new Set(taken.map((name) => this.#fold(name)));
  }

  /** The first of these that has not been given yet, or else the last of them with a number. */
  choose(wanted: readonly string[]): string {
    const { most, sizeOf } = this.#room;
    const last = wanted.at(-1) ?? '';
    for (let n = 1; ; n++) {
      const name = fitName(wanted[n - 1] ?? `${last}_${n - wanted.length + 1}`, most, sizeOf);
      if (this.#taken.has(this.#fold(name))) continue;
      this.#taken.add(this.#fold(name));
      return name;
    }
  }

  #fold(name: string): string {
    return this.#room.foldsCase ? name.toLowerCase() : name;
  }
}
