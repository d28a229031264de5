import { Circuit, type CircuitState, type Standing, type Turn } from './circuit.ts';
import { Heap } from './heap.ts';
import { addEntry, type Parcel, parcelOfRow, type KnownRow, newParcel, type Outcome, probeRank, type RowChange, rowOf } from './parcel.ts';
import { nextAttemptAt, type Timing } from './schedule.ts';

/** What is kept of an endpoint beside its rows. */
export interface LaneState extends CircuitState {
  /** Each event up to here was not meant, or has a row. */
  position: number;
}

/** What an endpoint allows. */
export interface LaneLimits {
  maxInFlight: number;
  /** A second; null for any number. */
  rate: number | null;
}

/** What is to be written at one moment, all of it together. */
export interface LaneChanges {
  readonly rows: readonly RowChange[];
  readonly state: LaneState;
  /** All rows that wait are due now. */
  readonly isDueAll: boolean;
  readonly turn: Turn | undefined;
}

export interface LaneOptions {
  state: LaneState;
  limits: LaneLimits;
  timing: Timing;
  /** 0 to 1. */
  random: () => number;
  mostWaiting?: number;
}

/** More rows than these must not wait for one endpoint: its position stops. */
export const MOST_WAITING = 10_000;
/** So many may be over behind one that is not: the rows of all these are looked at after a crash. */
const MOST_AHEAD = 20_000;
/** What may be sent ahead of an even pace, in milliseconds. */
const RATE_SLACK = 100;

/**
 * The deliveries of one endpoint: what to send next, what to write down, how far its position may move. It is pure: time and chance come from
 * the caller. Those of one object go one by one and in order; when one fails, it and those behind it wait as rows, and others pass.
 */
export class Lane {
  limits: LaneLimits;
  readonly #circuit: Circuit;
  /** As it is written. */
  #position: number;
  readonly #timing: Timing;
  readonly #random: () => number;
  readonly #mostWaiting: number;
  /** All that is not over, by object, in order. The first of each may be sent. */
  readonly #objects = new Map<string, Parcel[]>();
  readonly #items = new Map<number, Parcel>();
  #ready: Parcel[] = [];
  readonly #later = new Heap<Parcel>();
  /** What was taken in, from the first that has no row on. */
  #taken: Parcel[] = [];
  /** Has a row already, behind the position. */
  readonly #settled = new Set<number>();
  #rows = new Map<number, RowChange>();
  #scanned: number;
  #bare = 0;
  #inFlight = 0;
  /** When the next one may go at an even pace. */
  #pace = 0;
  #isDueAll = false;
  #isChanged = false;
  #turn: Turn | undefined;
  #isStopped = false;
  /** More rows wait than are known here: nothing new is taken in. */
  hasMoreRows = false;

  constructor({ state, limits, timing, random, mostWaiting = MOST_WAITING }: LaneOptions) {
    this.#circuit = new Circuit(state, timing, random);
    this.#position = state.position;
    this.#scanned = state.position;
    this.limits = limits;
    this.#timing = timing;
    this.#random = random;
    this.#mostWaiting = mostWaiting;
  }

  get scanned(): number {
    return this.#scanned;
  }
  get inFlight(): number {
    return this.#inFlight;
  }
  /** How many are not over. */
  get size(): number {
    return this.#items.size;
  }
  /** Whether it only fails, and is probed by one message at a time. */
  get isOpen(): boolean {
    return this.#circuit.isOpen;
  }
  get standing(): Standing {
    return this.#circuit.standing;
  }
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Nothing more is begun; what is under way is still written down. */
  stop(): void {
    this.#isStopped = true;
  }

  /** A person wants it to be tried now, whatever the receiver has asked for. */
  hurry(): void {
    this.#circuit.hurry();
    this.#isChanged = true;
  }

