import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../db/database.ts';
import { endOfFeed, readFeed } from '../rows.ts';
import type { Bell } from './bell.ts';

/** An endpoint that nothing is to be sent to any more, as the thread that delivers is told it. */
export interface Ending {
  readonly id: string;
  /** Whether what is under way is cut short, too. */
  readonly isDeleted: boolean;
}

interface EndingsOptions {
  db: Database;
  /** What comes after this place of the feed is told. */
  after: number;
  /** Tells the thread, which answers with the number. */
  tell: (number: number, endings: readonly Ending[]) => void;
}

/** It is looked so often, whatever hints say: another node may have paused or deleted an endpoint. */
const LOOK = 400;
const AT_ONCE = 500;
/** A thread that does not answer for so long holds up no request any more. */
const PATIENCE = 1_000;
const TYPES = new Set(['webhook.paused', 'webhook.deleted']);

/**
 * Endpoints that are paused or deleted are told to the thread that delivers apart from the feed, and ahead of it: there may be much to read before it comes to them.
 */
export class Endings {
  readonly #db: Database;
  readonly #tell: EndingsOptions['tell'];
  #after: number;
  #number = 0;
  #unanswered: PromiseWithResolvers<void> | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor({ db, after, tell }: EndingsOptions) {
    this.#db = db;
    this.#after = after;
    this.#tell = tell;
  }

  /** Resolves when the thread knows of all that was committed before the call, or cannot be asked. */
  async told(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look()).catch(() => undefined);
    await this.#looking;
    if (this.#unanswered) await Promise.race([this.#unanswered.promise, pause(PATIENCE, undefined, { ref: false })]);
  }

  /** Looks now and then, and when the bell rings. */
  async watch(bell: Bell, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const since = bell.rung();
      await this.told();
      await bell.heard(LOOK, signal, since);
    }
  }

  /** The thread knows of those with this number, and all before. */
  answered(number: number): void {
    if (number < this.#number) return;
    this.#unanswered?.resolve();
    this.#unanswered = undefined;
  }

  async #look(): Promise<void> {
    const end = await endOfFeed(this.#db.read);
    while (this.#after < end) {
      const events = await readFeed(this.#db.read, { after: this.#after, end, topics: ['webhooks'] }, AT_ONCE);
      const endings = events.filter(({ type }) => TYPES.has(type));
      if (endings.length > 0) {
        this.#unanswered ??= Promise.withResolvers();
        this.#tell(
          ++this.#number,
          endings.map(({ object_id, type }) => ({ id: object_id, isDeleted: type === 'webhook.deleted' })),
        );
      }
      this.#after = events.at(-1)?.seq ?? end;
    }
  }
}
