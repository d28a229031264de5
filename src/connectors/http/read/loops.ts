import { createHash } from 'node:crypto';
import { OutsideError } from '../../../outside/errors.ts';
import type { FoundRecord } from '../answer/found-record.ts';
import type { PageStart } from './paging.ts';

// How long the memory is. A longer circle is ended by `max_pages`.
const MAX_KNOWN = 100_000;
const MAX_EMPTY = 1000;
/** Pages without a key may well be alike for a while. */
const MAX_ALIKE = 10;

/** Of two sums over the bytes of a record, which are independent of each other. */
const SEEDS = [0x811c9dc5, 0x9e3779b9] as const;
const FACTORS = [0x01000193, 0x85ebca6b] as const;

/** Notices that an API leads us in circles. */
export class LoopGuard {
  readonly #hasKey: boolean;
  readonly #maxPages: number;
  readonly #starts = new Set<string>();
  readonly #contents = new Set<string>();
  /** Sums of the digests of the records: the same in whichever order they come. */
  readonly #content: [number, number] = [0, 0];
  #last = '';
  #alike = 0;
  #empty = 0;
  #pages = 0;

  constructor({ hasKey, maxPages }: { hasKey: boolean; maxPages: number }) {
    this.#hasKey = hasKey;
    this.#maxPages = maxPages;
  }

  /** A page is about to be asked for. */
  enter(start: PageStart | undefined): void {
    if (++this.#pages > this.#maxPages)
      throw new OutsideError('config', 'PAGES_TOO_MANY', `The API has more than ${this.#maxPages} pages, or no last one.`, {
        field: 'max_pages',
        hint: 'Ask for larger pages, or raise `max_pages`. What was read so far is kept.',
      });
    const token = tokenOf(start);
    if (this.#starts.has(token))
      throw loop('The API names a page as the next one that it has given already.', 'Check where the next page is found in the answer.');
    remember(this.#starts, token);
  }

  /** Whether a page could be entered next. */
  allows(start: PageStart): boolean {
    return this.#pages < this.#maxPages && !this.#starts.has(tokenOf(start));
  }

  /** Everything is asked for anew, so pages may come again. */
  restart(): void {
    this.#starts.clear();
    this.#contents.clear();
  }

  /** A record of the page. */
  record({ bytes, from, to }: Pick<FoundRecord, 'bytes' | 'from' | 'to'>): void {
    // Nobody gains by records that are mixed up here but the API that sends them, which would be told that it leads in circles.
    let one: number = SEEDS[0];
    let other: number = SEEDS[1];
    const whole = to - ((to - from) % 4);
    for (let i = from; i < whole; i += 4) {
      const four =
        (bytes[i] as number) | ((bytes[i + 1] as number) << 8) | ((bytes[i + 2] as number) << 16) | ((bytes[i + 3] as number) << 24);
      one = Math.imul(one ^ four, FACTORS[0]);
      one ^= one >>> 13;
      other = Math.imul(other + four, FACTORS[1]);
      other ^= other >>> 15;
    }
    for (let i = whole; i < to; i++) {
      one = Math.imul(one ^ (bytes[i] as number), FACTORS[0]);
      other = Math.imul(other + (bytes[i] as number), FACTORS[1]);
    }
    this.#content[0] = (this.#content[0] + spread(one)) % 2 ** 48;
    this.#content[1] = (this.#content[1] + spread(other)) % 2 ** 48;
  }

  /** The page has been read. */
  leave(count: number): void {
    const content = `${count}/${this.#content.join('/')}`;
    this.#content.fill(0);
    this.#empty = count === 0 ? this.#empty + 1 : 0;
    if (this.#empty > MAX_EMPTY)
      throw loop(`The API gave ${MAX_EMPTY} pages in a row without a record, and has still more.`, 'Ask the makers of the API.');
    if (count === 0) return;
    this.#alike = content === this.#last ? this.#alike + 1 : 0;
    this.#last = content;
    if (this.#alike >= MAX_ALIKE || (this.#hasKey && this.#contents.has(content)))
      throw loop('The API gave the same page again.', 'Check the names of the parameters of the paging: the API seems not to know them.');
    if (this.#hasKey) remember(this.#contents, content);
  }
}

/** Sums of similar records must not be similar. */
function spread(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function loop(message: string, hint: string): OutsideError {
  return new OutsideError('config', 'PAGING_LOOP', message, { hint });
}

/** Most are short: a number, or an id. */
const MAX_PLAIN = 100;

/** What is remembered of where a page begins. */
function tokenOf(start: PageStart | undefined): string {
  const text = JSON.stringify(start ?? null);
  return text.length <= MAX_PLAIN ? text : createHash('sha256').update(text).digest('base64');
}

function remember(known: Set<string>, entry: string): void {
  known.add(entry);
  if (known.size <= MAX_KNOWN) return;
  for (const oldest of known) {
    known.delete(oldest);
    return;
  }
}