  /** Takes rows over that are in the database, in the order of their sequence: after a start, or when some are to be sent again. */
  restore(rows: readonly KnownRow[], now: number): void {
    for (const row of rows) {
      const known = this.#items.get(row.seq);
      // What has changed since is known better here, unless a person has changed it, too.
      if (this.#rows.has(row.seq) && !(known && row.attempts < known.rowAttempts)) continue;
      if (known) {
        this.#bringForward(known, row, now);
        continue;
      }
      if (row.seq > this.#scanned) this.#settled.add(row.seq);
      if (row.status === 'waiting') this.#enqueue(parcelOfRow(row), now);
    }
  }

  /** Whether it can take in more of the feed. */
  wants(): boolean {
    if (this.#isStopped || this.hasMoreRows) return false;
    if (this.#taken.length >= MOST_AHEAD || this.#items.size - this.#bare >= this.#mostWaiting) return false;
    return this.room > 0;
  }

  /** How many more it takes in, as far as what is under way is concerned. */
  get room(): number {
    return (this.isOpen ? 1 : 4 * this.limits.maxInFlight) - this.#bare;
  }

  /** Whether it pays to read for it: reading for each one that is over would read all the others again. */
  wantsPage(): boolean {
    return this.wants() && this.#bare <= 2 * this.limits.maxInFlight;
  }

  /** Takes an event in that is meant for this endpoint; undefined when there is a row of it already. */
  take(event: Pick<Parcel, 'seq' | 'type' | 'objectId' | 'createdAt'>, now: number): Parcel | undefined {
    if (event.seq <= this.#scanned) return undefined;
    this.#scanned = event.seq;
    if (this.#settled.delete(event.seq)) return undefined;
    const item = newParcel(event);
    this.#bare++;
    this.#taken.push(item);
    this.#enqueue(item, now);
    const head = this.#objects.get(item.objectId)?.[0];
    if (head?.hasRow) this.#keep(item, now);
    return item;
  }

  /** The feed was looked at up to here. */
  scannedTo(seq: number): void {
    if (seq > this.#scanned) this.#scanned = seq;
    if (this.#settled.size > 0) for (const one of this.#settled) if (one <= seq) this.#settled.delete(one);
  }

  /** What to send now, if anything. It is in flight then. */
  next(now: number): Parcel | undefined {
    if (!this.#mayBegin() || now < this.#circuit.tryAt || now < this.#paceAt(now)) return undefined;
    this.#wake(now);
    const item = this.isOpen ? this.#probe() : this.#firstReady();
    if (!item) return undefined;
    const { rate } = this.limits;
    if (rate !== null) this.#pace = Math.max(now, this.#pace) + 1000 / rate;
    item.isProbe = this.isOpen;
    item.isEarly = item.nextAt > now;
    item.state = 'in flight';
    this.#inFlight++;
    return item;
  }

  /** When there may be something to send, if nothing else happens; undefined for never. */
  wakeAt(now: number): number | undefined {
    if (!this.#mayBegin() || this.#items.size === this.#inFlight) return undefined;
    const from = Math.max(this.#circuit.tryAt, this.#paceAt(now));
    if (this.isOpen) return from;
    this.#wake(now);
    this.#trimReady();
    if (this.#ready.length > 0) return from;
    const next = this.#later.peek();
    return next && Math.max(from, next.at);
  }

  /** An attempt is over. */
  settle(item: Parcel, outcome: Outcome, now: number): void {
    this.#inFlight--;
    item.lastAt = now;
    addEntry(item, outcome.entry);
    this.#isChanged = true;
    if (outcome.isDelivered) {
      item.attempts++;
      this.#succeeded(now);
      this.#end(item, 'delivered', now);
      return;
    }
    // A probe out of its turn does not use up the attempts that the message has.
    if (!item.isEarly) item.attempts++;
    this.#turnTo(this.#circuit.failed(item.isProbe, outcome, now));
    const nextAt = item.isEarly ? item.nextAt : nextAttemptAt(this.#timing, item.attempts, now, outcome.retryAfter, this.#random());
    if (nextAt === undefined && !outcome.isGone) return this.#end(item, 'failed', now);
    // What was refused for ever follows at once when a person says that it was not for ever.
    item.nextAt = nextAt ?? now;
    this.#activate(item, now);
    for (const one of this.#objects.get(item.objectId) ?? []) if (one === item || !one.hasRow) this.#keep(one, now);
  }

  /** It was taken out to be sent, and was not. */
  putBack(item: Parcel, now: number): void {
    this.#inFlight--;
    this.#activate(item, now);
  }

  /** It may not be sent at all. That says nothing about the endpoint. */
  refuse(item: Parcel, error: string, now: number): void {
    this.#inFlight--;
    addEntry(item, { at: new Date(now).toISOString(), duration_ms: 0, response_status: null, response_body: null, error });
    this.#end(item, 'failed', now);
  }

  /** Whether the position alone has moved. */
  get hasMoved(): boolean {
    return this.#positionNow() > this.#position;
  }

  /** What has to be written since the last time; undefined when nothing has. With `andPosition` also when its position alone has moved. */
  changes(andPosition: boolean): LaneChanges | undefined {
    const position = this.#positionNow();
    const isQuiet = this.#rows.size === 0 && !this.#isChanged && !this.#isDueAll && !this.#turn;
    if (isQuiet && (!andPosition || position === this.#position)) return undefined;
    this.#position = position;
    const changes = {
      rows: [...this.#rows.values()],
      state: { position, ...this.#circuit.state },
      isDueAll: this.#isDueAll,
      turn: this.#turn,
    };
    for (const [seq, { attempts }] of this.#rows) {
      const item = this.#items.get(seq);
      if (item) item.rowAttempts = attempts;
    }
    this.#rows = new Map();
    this.#isDueAll = false;
    this.#isChanged = false;
    this.#turn = undefined;
    return changes;
  }

  #positionNow(): number {
    let passed = 0;
    while (this.#taken[passed]?.hasRow) passed++;
    if (passed > 0) this.#taken = this.#taken.slice(passed);
    const [first] = this.#taken;
    return Math.max(this.#position, first ? first.seq - 1 : this.#scanned);
  }

  #mayBegin(): boolean {
    return !this.#isStopped && this.#inFlight < (this.#circuit.isTrusted ? this.limits.maxInFlight : 1);
  }

  /** Never further off than one step, also when the clock was set back. */
  #paceAt(now: number): number {
    const { rate } = this.limits;
    return rate === null ? 0 : Math.min(this.#pace - RATE_SLACK, now + 1000 / rate);
  }

  /** Puts it in its place among those of its object. One that is in flight stays the first. */
  #enqueue(item: Parcel, now: number): void {
    this.#items.set(item.seq, item);
    const queue = this.#objects.get(item.objectId);
    if (!queue) {
      this.#objects.set(item.objectId, [item]);
      this.#activate(item, now);
      return;
    }
    let place = queue.length;
    while (place > 0 && (queue[place - 1]?.seq ?? 0) > item.seq) place--;
    const [head] = queue;
    if (place === 0 && head?.state === 'in flight') place = 1;
    queue.splice(place, 0, item);
    if (place > 0) return;
    if (head) head.state = 'behind';
    this.#activate(item, now);
  }

  /** Its row is due sooner than it was: a person wants it to be sent. One that is under way begins its attempts anew if it fails. */
  #bringForward(item: Parcel, row: KnownRow, now: number): void {
    if (row.status !== 'waiting' || !item.hasRow || (row.attempts >= item.attempts && row.nextAt >= item.nextAt)) return;
    item.attempts = Math.min(item.attempts, row.attempts);
    item.rowAttempts = row.attempts;
    item.nextAt = Math.min(item.nextAt, row.nextAt);
    if (item.state === 'later') this.#activate(item, now);
    if (this.#rows.has(item.seq)) this.#keep(item, now);
  }

  #activate(item: Parcel, now: number): void {
    item.state = item.nextAt <= now ? 'ready' : 'later';
    if (item.state === 'ready') this.#ready.push(item);
    else this.#later.push(item.nextAt, item);
  }

  /** Brings those to the front whose time has come. */
  #wake(now: number): void {
    for (let next = this.#later.peek(); next && next.at <= now; next = this.#later.peek()) {
      this.#later.pop();
      if (next.thing.state === 'later' && next.thing.nextAt === next.at) this.#activate(next.thing, now);
    }
  }

  /** Some have moved on since they were put there. */
  #trimReady(): void {
    let gone = 0;
    while (gone < this.#ready.length && this.#ready[gone]?.state !== 'ready') gone++;
    if (gone > 0) this.#ready = this.#ready.slice(gone);
  }

  #firstReady(): Parcel | undefined {
    this.#trimReady();
    return this.#ready.shift();
  }

  /** One that was never tried tells most; else the one that was not tried for the longest time. So one bad message does not keep an endpoint shut. */
  #probe(): Parcel | undefined {
    let best: Parcel | undefined;
    for (const [head] of this.#objects.values()) {
      if (!head || head.state === 'in flight') continue;
      if (!best || (probeRank(head) - probeRank(best) || head.seq - best.seq) < 0) best = head;
    }
    return best;
  }

  #succeeded(now: number): void {
    const wasOpen = this.isOpen;
    this.#circuit.succeeded(now);
    if (!wasOpen) return;
    this.#isDueAll = true;
    this.#later.clear();
    this.#ready = [];
    for (const item of this.#items.values()) item.nextAt = Math.min(item.nextAt, now);
    const heads = [...this.#objects.values()].flatMap(([head]) => (head && head.state !== 'in flight' ? [head] : []));
    for (const head of heads.sort((a, b) => a.seq - b.seq)) this.#activate(head, now);
  }

  #turnTo(turn: Turn | undefined): void {
    if (!turn || this.#isStopped) return;
    this.#turn = turn;
    this.#isStopped = true;
  }

  /** It waits, as a row. */
  #keep(item: Parcel, now: number): void {
    if (!item.hasRow) this.#bare--;
    item.hasRow = true;
    this.#rows.set(item.seq, rowOf(item, 'waiting', now));
  }

  #end(item: Parcel, status: 'delivered' | 'failed', now: number): void {
    if (!item.hasRow) this.#bare--;
    item.hasRow = true;
    item.state = 'over';
    this.#rows.set(item.seq, rowOf(item, status, now));
    this.#items.delete(item.seq);
    const queue = this.#objects.get(item.objectId) ?? [];
    queue.splice(queue.indexOf(item), 1);
    const [head] = queue;
    if (head) this.#activate(head, now);
    else this.#objects.delete(item.objectId);
  }
}
