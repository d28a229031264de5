import { setTimeout as turn } from 'node:timers/promises';
import type { HttpClient } from '../../outside/http/client.ts';
import type { Endpoint } from '../endpoint.ts';
import type { KnownRows } from '../rows.ts';
import { Alarm } from './alarm.ts';
import { attempt, ownFault } from './attempt.ts';
import { CatchingUp } from './catching-up.ts';
import { createConditions } from './condition.ts';
import { createEventsAgain } from './events-again.ts';
import type { Ending } from './endings.ts';
import { type Flight, Flights } from './flights.ts';
import type { AttemptEntry, Parcel } from './parcel.ts';
import { MOST_WAITING } from './lane.ts';
import { CLOCK_SLACK, laneOf } from './lane-of.ts';
import type { DeliveryPort, News } from './port.ts';
import { Pace } from './pace.ts';
import { asksForOne, eventOf, type FeedEvent, Receiver } from './receiver.ts';
import { Recorder } from './recorder.ts';
import type { Timing } from './schedule.ts';
import { Slots } from './slots.ts';
import { WaitingRoom } from './waiting-room.ts';

interface DelivererOptions {
  port: DeliveryPort;
  client: HttpClient;
  timing: Timing;
  /** The time, in milliseconds. */
  now: () => number;
  /** Milliseconds by a clock that is never set. */
  steady?: () => number;
  /** Whether the duty is still ours: asked before each attempt. */
  isHeld: () => boolean;
  /** How busy the API is, from 0 to 1. */
  busy: () => number;
}

const RETRY = 500;
const SWEEP = 250;
/** What all events that are taken in may hold, in characters. */
const MOST_HELD = 64 * 1024 * 1024;
/** When more than so many deliveries are known here in all, no endpoint gets more than a few. */
const MOST_KNOWN = 300_000;
const FEW = 100;

