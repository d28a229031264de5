import { scalarText } from '../../../../lib/exact-json.ts';
import { evaluateText, scopeOf } from '../evaluate.ts';
import type { Part } from '../parts.ts';
import type { AirbyteSession } from '../session.ts';
import type { SliceCursor } from './cursor.ts';

/** By a number that grows. */
export function countCursor(session: AirbyteSession, part: Part): SliceCursor {
  const scope = scopeOf(session.config, part);
  const written = part['start_value'];
  const start = written === undefined || written === null ? 0 : Math.trunc(Number(evaluateText(written, scope))) || 0;
  const read = (value: unknown): number | undefined => {
    const text = typeof value === 'boolean' ? undefined : scalarText(value);
    const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
    return Number.isFinite(number) ? number : undefined;
  };
  const reached = (value: unknown): number => Math.max(start, read(value) ?? start);
  return {
    field: evaluateText(part['cursor_field'], scope),
    window: { start: String(start), end: '' },
    markOf: read,
    kept: read,
    startOf: reached,
    keptStart: reached,
    slices: (value) => [{ start: reached(value) }],
    includes: (mark, value) => Number(mark) >= reached(value),
    halves: () => undefined,
  };
}
