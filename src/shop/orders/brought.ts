import type { Static } from '../../lib/schema.ts';
import { isoTime } from '../../lib/clock.ts';
import { type FieldError, invalidParam, invalidParams } from '../../lib/errors.ts';
import { unitsOf } from '../../lib/money.ts';
import type { OrderDraft } from './order-draft.ts';
import { type DraftContext, draftOrder } from './draft.ts';
import { timeOf } from './extras.ts';
import type { HistoryEntry } from './render.ts';
import type { BatchedOrder } from './schemas.ts';

type Body = Static<typeof BatchedOrder>;

const DAY = 24 * 60 * 60 * 1000;
const ONLY_IMPORTED = ['placed_at', 'status', 'history', 'total'] as const;

/** Turns an entry of a batch into an order to be written: a new one, or one that was placed elsewhere, with the state, the history and the total that it had. */
export function draftBatched(body: Body, context: DraftContext): OrderDraft {
  if (!body.imported) return draftNew(body, context);
  if (body.reserve) throw invalidParam('reserve', 'is not taken with imported: true, as what was sold before has left the stock already');
  const placed = body.placed_at === undefined ? undefined : pastTime(body.placed_at, 'placed_at', context.now);
  const total = body.total === undefined ? undefined : unitsOf(body.total);
  if (body.total !== undefined && total === undefined) throw invalidParam('total', 'must have at most 4 decimals');
  const draft = draftOrder(body, context, { total, placed_at: placed });
  const past = pastOf(body, placed ?? draft.created_at, context.now);
  draft.status = past.at(-1)?.status ?? 'new';
  draft.past = JSON.stringify(past);
  return draft;
}

function draftNew(body: Body, context: DraftContext): OrderDraft {
  const given = ONLY_IMPORTED.filter((name) => body[name] !== undefined);
  if (given.length > 0) throw invalidParams(given.map((field): FieldError => ({ field, reason: 'is taken only with imported: true' })));
  return draftOrder(body, context);
}

/** The history as it is answered. Without one it begins with the state that the order is in. */
function pastOf({ status, history }: Body, since: string, now: number): HistoryEntry[] {
  if (!history) return [{ status: status ?? 'new', at: since, reason: null }];
  const past = history.map(({ status: state, at, reason = null }, index) => ({
    status: state,
    at: pastTime(at, `history[${index}].at`, now),
    reason,
  }));
  const early = past.findIndex(({ at }, index) => index > 0 && at < (past[index - 1]?.at ?? ''));
  if (early !== -1) throw invalidParam(`history[${early}].at`, 'must not be before that of the entry before: the oldest comes first');
  const last = past.at(-1)?.status;
  if (status !== undefined && status !== last) throw invalidParam('status', `must be that of the last entry of history, ${last}`);
  return past;
}

/** A clock elsewhere may be ahead of ours, but not by far. */
function pastTime(given: string, field: string, now: number): string {
  const { milliseconds, text } = timeOf(given, field);
  if (milliseconds > now + DAY) throw invalidParam(field, `must not be later than tomorrow; here it is ${isoTime(now)}`);
  return text;
}
