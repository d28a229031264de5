import { bulk } from '../db/bulk.ts';
import { count } from '../db/counters.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { EventType } from './event-types.ts';

export type EventTopic = 'orders' | 'products' | 'stock' | 'sources' | 'syncs' | 'runs' | 'keys' | 'webhooks' | 'hooks' | 'incidents';

export interface NewEvent {
  type: EventType;
  objectId: string;
  at: string;
  /** The object as it is after the change, as JSON text. */
  data: string;
}

const COLUMNS = { place: 'bigint', object_id: 'text', data: 'json' } as const;
const ALL_COLUMNS = { ...COLUMNS, type: 'text', created_at: 'text' } as const;

/**
 * Writes events in the transaction of the change they tell of, and counts what changed along with them. From here to the
 * commit this transaction holds the sequence, so the sequence is the order of commits and has no gaps: call it last.
 */
export async function appendEvents(
  tx: Connection,
  topic: EventTopic,
  events: readonly NewEvent[],
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  if (events.length === 0) return;
  const added = events.length;
  const ofTopic = `events:${topic}`;
  // What happens together is mostly of one kind and of one moment; that is then told once and not with every event.
  const { type, at } = events[0] as NewEvent;
  const alike = events.every((event) => event.type === type && event.at === at);
  const input = alike
    ? bulk(
        COLUMNS,
        events.map((event, index) => [index + 1, event.objectId, event.data]),
      )
    : bulk(
        ALL_COLUMNS,
        events.map((event, index) => [index + 1, event.objectId, event.data, event.type, event.at]),
      );
  // Both are on their way at once; the second finds what the first has counted.
  await Promise.all([
    count(tx, { events: added, [ofTopic]: added, ...counts }),
    tx.all(sql`
      insert into events (seq, topic, topic_seq, type, object_id, created_at, data)
      select (select n from counters where name = 'events') - ${added} + place, ${topic},
        (select n from counters where name = ${ofTopic}) - ${added} + place, ${alike ? sql`${type}` : sql`type`}, object_id,
        ${alike ? sql`${at}` : sql`created_at`}, data
      from ${input} as input`),
  ]);
}
