import { list } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { EventsTable } from '../../../db/tables.ts';
import { hiddenRows } from '../../access/marks.ts';
import type { Asking } from '../../access/rules.ts';
import { runFor } from './veil.ts';

type Event = Pick<EventsTable, 'topic' | 'object_id' | 'data'>;

/** Events as the caller may read them: those of runs say of the shop's rows no more than the runs themselves. */
export async function eventsFor<Row extends Event>(db: Connection, asking: Asking, events: readonly Row[]): Promise<Row[]> {
  if (hiddenRows(asking, null).length === 0) return [...events];
  const ids = [...new Set(events.flatMap(({ topic, object_id }) => (topic === 'runs' ? [object_id] : [])))];
  if (ids.length === 0) return [...events];
  const runs = await db.all<{ id: string; shop: string | null }>(sql`select id, shop from runs where id in ${list(ids)}`);
  const marks = new Map(runs.map(({ id, shop }) => [id, shop]));
  return events.map((event) => {
    if (event.topic !== 'runs') return event;
    // Of a run that is gone, nobody knows any more what it had at its ends.
    return { ...event, data: veiledData(asking, event.data, marks.get(event.object_id) ?? null) };
  });
}

function veiledData(asking: Asking, data: string, shop: string | null): string {
  if (hiddenRows(asking, shop).length === 0) return data;
  const { streams, error, undone = null, ...run } = JSON.parse(data) as { streams: unknown; error: unknown; undone?: unknown };
  const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  const veiled = runFor(asking, { report: JSON.stringify(streams), error: text(error), shop, undone: text(undone) });
  const more = veiled.undone === null ? '' : `,"undone":${veiled.undone}`;
  return `${JSON.stringify(run).slice(0, -1)}${more},"streams":${veiled.report},"error":${veiled.error}}`;
}
