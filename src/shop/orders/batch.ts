import { Readable } from 'node:stream';
import type { Database } from '../../db/database.ts';
import { answerBatch, answerLines, BatchAnswer, type BatchWork } from '../../http/batch.ts';
import type { Caller } from '../../http/caller.ts';
import { NdjsonLines, Rendered, type Route, route } from '../../http/route.ts';
import { may } from '../../http/scopes.ts';
import { validatorOf } from '../../http/validate.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import type { AppError } from '../../lib/errors.ts';
import { demandIdempotencyKey } from '../../lib/idempotency-key.ts';
import type { Logger } from '../../lib/log.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { draftBatched } from './brought.ts';
import { createForReceipts, type ReceiptOutcome } from './create.ts';
import type { OrderDraft } from './order-draft.ts';
import { EXAMPLE_BATCH, EXAMPLE_BATCH_ANSWER } from './examples.ts';
import { packDraft, type PackedDrafts, packTogether } from './packed.ts';
import { renderReceipt } from './render.ts';
import { externalIdTaken, keyReused, outOfStock } from './refusals.ts';
import { BatchedOrder, OrderReceipt } from './schemas.ts';

const BODY_LIMIT = 16 * 1024 * 1024;
/** Enough that a transaction costs little for each, and few enough that single orders do not wait long for one. */
const LINES_AT_ONCE = 2000;

const validate = validatorOf(BatchedOrder);

interface Shop {
  db: Database;
  clock: Clock;
  currency: string;
  log: Logger;
}

/** Many orders in one request: new ones, and those that were placed elsewhere. */
export function batchRoute(shop: Shop): Route {
  return route({
    method: 'POST',
    path: '/api/v1/orders/batch',
    scope: 'orders:write',
    tag: 'Orders',
    summary: 'Create many orders, or bring in those of another system',
    description:
      'Takes a JSON array of up to 1,000 orders, or, as `application/x-ndjson`, any number of them with one on each line; those are written as they arrive and answered line by line. ' +
      'One bad order does not stop the others: each gets its own answer, in order, with its index. ' +
      'With `imported: true` an order is history: `placed_at`, `status`, `history` and `total` are taken as they were, and the event is `order.imported`. `created_at` is when it came here.',
    headers: {
      'Idempotency-Key':
        'As for a single order, and counts for each order by its place: a batch that is sent again makes only the orders that were not made before, and answers the others with `replayed`.',
    },
    body: Type.Array(
      Type.Unknown({ description: 'An order as in `POST /orders`, or one that is `imported`; each is checked on its own.' }),
      {
        minItems: 1,
        maxItems: 1000,
      },
    ),
    entry: BatchedOrder,
    bodyLimit: BODY_LIMIT,
    takesLines: true,
    answer: BatchAnswer(OrderReceipt, 'orders'),
    examples: { body: EXAMPLE_BATCH, answer: EXAMPLE_BATCH_ANSWER },
    handle: async ({ body, principal, request }) => {
      const key = request.headers['idempotency-key'] as string | undefined;
      if (key !== undefined) demandIdempotencyKey(key);
      const work = workOf(shop, principal, key);
      if (body instanceof Readable) return new NdjsonLines(answerLines(body, work));
      return new Rendered(await answerBatch(body, work));
    },
  });
}

/** An order that waits for its transaction. */
interface Waiting {
  /** Packed at once where it goes to another thread: thousands that wait as objects would be copied again and again when memory is tidied. */
  draft: OrderDraft | string;
  /** What it is answered with when it is made as it was drafted. */
  receipt: string;
}

function workOf({ db, clock, currency, log }: Shop, caller: Caller, idempotencyKey: string | undefined): BatchWork<Waiting> {
  const answerOf = (outcome: ReceiptOutcome, { receipt }: Waiting): string | AppError => {
    if (!outcome) return receipt;
    if (outcome.kind === 'created' || outcome.kind === 'replayed') return outcome.json;
    if (outcome.kind === 'out_of_stock') return outOfStock(outcome.lines);
    return outcome.kind === 'external_id_taken' ? externalIdTaken(may(caller, 'orders:read') ? outcome.by : undefined) : keyReused();
  };
  return {
    what: 'orders',
    most: LINES_AT_ONCE,
    check: (value, place) => {
      const context = { now: clock(), currency, owner: caller.id, idempotencyKey, place };
      const draft = draftBatched(validate(value) as Static<typeof BatchedOrder>, context);
      const receipt = renderReceipt({ ...draft, status: draft.status ?? 'new', version: 1 });
      return { draft: db.threaded ? packDraft(draft) : draft, receipt };
    },
    write: async (waiting) => {
      const outcomes = await db.write(createForReceipts, { drafts: draftsOf(waiting), now: isoTime(clock()), alone: true });
      return outcomes.map((outcome, index) => answerOf(outcome, waiting[index] as Waiting));
    },
    log,
  };
}

/** All of them are packed, or none is. */
function draftsOf(waiting: readonly Waiting[]): PackedDrafts | OrderDraft[] {
  const packed: string[] = [];
  const drafts: OrderDraft[] = [];
  for (const { draft } of waiting) {
    if (typeof draft === 'string') packed.push(draft);
    else drafts.push(draft);
  }
  return packed.length > 0 ? packTogether(packed) : drafts;
}
