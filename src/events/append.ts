import { bulk } from '../db/bulk.ts';
import { count } from '../db/counters.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

export type Topic = 'orders' | 'products';

export interface NewEvent {
  type: string;
  objectId: string;
  at: string;
  /** The object as it is after the change, as JSON text. */
  data: string;
}

const COLUMNS = { place: 'bigint', type: 'text', object_id: 'text', created_at: 'text', data: 'json' } as const;

/**
 * Writes events in the transaction of the change they tell of, and counts what changed along with them. From here to the
 * commit this transaction holds the sequence, so the sequence is the order of commits and has no gaps: call it last.
 */
export async function appendEvents(
  tx: Connection,
  topic: Topic,
  events: readonly NewEvent[],
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  if (events.length === 0) return;
  const added = events.length;
  const ofTopic = `events:${topic}`;
  const rows = events.map((event, index) => [index + 1, event.type, event.objectId, event.at, event.data]);
  // Both are on their way at once; the second finds what the first has counted.
  await Promise.all([
    count(tx, { events: added, [ofTopic]: added, ...counts }),
    tx.all(sql`
      insert into events (seq, topic, topic_seq, type, object_id, created_at, data)
      select (select n from counters where name = 'events') - ${added} + place, ${topic},
        (select n from counters where name = ${ofTopic}) - ${added} + place, type, object_id, created_at, data
      from ${bulk(COLUMNS, rows)} as input`),
  ]);
}
