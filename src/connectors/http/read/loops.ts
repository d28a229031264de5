import { createHash, hash } from 'node:crypto';
import { OutsideError } from '../../../outside/errors.ts';
import type { PageStart } from './paging.ts';

// How long the memory is. A longer circle is ended by `max_pages`.
const MAX_KNOWN = 100_000;
const MAX_EMPTY = 1000;
/** Pages without a key may well be alike for a while. */
const MAX_ALIKE = 10;

/** Notices that an API leads us in circles. */
export class LoopGuard {
  readonly #hasKey: boolean;
  readonly #maxPages: number;
  readonly #starts = new Set<string>();
  readonly #contents = new Set<string>();
  /** Sums of the digests of the records: the same in whichever order they come. */
  #content: [number, number] = [0, 0];
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
    const token = digest(JSON.stringify(start ?? null));
    if (this.#starts.has(token))
      throw loop('The API names a page as the next one that it has given already.', 'Check where the next page is found in the answer.');
    remember(this.#starts, token);
  }

  /** Everything is asked for anew, so pages may come again. */
  restart(): void {
    this.#starts.clear();
    this.#contents.clear();
  }

  /** A record of the page. */
  record(text: Buffer): void {
    const digest = hash('sha256', text, 'buffer');
    this.#content = [(this.#content[0] + digest.readUIntBE(0, 6)) % 2 ** 48, (this.#content[1] + digest.readUIntBE(6, 6)) % 2 ** 48];
  }

  /** The page has been read. */
  leave(count: number): void {
    const content = `${count}/${this.#content.join('/')}`;
    this.#content = [0, 0];
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

function loop(message: string, hint: string): OutsideError {
  return new OutsideError('config', 'PAGING_LOOP', message, { hint });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function remember(known: Set<string>, entry: string): void {
  known.add(entry);
  if (known.size <= MAX_KNOWN) return;
  for (const oldest of known) {
    known.delete(oldest);
    return;
  }
}
