import { OutsideError } from '../../../../outside/errors.ts';
import { reductionFault } from '../../language/page-size-reduction.ts';
import { manifestFault, type Part, partOf, textAt } from '../parts.ts';
import type { AirbyteSession } from '../session.ts';
import type { Paginator } from './paginator.ts';

/** How the pages of a stream become smaller when the API wants less at a time. */
interface Reduction {
  readonly session: AirbyteSession;
  readonly usual: number;
  readonly factor: number;
  readonly least: number;
  readonly most: number;
  readonly wait: number;
  readonly retries: number;
  readonly returns: boolean;
  readonly words: string;
}

/** How many records a page is asked for, while one slice is read. */
export class PageSizes {
  readonly #reduction: Reduction;
  #size: number | undefined;
  /** Reductions since the last page that came. */
  #reduced = 0;
  #repeated = 0;

  constructor(reduction: Reduction) {
    this.#reduction = reduction;
  }

  /** Undefined as long as it is the one that the manifest says. */
  get size(): number | undefined {
    return this.#size;
  }

  /** Makes the next request ask for less, and waits a little; throws when it cannot be made smaller. */
  async reduce(refusal: OutsideError, signal: AbortSignal): Promise<void> {
    const { usual, factor, least, most, wait, retries, session } = this.#reduction;
    const size = this.#size ?? usual;
    const smaller = Math.max(least, Math.floor(size / factor));
    if (smaller < size) {
      if (++this.#reduced > most) throw this.#givenUp(refusal, size);
      this.#size = smaller;
      await session.clock.sleep(wait * this.#reduced * 1000, signal);
    } else {
      if (++this.#repeated > retries) throw this.#givenUp(refusal, size);
      await session.clock.sleep(wait * this.#repeated * 1000, signal);
    }
  }

  /** A page has come. */
  worked(): void {
    this.#reduced = 0;
    this.#repeated = 0;
    if (this.#reduction.returns) this.#size = undefined;
  }

  #givenUp(refusal: OutsideError, size: number): OutsideError {
    const { words } = this.#reduction;
    return new OutsideError('transient', refusal.code, `${refusal.message} It does so even with pages of ${size}.`, {
      hint: words === '' ? 'Look whether the API is well, or have it asked for less.' : words,
      cause: refusal,
    });
  }
}

/** What makes the sizes of pages for each slice; undefined where the manifest does not have them reduced. */
export function pageSizesOf(session: AirbyteSession, retriever: Part, { size }: Paginator): (() => PageSizes) | undefined {
  const part = partOf(retriever['page_size_reduction']);
  if (!part) return undefined;
  const fault = reductionFault(retriever);
  if (fault !== undefined || size === undefined)
    throw manifestFault('PAGE_SIZE_INVALID', `It cannot be read: ${fault ?? 'its pages have no size'}.`);
  const reduction: Reduction = {
    session,
    usual: size,
    factor: Math.max(numberAt(part, 'reduction_factor', 2), 1.01),
    least: Math.max(numberAt(part, 'minimum_page_size', 1), 1),
    most: numberAt(part, 'max_attempts', 5),
    wait: numberAt(part, 'backoff_seconds', 0.5),
    retries: numberAt(part, 'retries_at_minimum_page_size', 0),
    returns: textAt(part, 'reset_policy') === 'AFTER_SUCCESSFUL_PAGE',
    words: textAt(part, 'failure_message')?.trim() ?? '',
  };
  return () => new PageSizes(reduction);
}

function numberAt(part: Part, name: string, usual: number): number {
  const value = Number(part[name] ?? usual);
  return Number.isFinite(value) && value >= 0 ? value : usual;
}
