import { crc32 } from 'node:zlib';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Beyond this, the one that was silent for longest is forgotten: an attacker with many addresses must not fill our memory. */
const MAX_NETWORKS = 5_000;
/** Nobody needs to know whether it was a hundred different keys or ten thousand. */
const MAX_DIFFERENT = 100;
/** And an attacker with many addresses must neither fill the log nor the feed of events. */
const LINES_A_MINUTE = 30;
const BURSTS_AN_HOUR = 20;

/** The keys of one network that were refused and not told of yet. */
export interface Refusals {
  network: string;
  count: number;
  /** How many different keys, up to a hundred. */
  different: number;
  /** When the first of them came. */
  since: number;
}

/** Many wrong keys in a short time, as it is written down. */
export interface Burst {
  address: string;
  /** The address, or the IPv6 network that counts as one. */
  network: string;
  refused: number;
  since: string;
  request_id: string;
}

interface Entry {
  /** How many wrong keys it may still send before it has to wait; a minute fills it again. */
  left: number;
  filledAt: number;
  /** Whether the present burst has been told of. */
  inBurst: boolean;
  count: number;
  different: Set<number>;
  since: number;
  /** When the log last told of it. */
  toldAt: number;
  seenAt: number;
}

/** What is remembered of networks that sent wrong keys: bounded in every direction. Pure, but for what it remembers. */
export class RefusalTable {
  readonly #perMinute: number;
  readonly #networks = new Map<string, Entry>();
  readonly #raised = new Map<string, number>();
  #lines = { since: 0, count: 0 };
  #untold = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  get size(): number {
    return this.#networks.size;
  }

  /** Counts one. `wait`: milliseconds until the next one is answered 401 again; `tell`: it is the first for a while; `burst`: one begins. */
  add(network: string, token: string, now: number): { refusals: Refusals; wait: number; tell: boolean; burst: boolean } {
    const entry = this.#entryOf(network, now);
    entry.seenAt = now;
    if (entry.count === 0) entry.since = now;
    entry.count++;
    if (entry.different.size < MAX_DIFFERENT) entry.different.add(crc32(token));
    const tell = entry.toldAt === 0 && this.#mayLog(now);
    if (tell) entry.toldAt = now;
    const wait = this.#take(entry, now);
    const burst = wait > 0 && !entry.inBurst;
    if (burst) entry.inBurst = true;
    return { refusals: refusalsOf(network, entry), wait, tell, burst };
  }

  /** Whether a burst of this network is to be written down: once an hour, and not for ever more networks. */
  mayRaise(network: string, now: number): boolean {
    for (const [known, at] of this.#raised) if (now - at >= HOUR) this.#raised.delete(known);
    if (this.#raised.has(network) || this.#raised.size >= BURSTS_AN_HOUR) return false;
    this.#raised.set(network, now);
    return true;
  }

  /** What the log has not been told for a minute; it counts as told from now on. Forgets who has been silent for a while. */
  due(now: number): Refusals[] {
    const due: Refusals[] = [];
    for (const [network, entry] of this.#networks) {
      if (entry.count > 0 && now - entry.toldAt >= MINUTE) {
        // One that was told of when it came is not told again.
        if (entry.count > 1 || entry.toldAt < entry.since) {
          if (now === Number.POSITIVE_INFINITY || this.#mayLog(now)) due.push(refusalsOf(network, entry));
          else this.#untold += entry.count;
        }
        Object.assign(entry, { count: 0, different: new Set(), toldAt: now });
      }
      if (now - entry.seenAt >= 2 * MINUTE) this.#networks.delete(network);
    }
    return due;
  }

  /** How many were refused that no line tells of. */
  untold(): number {
    const untold = this.#untold;
    this.#untold = 0;
    return untold;
  }

  /** A bucket that holds as many as a minute allows. Answers how long it takes until it holds one again. */
  #take(entry: Entry, now: number): number {
    if (this.#perMinute === 0) return 0;
    const each = MINUTE / this.#perMinute;
    entry.left = Math.min(this.#perMinute, entry.left + Math.max(0, now - entry.filledAt) / each);
    entry.filledAt = now;
    if (entry.left >= this.#perMinute / 2) entry.inBurst = false;
    if (entry.left < 1) return (1 - entry.left) * each;
    entry.left--;
    return 0;
  }

  #entryOf(network: string, now: number): Entry {
    const known = this.#networks.get(network);
    if (known) {
      // Last in the order of the map: the first one there was silent for longest.
      this.#networks.delete(network);
      this.#networks.set(network, known);
      return known;
    }
    if (this.#networks.size >= MAX_NETWORKS) this.#forgetFirst();
    const entry: Entry = {
      left: this.#perMinute,
      filledAt: now,
      inBurst: false,
      count: 0,
      different: new Set(),
      since: now,
      toldAt: 0,
      seenAt: now,
    };
    this.#networks.set(network, entry);
    return entry;
  }

  #forgetFirst(): void {
    const [network, entry] = this.#networks.entries().next().value as [string, Entry];
    if (entry.count > 1 || entry.toldAt < entry.since) this.#untold += entry.count;
    this.#networks.delete(network);
  }

  #mayLog(now: number): boolean {
    if (now - this.#lines.since >= MINUTE) this.#lines = { since: now, count: 0 };
    return ++this.#lines.count <= LINES_A_MINUTE;
  }
}

function refusalsOf(network: string, { count, different, since }: Entry): Refusals {
  return { network, count, different: different.size, since };
}
