import type { RecordPage } from '../answer/page.ts';
import type { Api } from '../api.ts';
import { askWalked } from './asking.ts';
import type { LoopGuard } from './loops.ts';
import type { CursorMark } from './mark.ts';
import { nextOf } from './next.ts';
import type { PageStart } from './paging.ts';
import type { HttpReadPlan } from './plan.ts';

type Asked = ReturnType<typeof askWalked>;

/** The page that follows the one whose records are worked on, asked for meanwhile. What is wrong with it is told when it is taken. */
export class NextPage implements AsyncDisposable {
  readonly #api: Api;
  readonly #plan: HttpReadPlan;
  readonly #guard: LoopGuard;
  readonly #isWanted: boolean;
  readonly #stopping = new AbortController();
  #asked: Asked | undefined;

  constructor(api: Api, plan: HttpReadPlan, guard: LoopGuard, isWanted: boolean) {
    this.#api = api;
    this.#plan = isWanted ? { ...plan, signal: AbortSignal.any([plan.signal, this.#stopping.signal]) } : plan;
    this.#guard = guard;
    this.#isWanted = isWanted;
  }

  /** A page has arrived: asks for the one behind it, if it is known already which that is. The request has left when this is done. */
  async begin(answer: RecordPage, page: PageStart | undefined, since: CursorMark | undefined): Promise<void> {
    if (!this.#isWanted || !answer.held || answer.held.length === 0) return;
    const next = this.#following(answer, page, answer.held.length);
    if (next === undefined || !this.#guard.allows(next)) return;
    // A turn later the connection of the last answer is free again.
    this.#asked = turn().then(() => askWalked(this.#api, this.#plan, { page: next, since, isResumed: false }));
    this.#asked.catch(() => undefined);
    await turn();
  }

  /** The page that was asked for, if one was. */
  take(): Asked | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    return asked;
  }

  /** The read is over: what is still on its way is not wanted any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    const asked = this.take();
    if (!asked) return;
    this.#stopping.abort();
    const answer = await asked.catch(() => undefined);
    if (typeof answer === 'object') answer.discard?.();
  }

  /** What is wrong with where the API leads is told when its turn has come. */
  #following(answer: RecordPage, page: PageStart | undefined, count: number): PageStart | undefined {
    try {
      return nextOf(this.#api, this.#plan, answer, { page, count, last: answer.held?.at(-1) });
    } catch {
      return undefined;
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
