import type { Database } from '../../db/database.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError, invalidParam, invalidParams } from '../../lib/errors.ts';
import type { Reject } from '../../connectors/batch.ts';
import { createOrders } from '../orders/create.ts';
import type { OrderDraft } from '../orders/order-draft.ts';
import type { OrderRefusal } from '../orders/deeds/refusals.ts';
import { packDrafts } from '../orders/packed.ts';
import { followOrders } from './follow.ts';
import { type Input, rejectOf, sort } from './sorting.ts';
import { type TakenRow, takenOrder } from './taken.ts';

interface Shop {
  db: Database;
  clock: Clock;
  currency: string;
}

type Outcome = 'inserted' | 'updated' | 'unchanged' | AppError;

/**
 * Orders that come by a synchronization. Those that are new are made first, in one transaction; those that are there become in another what is said of them. Should
 * something die in between, the next try finds the new ones there, and goes on with them.
 */
export async function takeOrders({ db, clock, currency }: Shop, orders: readonly Input[], follows: boolean) {
  const context = { now: clock(), currency, owner: 'hub', idempotencyKey: undefined };
  const { good, rejects } = sort(orders, (order): TakenRow => takenOrder(order, context));
  const outcomes = await create(
    { db, clock, currency },
    good.map(({ value }) => value),
  );
  const behind = good.flatMap(({ value }, at) => (needsMore(value, outcomes[at], follows) ? [{ at, taking: value.taking }] : []));
  const followed =
    behind.length === 0 ? [] : await db.write(followOrders, { takings: behind.map(({ taking }) => taking), at: isoTime(clock()) });
  followed.forEach((outcome, index) => {
    const { at } = behind[index] as (typeof behind)[number];
    if (outcome.kind === 'refused') outcomes[at] = refusalWords(outcome.refusal, outcomes[at] === 'inserted');
    else if (outcome.kind === 'not_found') outcomes[at] = tooLittle((good[at] as (typeof good)[number]).value);
    else if (outcomes[at] !== 'inserted') outcomes[at] = outcome.kind === 'changed' ? 'updated' : 'unchanged';
  });
  return counted(orders, good, outcomes, rejects);
}

/** Makes those of which there is all that it takes, unless they are there. */
async function create({ db, clock }: Shop, rows: readonly TakenRow[]): Promise<Outcome[]> {
  const drafts = rows.flatMap(({ draft }) => draft ?? []);
  const packed = db.threaded ? packDrafts(drafts) : drafts;
  const created = drafts.length === 0 ? [] : await db.write(createOrders, { drafts: packed, now: isoTime(clock()), alone: true });
  const isNew = new Set<OrderDraft>(drafts.filter((_, index) => created[index]?.kind === 'created'));
  return rows.map(({ draft }) => (draft && isNew.has(draft) ? 'inserted' : 'unchanged'));
}

function needsMore({ draft, goesOn }: TakenRow, outcome: Outcome | undefined, follows: boolean): boolean {
  if (outcome === 'inserted') return goesOn;
  // Without all that a new order takes, it has to be there.
  return follows || draft === undefined;
}

function tooLittle({ taking }: TakenRow): AppError {
  const missing = [...(taking.customer_id === undefined ? ['customer_id'] : []), 'items'];
  return invalidParams(missing.map((field) => ({ field, reason: 'is mandatory for an order that is not there yet' })));
}

/** Where a field of `PATCH` has another name here, it is told by that. */
function refusalWords({ code, message, faults }: OrderRefusal, isNew: boolean): AppError {
  const errors = faults.map(({ field, reason }) => ({ field: NAMED[field] ?? field, reason }));
  const [first] = errors;
  if (code === 'INVALID_PARAMS') return first ? invalidParams(errors) : invalidParam('', message);
  const details = first ? ` ${first.field ? `${first.field} ` : ''}${first.reason}.` : '';
  return new AppError(code, `${isNew ? 'The order was made, but not all of it: ' : ''}${message}${details}`, { ...first, errors });
}

const NAMED: Readonly<Record<string, string>> = { expected_total: 'total', amount: 'refunds' };

function counted(orders: readonly Input[], good: readonly { index: number }[], outcomes: readonly Outcome[], rejects: Reject[]) {
  const counts = { inserted: 0, updated: 0, unchanged: 0 };
  outcomes.forEach((outcome, at) => {
    if (outcome instanceof AppError) rejects.push(rejectOf(good[at]?.index ?? 0, orders, outcome));
    else counts[outcome]++;
  });
  return { ...counts, rejects };
}