/** Delivers events to all endpoints, in its own thread. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #receivers = new Map<string, Receiver>();
  readonly #recorder: Recorder;
  readonly #slots: Slots;
  readonly #flights: Flights;
  readonly #waitingRoom: WaitingRoom;
  readonly #alarm: Alarm<Receiver>;
  readonly #eventsAgain: ReturnType<typeof createEventsAgain>;
  readonly #conditionOf = createConditions();
  readonly #catchingUp: CatchingUp;
  #tail = 0;
  #lookedAt = 0;
  #held = 0;
  #ofType = new Map<string, Receiver[]>();
  #scopes: string[] = [];
  #isCrowded = false;
  /** Those that were paused or deleted since endpoints were last read. */
  readonly #heeded = new Set<string>();
  readonly #ending = new AbortController();
  readonly #cut = new AbortController();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#slots = new Slots(new Pace(options.busy));
    this.#flights = new Flights(this.#slots, options.steady ?? (() => performance.now()));
    this.#waitingRoom = new WaitingRoom(this.#slots, this.#flights, (receiver) => this.#pump(receiver));
    this.#catchingUp = new CatchingUp({
      port: options.port,
      isEnding: () => this.#isEnding,
      take: (receiver, endpoint, page) => this.#takePage(receiver, endpoint, page),
      onRead: (receiver) => this.#pump(receiver),
    });
    this.#alarm = new Alarm(options.now, (receiver) => this.#receivers.get(receiver.id) === receiver && this.#pump(receiver));
    this.#eventsAgain = createEventsAgain(options.port, () => this.#scopes);
    this.#recorder = new Recorder({
      port: options.port,
      receivers: this.#receivers,
      tail: () => this.#tail,
      inFlight: () => this.#slots.taken,
      busy: options.busy,
      load: (ids) => this.#load(ids),
      onRoom: () => this.#pumpAll(),
    });
  }

  /** Delivers until it is stopped. Rejects when it cannot go on; then it has to be begun anew. */
  async run(): Promise<void> {
    const { port } = this.#options;
    // First: what changes while endpoints are read is told by events behind this.
    this.#tail = await port.end();
    await this.#load(null);
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP);
    const ended = new Promise<void>((resolve) => this.#ending.signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([ended, this.#follow(), this.#recorder.run(this.#cut.signal)]);
    this.#end();
  }

  /** Begins nothing more; gives what is under way so many milliseconds, and writes down what came of it. */
  async stop(patience: number): Promise<void> {
    this.#ending.abort();
    const until = performance.now() + patience;
    while (this.#flights.size > 0 && performance.now() < until && this.#options.isHeld()) await turn(20);
    this.#cutAll();
    await this.#recorder.last();
    this.#end();
  }

  /** These are paused or deleted: nothing more is begun. What is said of them in the feed may take a while to come. */
  heed(endings: readonly Ending[]): void {
    for (const { id, isDeleted } of endings) {
      this.#heeded.add(id);
      const receiver = this.#receivers.get(id);
      receiver?.hold();
      if (isDeleted) receiver?.cut();
      this.#recorder.changed(id);
    }
  }

  #end(): void {
    this.#ending.abort();
    this.#cutAll();
    clearInterval(this.#sweeper);
    this.#waitingRoom.close();
    this.#alarm.stop();
  }

  #cutAll(): void {
    this.#cut.abort();
    for (const receiver of this.#receivers.values()) receiver.cut();
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  async #follow(): Promise<void> {
    while (!this.#isEnding) {
      // Nobody reads along when all are behind, as they are while the service is busy. When the database is away, it is asked again.
      const isAll = this.#receivers.values().some(({ isAtTail }) => isAtTail);
      const scopes = this.#scopes;
      const news = await this.#options.port.news(this.#tail, scopes, isAll).catch(() => turn(RETRY));
      if (news) this.#takeNews(news, new Set(isAll ? scopes : []));
    }
  }

  /** What is new goes to all that are at the end of the feed, if it was read for what they may see. */
  #takeNews({ events, end }: News, readFor: ReadonlySet<string>): void {
    const now = this.#options.now();
    const touched = new Set<Receiver>();
    for (const event of events) {
      // Changes of endpoints are events too, so none is missed, and what comes behind one finds the endpoint changed.
      if (event.topic === 'webhooks') this.#hold(event, readFor);
      for (const receiver of readFor.size > 0 ? this.#receiversOf(event.type) : []) {
        if (!receiver.isAtTail || !readFor.has(receiver.scopes) || event.seq <= receiver.lane.scanned) continue;
        receiver.lane.scannedTo(event.seq - 1);
        if (this.#hasRoom(receiver)) this.#take(receiver, event, now);
        else receiver.isAtTail = false;
        touched.add(receiver);
      }
      this.#tail = event.seq;
    }
    // One that has come to the end meanwhile was not shown what was left out.
    for (const receiver of this.#scopes.every((scopes) => readFor.has(scopes)) ? [] : this.#receivers.values()) {
      if (!receiver.isAtTail || readFor.has(receiver.scopes) || receiver.lane.scanned >= end) continue;
      receiver.isAtTail = false;
      touched.add(receiver);
    }
    this.#tail = Math.max(this.#tail, end);
    for (const receiver of touched) this.#pump(receiver);
  }

  #hold({ object_id, seq, type, data }: FeedEvent, readFor: ReadonlySet<string>): void {
    const receiver = this.#receivers.get(object_id);
    if (receiver) {
      if (receiver.isAtTail && readFor.has(receiver.scopes)) receiver.lane.scannedTo(seq - 1);
      // What is known here of its failures counts no more, also when it was resumed before anybody looked.
      if (type === 'webhook.paused' || type === 'webhook.resumed') receiver.lane.stop();
      receiver.hold();
      if (type === 'webhook.replayed' && asksForOne(data)) receiver.lane.hurry();
    }
    this.#recorder.changed(object_id);
  }

  #receiversOf(type: string): Receiver[] {
    let found = this.#ofType.get(type);
    if (!found) this.#ofType.set(type, (found = [...this.#receivers.values()].filter((receiver) => receiver.wantsType(type))));
    return found;
  }

  #hasRoom(receiver: Receiver): boolean {
    if (receiver.rest() > 0 || !receiver.lane.wants() || (this.#isCrowded && receiver.lane.size >= FEW)) return false;
    return this.#held < MOST_HELD || receiver.events.size === 0;
  }

  #take(receiver: Receiver, event: FeedEvent, now: number): void {
    const item = receiver.isMeant(event) ? receiver.lane.take(eventOf(event), now) : undefined;
    receiver.lane.scannedTo(event.seq);
    if (!item) return;
    // What waits as a row is read again when its time comes.
    if (item.hasRow) return this.#recorder.touch(receiver);
    receiver.events.set(item, event);
    this.#held += event.data.length;
  }

  #drop(receiver: Receiver, item: Parcel): void {
    this.#held -= receiver.events.get(item)?.data.length ?? 0;
    receiver.events.delete(item);
  }

  /** Sends what can be sent, and sees to it that it is looked at again when there may be more. */
  #pump(receiver: Receiver): void {
    const { lane } = receiver;
    const now = this.#options.now();
    while (this.#maySend(receiver) && (lane.wakeAt(now) ?? Number.POSITIVE_INFINITY) <= now) {
      const flight = this.#flights.begin(receiver);
      if (!flight) {
        this.#waitingRoom.add(receiver);
        break;
      }
      const item = lane.next(now);
      if (!item) {
        this.#flights.end(flight, false);
        break;
      }
      void this.#send(item, flight);
    }
    const wakeAt = lane.wakeAt(now);
    if (wakeAt !== undefined && wakeAt > now) this.#alarm.set(receiver, wakeAt);
    if (receiver.rest() > 0) this.#alarm.set(receiver, now + receiver.rest());
    else if (!receiver.isAtTail && !receiver.isHeld && lane.wantsPage()) this.#catchingUp.add(receiver);
    this.#catchingUp.readOn();
  }

  #maySend(receiver: Receiver): boolean {
    return !this.#isEnding && !receiver.isHeld && !this.#recorder.isFull && !this.#flights.isMute(receiver);
  }

  #pumpAll(): void {
    for (const receiver of this.#receivers.values()) if (receiver.lane.size > 0) this.#pump(receiver);
  }

  async #send(item: Parcel, flight: Flight): Promise<void> {
    const { receiver } = flight;
    const { lane } = receiver;
    let isAnswered = false;
    try {
      const event = receiver.events.get(item) ?? (await this.#eventAgain(receiver, item));
      if (!this.#options.isHeld()) this.#end();
      if (this.#isEnding || receiver.isHeld || lane.isStopped) lane.putBack(item, this.#options.now());
      else if (!event) lane.refuse(item, 'The event is no longer kept.', this.#options.now());
      else if (!receiver.mayRead(event.topic))
        lane.refuse(item, 'The endpoint may no longer be told of this: its scopes have changed.', this.#options.now());
      else isAnswered = await this.#attempt(receiver, item, event);
    } catch {
      // The database cannot be asked just now.
      await turn(200);
      lane.putBack(item, this.#options.now());
    }
    this.#flights.end(flight, isAnswered);
    this.#pump(receiver);
    this.#waitingRoom.callIn();
  }

  /** Answers whether it was delivered. */
  async #attempt(receiver: Receiver, item: Parcel, event: FeedEvent): Promise<boolean> {
    const { client, timing, now } = this.#options;
    const options = { now, timeout: timing.timeout, signal: receiver.signal };
    const outcome = await attempt(client, receiver.endpoint, receiver.messageOf(event), options).catch((error: unknown) =>
      ownFault(error, now()),
    );
    if (!outcome) {
      receiver.lane.putBack(item, now());
      return false;
    }
    receiver.lane.settle(item, outcome, now());
    if (outcome.isDelivered) this.#drop(receiver, item);
    else for (const one of receiver.events.keys()) if (one.hasRow) this.#drop(receiver, one);
    this.#recorder.settled(receiver, outcome.isDelivered ? 'delivered' : item.state === 'over' ? 'failed' : 'retried');
    return outcome.isDelivered;
  }

  async #eventAgain(receiver: Receiver, item: Parcel): Promise<FeedEvent | undefined> {
    const found = await this.#eventsAgain({ webhookId: receiver.id, seq: item.seq });
    item.log ??= JSON.parse(found?.log ?? '[]') as AttemptEntry[];
    return found;
  }

  /** When the endpoint has changed meanwhile, the page was read for what it was. */
  #takePage(receiver: Receiver, endpoint: Endpoint, { events, end }: News): void {
    const { lane } = receiver;
    const now = this.#options.now();
    const isOld = receiver.isHeld || receiver.endpoint !== endpoint;
    for (const event of events) {
      if (isOld || !this.#hasRoom(receiver)) break;
      if (receiver.wantsType(event.type)) this.#take(receiver, event, now);
      else lane.scannedTo(event.seq);
    }
    if (!isOld && lane.scanned >= (events.at(-1)?.seq ?? 0)) lane.scannedTo(end);
    receiver.isAtTail = !isOld && lane.scanned >= this.#tail && lane.wants();
  }

  /** Reads endpoints anew that have changed, or all. */
  async #load(ids: readonly string[] | null): Promise<void> {
    const { port } = this.#options;
    this.#heeded.clear();
    const endpoints = await port.endpoints(ids);
    const rows = new Map((await port.rows(ids, MOST_WAITING)).map((known) => [known.webhookId, known]));
    for (const endpoint of endpoints) {
      const receiver = this.#receivers.get(endpoint.id);
      // What was known of another address says nothing about this one.
      if (endpoint.status !== 'active' || (receiver && receiver.endpoint.url !== endpoint.url)) receiver?.lane.stop();
      if (endpoint.status !== 'active') continue;
      if (!receiver) this.#begin(endpoint, rows.get(endpoint.id));
      else if (receiver.lane.isStopped) this.#restart(receiver, endpoint, rows.get(endpoint.id));
      else {
        receiver.change(endpoint, this.#conditionOf(endpoint));
        receiver.isHeld = false;
        this.#restore(receiver, rows.get(endpoint.id));
      }
    }
    const found = new Set(endpoints.map(({ id }) => id));
    for (const id of ids ?? []) if (!found.has(id)) this.#receivers.get(id)?.lane.stop();
    for (const receiver of this.#receivers.values()) if (receiver.lane.isStopped) this.#retire(receiver);
    for (const id of this.#heeded) this.#receivers.get(id)?.hold();
    this.#ofType = new Map();
    this.#scopes = [...new Set([...this.#receivers.values()].map(({ scopes }) => scopes))];
    for (const { id } of endpoints) {
      const receiver = this.#receivers.get(id);
      if (receiver) this.#pump(receiver);
    }
  }

  #begin(endpoint: Endpoint, rows: KnownRows | undefined, isAnew = false): void {
    const { timing, now } = this.#options;
    const { lane, waitsForNothing } = laneOf(endpoint, { timing, now: now(), isAnew });
    const receiver = new Receiver(endpoint, lane, this.#conditionOf(endpoint));
    this.#receivers.set(endpoint.id, receiver);
    receiver.isAtTail = endpoint.position >= this.#tail;
    this.#restore(receiver, rows, waitsForNothing);
  }

  #restore({ lane }: Receiver, known: KnownRows | undefined, areDue = false): void {
    const now = this.#options.now();
    const rows = known?.rows ?? [];
    lane.restore(areDue ? rows.map((row) => ({ ...row, nextAt: Math.min(row.nextAt, now) })) : rows, now);
    lane.hasMoreRows = known?.hasMore ?? false;
  }

  /** It was resumed or has another address, and begins anew as soon as nothing of it is under way. */
  #restart(receiver: Receiver, endpoint: Endpoint, rows: KnownRows | undefined): void {
    if (receiver.lane.inFlight > 0 || this.#recorder.hasNews(receiver)) return this.#recorder.changed(receiver.id);
    this.#forget(receiver);
    this.#begin(endpoint, rows, true);
  }

  #retire(receiver: Receiver): void {
    if (receiver.lane.inFlight > 0) this.#recorder.changed(receiver.id);
    else this.#forget(receiver);
  }

  #forget(receiver: Receiver): void {
    for (const item of receiver.events.keys()) this.#drop(receiver, item);
    this.#receivers.delete(receiver.id);
    this.#waitingRoom.delete(receiver);
    this.#catchingUp.delete(receiver);
  }

  /** When the clock was set back, the times to wait for are too far off: all begin anew. */
  #lookAtClock(): void {
    const now = this.#options.now();
    if (now < this.#lookedAt - CLOCK_SLACK)
      for (const { id, lane } of this.#receivers.values()) {
        lane.stop();
        this.#recorder.changed(id);
      }
    this.#lookedAt = now;
  }

  /** Looks at what is under way: what takes long, and whether it is still ours. */
  #sweep(): void {
    if (!this.#options.isHeld()) return this.#end();
    this.#lookAtClock();
    let known = 0;
    for (const { lane } of this.#receivers.values()) known += lane.size;
    this.#isCrowded = known > MOST_KNOWN;
    this.#flights.giveUpPlaces(false);
  }
}
