import { bulk } from '../db/bulk.ts';
import { count } from '../db/counters.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { newId } from '../lib/ids.ts';

export type Topic = 'orders' | 'products';

export interface NewEvent {
  type: string;
  objectId: string;
  at: string;
  /** The object as it is after the change, as JSON text. */
  data: string;
}

const COLUMNS = {
  seq: 'bigint',
  id: 'text',
  topic: 'text',
  topic_seq: 'bigint',
  type: 'text',
  object_id: 'text',
  created_at: 'text',
  data: 'json',
} as const;

/**
 * Writes events in the transaction of the change they tell of, and counts what changed along with them. From here to the
 * commit this transaction holds the sequence, so the sequence is the order of commits and has no gaps: call it last.
 */
export async function appendEvents(
  tx: Connection,
  topic: Topic,
  events: readonly NewEvent[],
  counts: Record<string, number>,
): Promise<void> {
  if (events.length === 0) return;
  const added = events.length;
  const after = await count(tx, { events: added, [`events:${topic}`]: added, ...counts });
  const first = (after.get('events') ?? 0) - added + 1;
  const firstOfTopic = (after.get(`events:${topic}`) ?? 0) - added + 1;
  const now = Date.now();
  const rows = events.map((event, index) => [
    first + index,
    newId('evt', now).id,
    topic,
    firstOfTopic + index,
    event.type,
    event.objectId,
    event.at,
    event.data,
  ]);
  await tx.all(sql`
    insert into events (seq, id, topic, topic_seq, type, object_id, created_at, data)
    select seq, id, topic, topic_seq, type, object_id, created_at, data from ${bulk(COLUMNS, rows)} as input`);
}
