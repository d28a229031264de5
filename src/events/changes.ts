import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { ServerEvent } from '../http/event-stream.ts';
import type { EventTopic } from './append.ts';

/** Other nodes write too, so we look; and what happens in between is told as one. */
const LOOK_INTERVAL = 1_000;

/** How many events there are in all and of each topic, under the names of their counters. */
type EventCounts = ReadonlyMap<string, number>;

/** Tells those who listen that something has changed: how many events came, by topic. What they say is in the feed. */
export interface ChangeWatch {
  follow(topics: readonly EventTopic[], signal: AbortSignal): AsyncIterable<ServerEvent>;
}

export function createChangeWatch(db: Connection): ChangeWatch {
  let look: Promise<EventCounts> | undefined;
  /** However many listen, the database is asked once a moment. */
  const counts = (): Promise<EventCounts> => {
    look ??= readCounts(db).finally(() => {
      setTimeout(() => {
        look = undefined;
      }, LOOK_INTERVAL / 2).unref();
    });
    return look;
  };

  async function* follow(topics: readonly EventTopic[], signal: AbortSignal): AsyncGenerator<ServerEvent> {
    let known = await counts();
    yield changesEvent(known, {});
    while (!signal.aborted) {
      // The pause ends early when nobody listens any more.
      await pause(LOOK_INTERVAL, undefined, { signal }).catch(() => undefined);
      // A database that cannot be reached for a moment is no reason to hang up.
      const now = await counts().catch(() => known);
      const grown = topics.map((topic) => [topic, ofTopic(now, topic) - ofTopic(known, topic)] as const).filter(([, count]) => count > 0);
      known = now;
      if (grown.length > 0 && !signal.aborted) yield changesEvent(now, Object.fromEntries(grown));
    }
  }

  return { follow };
}

function changesEvent(counts: EventCounts, topics: Readonly<Record<string, number>>): ServerEvent {
  return { event: 'changes', data: JSON.stringify({ sequence: counts.get('events') ?? 0, topics }) };
}

function ofTopic(counts: EventCounts, topic: EventTopic): number {
  return counts.get(`events:${topic}`) ?? 0;
}

async function readCounts(db: Connection): Promise<EventCounts> {
  const rows = await db.all<{ name: string; n: number }>(sql`select name, n from counters where name = 'events' or name like 'events:%'`);
  return new Map(rows.map(({ name, n }) => [name, n]));
}
