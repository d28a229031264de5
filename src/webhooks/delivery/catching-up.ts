import { setTimeout as turn } from 'node:timers/promises';
import type { DeliveryPort, News } from './port.ts';
import type { Receiver } from './receiver.ts';

interface CatchingUpOptions {
  port: DeliveryPort;
  isEnding: () => boolean;
  /** Takes a page in that was read for an endpoint as it was then. */
  take: (receiver: Receiver, endpoint: Receiver['endpoint'], page: News) => void;
  /** A page was read, or could not be. */
  onRead: (receiver: Receiver) => void;
}

/** Endpoints that are behind read for themselves, so many at a time. */
const MOST_READING = 4;
/** What a page of the feed has at least, if there is so much. */
const SMALLEST_PAGE = 32;
/** When the database cannot be asked just now. */
const RETRY = 200;

/** Reads pages of the feed for endpoints that are behind, until they are at its end. */
export class CatchingUp {
  readonly #options: CatchingUpOptions;
  readonly #behind = new Set<Receiver>();
  #reading = 0;

  constructor(options: CatchingUpOptions) {
    this.#options = options;
  }

  add(receiver: Receiver): void {
    this.#behind.add(receiver);
  }

  delete(receiver: Receiver): void {
    this.#behind.delete(receiver);
  }

  readOn(): void {
    for (const receiver of this.#behind) {
      if (this.#options.isEnding() || this.#reading >= MOST_READING) return;
      this.#behind.delete(receiver);
      if (!receiver.isReading) void this.#readPage(receiver);
    }
  }

  async #readPage(receiver: Receiver): Promise<void> {
    const { port, take, onRead } = this.#options;
    const { lane, endpoint } = receiver;
    // What it does not take in would be read once more.
    const limit = Math.max(SMALLEST_PAGE, lane.room);
    receiver.isReading = true;
    this.#reading++;
    try {
      take(receiver, endpoint, await port.page(lane.scanned, limit, [receiver.scopes], receiver.topics));
    } catch {
      await turn(RETRY);
    }
    receiver.isReading = false;
    this.#reading--;
    onRead(receiver);
  }
}
