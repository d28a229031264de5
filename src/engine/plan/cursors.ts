import type { Stream } from '../../connectors/contract.ts';
import { STREAM_KINDS } from '../../connectors/stream-kinds.ts';
import type { Mode } from '../definition.ts';
import { joined } from './end-view.ts';

const CHANGED = /upd|chang|modif|mtime|geaender/i;
const CREATED = /creat|insert|added|born|birth/i;

/** Whether a cursor tells what is to be read: a mirror reads everything, and a log tells by itself what is new. */
export const READS_BY_CURSOR: Readonly<Record<Mode, boolean>> = { mirror: false, incremental: true, append: true, cdc: false };

/** Whether the values of its cursor decide what is new. */
export function isAskedByField({ kind }: Stream): boolean {
  return STREAM_KINDS[kind].isAskedByField;
}

/** The cursor of a stream for which nobody names one: only what misses no row. Null when there is none. */
export function defaultCursor(stream: Stream | undefined, mode: Mode): string | null {
  if (!stream || !READS_BY_CURSOR[mode]) return null;
  const isSafe = (name: string): boolean => !missesNulls(stream, name) && (mode === 'append' || tellsUpdates(stream, name));
  return stream.cursors.find((name) => !isAskedByField(stream) || isSafe(name)) ?? null;
}

/** Whether there may be rows in which the cursor is null: they are larger than nothing, and are never found. */
export function missesNulls(stream: Stream, cursor: string): boolean {
  return isAskedByField(stream) && stream.fields.some(({ name, nullable }) => name === cursor && nullable);
}

/** Whether a field looks as if it grew with every change of a row; the number of a row and the time of its making do not. */
function tellsUpdates(stream: Stream, cursor: string): boolean {
  const type = stream.fields.find(({ name }) => name === cursor)?.type;
  if (type === 'timestamp' || type === 'timestamptz') return CHANGED.test(cursor) || !CREATED.test(cursor);
  return type === 'int64' && CHANGED.test(cursor);
}

/** `; it can be "at" or "id" (finds new rows only)`: what could serve, and at what price. Empty when nothing can. */
export function possibleCursors(stream: Stream, mode: Mode): string {
  const words = stream.cursors.map((name) => {
    const prices = [
      ...(mode === 'incremental' && isAskedByField(stream) && !tellsUpdates(stream, name) ? ['finds new rows only'] : []),
      ...(missesNulls(stream, name) ? ['misses rows in which it is null'] : []),
    ];
    return `"${name}"${prices.length > 0 ? ` (${prices.join(', ')})` : ''}`;
  });
  return words.length === 0 ? '' : `; it can be ${joined(words, 'or')}`;
}
