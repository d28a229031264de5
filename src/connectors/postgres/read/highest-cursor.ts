import { OutsideError } from '../../../outside/errors.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import type { Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { columnOf } from './conditions.ts';
import type { Highest } from './transactions.ts';

const UTC = "clock_timestamp() at time zone 'UTC'";

// A single row from the far future must not keep everything below it out for good. Whose clock a time without a zone is from
// nobody knows; no zone is further ahead of UTC, or further behind.
const NOW: Readonly<Record<string, { latest: string; earliest: string }>> = {
  timestamptz: { latest: 'clock_timestamp()', earliest: 'clock_timestamp()' },
  timestamp: { latest: `(${UTC} + interval '14 hours')`, earliest: `(${UTC} - interval '12 hours')` },
  date: { latest: `(${UTC} + interval '14 hours')::date`, earliest: `(${UTC} - interval '12 hours')::date` },
};

/** That a transaction that begins later writes a higher value: it is an exact moment, or one that is over. */
function isPast(type: string): string {
  const now = NOW[type];
  if (!now) return 'false';
  return type === 'date' ? `at < ${now.earliest}` : `(at <> date_trunc('milliseconds', at) or at < ${now.earliest} - interval '1 second')`;
}

export async function highestCursor(link: Link, relation: Relation, cursor: string): Promise<Highest & { isFuture: boolean }> {
  const column = columnOf(relation, cursor);
  const name = quoteName(cursor);
  const bound = NOW[column.type]?.latest;
  const isUnique = relation.indexes.some(({ isArbiter, columns }) => isArbiter && columns.length === 1 && columns[0] === cursor);
  try {
    const [row] = await link.query<{ at: string; is_future: string; is_past: string }>(
      `select at::text, is_future::text, (${isPast(column.type)})::text as is_past
       from (select ${bound ? `least(${name}, ${bound}) as at, ${name} > ${bound}` : `${name} as at, false`} as is_future
         from ${quoteRelation(relation)} where ${name} is not null order by ${name} desc limit 1) h`,
    );
    const isClosed = isUnique || row?.is_past === 'true';
    return { at: row?.at ?? null, ...(isClosed && { edge: 'closed' }), isFuture: row?.is_future === 'true' };
  } catch (error) {
    // 42883: no operator to order by.
    if ((error as { cause?: { code?: string } }).cause?.code !== '42883') throw error;
    throw new OutsideError('config', 'CURSOR_INVALID', `"${cursor}" cannot be a cursor: values of type ${column.native} have no order.`, {
      field: cursor,
      cause: error,
    });
  }
}
