import { EVENT_TOPICS, SCOPE_OF } from '../../events/topics.ts';
import type { EventTopic } from '../../events/append.ts';
import { may, type Scope } from '../../http/scopes.ts';
import type { Endpoint } from '../endpoint.ts';
import { matchesType, topicsOf } from '../filter.ts';
import { bodyOf, messageIdOf } from '../message.ts';
import type { FeedRow } from '../rows.ts';
import type { Sleeper } from './alarm.ts';
import type { Message } from './attempt.ts';
import type { EventCondition } from './condition.ts';
import type { Parcel } from './parcel.ts';
import type { Lane } from './lane.ts';

/** An event as the thread has it, for all endpoints that it is meant for. */
export interface FeedEvent extends FeedRow {
  /** What those may see of the data whose scopes hide some of it, by their scopes. */
  readonly veiled?: Readonly<Record<string, string>> | undefined;
}

function scopesKey(scopes: readonly Scope[]): string {
  return [...scopes].sort().join(' ');
}

const ids = new WeakMap<FeedEvent, string>();

/** An endpoint that is delivered to. */
export class Receiver implements Sleeper {
  readonly id: string;
  readonly lane: Lane;
  #endpoint: Endpoint;
  /** Whether it gets what is new from the common reading of the feed; else it reads for itself. */
  isAtTail = false;
  isReading = false;
  /** Whether it has changed and was not read anew yet: nothing is sent meanwhile. */
  isHeld = false;
  /** Attempts that are under way, and those of them that take long. */
  underWay = 0;
  slow = 0;
  /** Since when nothing was heard of it, while something is under way, by the steady time; and how long its last answer took. */
  quietSince = 0;
  answerTime = 0;
  /** When it is looked at again. */
  wakeAt = Number.POSITIVE_INFINITY;
  /** The events that are taken in and have no row yet. */
  readonly events = new Map<Parcel, FeedEvent>();
  #condition: EventCondition | undefined;
  /** Of its own: thousands of attempts that hang must not listen to one signal, as each further one would have to look at all of them. */
  #cut: AbortController | undefined;
  #scopes: ReadonlySet<Scope>;
  #scopesKey: string;

  constructor(endpoint: Endpoint, lane: Lane, condition: EventCondition | undefined) {
    this.id = endpoint.id;
    this.lane = lane;
    this.#endpoint = endpoint;
    this.#condition = condition;
    this.#scopes = new Set(endpoint.scopes);
    this.#scopesKey = scopesKey(endpoint.scopes);
  }

  /** It has changed: nothing more is sent or taken in until it was read anew. */
  hold(): void {
    this.isAtTail = false;
    this.isHeld = true;
  }

  /** Fires when what is under way is cut short. */
  get signal(): AbortSignal {
    return (this.#cut ??= new AbortController()).signal;
  }

  /** Cuts short what is under way. */
  cut(): void {
    (this.#cut ??= new AbortController()).abort();
  }

  /** Its scopes, as text that is the same for the same scopes. */
  get scopes(): string {
    return this.#scopesKey;
  }

  /** The topics that have events for it; null for all there are. */
  get topics(): readonly EventTopic[] | null {
    const topics = topicsOf(this.#endpoint.types).filter((topic) => this.mayRead(topic));
    return topics.length === EVENT_TOPICS.length ? null : topics;
  }

  get endpoint(): Endpoint {
    return this.#endpoint;
  }

  /** It was changed; what is under way goes on as it began. */
  change(endpoint: Endpoint, condition: EventCondition | undefined): void {
    this.#endpoint = endpoint;
    this.#condition = condition;
    this.#scopes = new Set(endpoint.scopes);
    this.#scopesKey = scopesKey(endpoint.scopes);
    this.lane.limits = endpoint;
  }

  /** Whether it wants events of a type at all. */
  wantsType(type: string): boolean {
    return matchesType(this.endpoint.types, type);
  }

  mayRead(topic: string): boolean {
    return may({ scopes: this.#scopes }, SCOPE_OF[topic as EventTopic]);
  }

  /** Whether an event is meant, of a type that is wanted. */
  isMeant(event: FeedEvent): boolean {
    if (!this.mayRead(event.topic)) return false;
    return !this.#condition || this.#condition.holds({ type: event.type, object_id: event.object_id, data: this.#dataOf(event) });
  }

  /** Milliseconds until it may be asked again whether an event is meant. */
  rest(): number {
    return this.#condition?.rest() ?? 0;
  }

  messageOf(event: FeedEvent): Message {
    let id = ids.get(event);
    if (id === undefined) ids.set(event, (id = messageIdOf(event)));
    return { id, body: bodyOf({ ...event, data: this.#dataOf(event) }, this.endpoint.payload) };
  }

  #dataOf(event: FeedEvent): string {
    return event.veiled?.[this.#scopesKey] ?? event.data;
  }
}

export function eventOf({ seq, type, object_id, created_at }: FeedEvent): Pick<Parcel, 'seq' | 'type' | 'objectId' | 'createdAt'> {
  return { seq, type, objectId: object_id, createdAt: created_at };
}

/** Of the data of `webhook.replayed`: whether a person wants one message, and so the endpoint to be tried whatever it waits for. */
export function asksForOne(data: string): boolean {
  return (JSON.parse(data) as { replay?: unknown }).replay === 'message';
}
