import type { EventTopic } from '../../events/append.ts';
import type { SamplerSettings } from '../../traces/settings.ts';
import type { Endpoint } from '../endpoint.ts';
import type { KnownRows, RecordedChanges } from '../rows.ts';
import type { FeedEvent } from './receiver.ts';
import type { Timing } from './schedule.ts';

/** What the thread that delivers calls for: the main thread has the database. `scopes` are those that some of the data may have to be veiled for. */
export interface DeliveryPort {
  /** Those of these ids, or all, whatever their status. */
  endpoints(ids: readonly string[] | null): Promise<Endpoint[]>;
  rows(ids: readonly string[] | null, most: number): Promise<KnownRows[]>;
  /** The sequence of the last event there is. */
  end(): Promise<number>;
  /** What comes after a place, as soon as there is something: all of it, or only what concerns endpoints themselves. */
  news(after: number, scopes: readonly string[], isAll: boolean): Promise<News>;
  /** What comes after a place of some topics, or of all. */
  page(after: number, limit: number, scopes: readonly string[], topics: readonly EventTopic[] | null): Promise<News>;
  sentBefore(wanted: readonly Wanted[], scopes: readonly string[]): Promise<(FeedEvent & { webhook_id: string; log: string | null })[]>;
  /** False when another node has the duty by now. */
  record(changes: readonly RecordedChanges[], tally: DeliveryTally): Promise<boolean>;
}

export interface News {
  readonly events: FeedEvent[];
  /** How far the feed was looked at. */
  readonly end: number;
}

export interface Wanted {
  readonly webhookId: string;
  readonly seq: number;
}

/** What has happened since the last time it was told. */
export interface DeliveryTally {
  delivered: number;
  /** Attempts that failed and are tried again. */
  retried: number;
  failed: number;
  /** Under way now. */
  inFlight: number;
}

/** With what the thread begins. */
export interface DeliveryStart {
  readonly networks: string;
  readonly timing: Timing;
  /** See `Shared`. */
  readonly shared: SharedArrayBuffer;
  /** Which attempts are traced; none unless given. */
  readonly sampler: SamplerSettings | undefined;
}

/**
 * What both threads look at: until when the duty is ours, by the clock that never turns; what the clock of the database is ahead of ours; how
 * busy the main thread is with requests, from 0 to 1.
 */
export const SHARED = { until: 0, clockOffset: 1, busy: 2 } as const;

/** Milliseconds, the same in all threads. */
export function steadyTime(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
