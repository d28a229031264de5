import { type Static, Type } from '../../lib/schema.ts';
import type { Database } from '../../db/database.ts';
import { cursorOf, pageOf } from '../../http/paging.ts';
import { Rendered, type Route, route } from '../../http/route.ts';
import { may } from '../../http/scopes.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../../http/schemas.ts';
import { Batcher } from '../../lib/batcher.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import { batchRoute } from './batch.ts';
import { createOrders } from './create.ts';
import type { CreateOutcome } from './outcomes.ts';
import type { OrderDraft } from './order-draft.ts';
import { draftOrder } from './draft.ts';
import { changeRoute } from './change/routes.ts';
import { deedRoutes } from './deeds/routes.ts';
import { versionConflict } from './deeds/refusals.ts';
import { exportRoute } from './export/routes.ts';
import { listFound, placeOf } from './find/list-found.ts';
import { needsIndex, ORDER_FILTERS, wishOf } from './find/query.ts';
import { ORDER_SORTS } from './find/wish.ts';
import { packDrafts } from './packed.ts';
import { findOrder, isQuickPage, listOrders, listQuickly, type OrderPage, type RenderedPage } from './queries.ts';
import { externalIdTaken, keyReused, outOfStock } from './refusals.ts';
import { stateOnly } from './render.ts';
import { allowedFrom, ORDER_STATUSES } from './rules.ts';
import { EXAMPLE_MOVED_ORDER, EXAMPLE_NEW_ORDER, EXAMPLE_ORDER, EXAMPLE_PAID_ORDER } from './examples.ts';
import { ListedOrder, MovedOrder, NewOrder, Order, Transition } from './schemas.ts';
import { type TransitionOutcome, type TransitionRequest, transitionOrders } from './transition.ts';

const PATH = '/api/v1/orders';

// Large enough that a busy second fits, small enough that nobody waits long for the neighbours.
const MAX_BATCH = 256;
const MAX_WAITING = 20_000;

const OrderQuery = Strict({
  ...PAGING,
  ...ORDER_FILTERS,
  sort: Type.Optional(
    OneOf(ORDER_SORTS, {
      default: '-created_at',
      description: 'What comes first; with `-` the newest, latest or highest. A cursor belongs to its order.',
    }),
  ),
  expand: Type.Optional(OneOf(['items', 'all'], { description: '`items` adds the items to each order, `all` everything.' })),
});

const OrderId = Strict({ id: Type.String({ description: 'The id of the order.' }) });

export function orderRoutes({ db, clock, currency, log }: { db: Database; clock: Clock; currency: string; log: Logger }): Route[] {
  const creator = new Batcher<OrderDraft, CreateOutcome>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    ...db.grouping,
    run: (drafts) => db.write(createOrders, { drafts: db.threaded ? packDrafts(drafts) : drafts, now: isoTime(clock()), alone: true }),
  });
  const mover = new Batcher<TransitionRequest, TransitionOutcome>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    ...db.grouping,
    run: (requests) => db.write(transitionOrders, requests),
  });

  return [
    route({
      method: 'GET',
      path: PATH,
      scope: 'orders:read',
      tag: 'Orders',
      summary: 'List and find orders, newest first',
      query: OrderQuery,
      answer: ListOf(ListedOrder),
      examples: { answer: { success: true, data: [pick(EXAMPLE_ORDER)], total: 1, next_cursor: null } },
      handle: async ({ query, principal }) => {
        const { orders, count, total, next } = await listPage(db, query);
        // Whole orders hold names and addresses, and a list of them is what an export is made of, in any program.
        if (query.expand === 'all' && count > 0) principal.tellRead({ action: 'orders.exported', objectId: '', rows: count });
        const nextCursor = next === undefined ? 'null' : `"${cursorOf(next)}"`;
        return new Rendered(`{"success":true,"data":[${orders}],"total":${total},"next_cursor":${nextCursor}}`);
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      scope: 'orders:write',
      tag: 'Orders',
      summary: 'Create an order',
      description:
        'Answered when the order is on disk. `total` is computed exactly. `customer_id` and `items` with `product_id`, `quantity` and `price` are all that an order needs; ' +
        'what was paid (shipping, discounts, taxes) and who has to do with it may be said too, and what is not said is not answered. An order for an unknown product is accepted, with `product_known: false`. ' +
        'With `reserve: true` it takes all of its lines from stock, or is refused as OUT_OF_STOCK. ' +
        'Send an `Idempotency-Key` and repeat the request as often as you like: it makes one order.',
      headers: {
        'Idempotency-Key':
          'Up to 255 characters, kept for 7 days. The same key with the same body gets the first answer again, with `Idempotent-Replayed: true`; with another body it is IDEMPOTENCY_KEY_REUSED.',
      },
      body: NewOrder,
      answer: Success(Order),
      answerHeaders: {
        Location: 'The path of the order.',
        'Idempotent-Replayed': '`true` when this is the answer of an earlier request with the same key.',
      },
      errors: ['IDEMPOTENCY_KEY_REUSED', 'CONFLICT', 'OUT_OF_STOCK'],
      examples: { body: EXAMPLE_NEW_ORDER, answer: { success: true, data: EXAMPLE_PAID_ORDER } },
      handle: async ({ body, principal, request, reply }) => {
        const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
        const draft = draftOrder(body, { now: clock(), currency, owner: principal.id, idempotencyKey });
        let outcome = await creator.submit(draft);
        while (outcome.kind === 'again') outcome = await creator.submit(draft);
        if (outcome.kind === 'key_reused') throw keyReused();
        if (outcome.kind === 'out_of_stock') throw outOfStock(outcome.lines);
        if (outcome.kind === 'external_id_taken') throw externalIdTaken(may(principal, 'orders:read') ? outcome.by : undefined);
        if (outcome.kind === 'replayed') reply.header('idempotent-replayed', 'true');
        reply.header('location', `${PATH}/${outcome.id}`);
        return new Rendered(`{"success":true,"data":${outcome.json}}`);
      },
    }),
    batchRoute({ db, clock, currency, log }),
    exportRoute(db),
    route({
      method: 'GET',
      path: `${PATH}/{id}`,
      scope: 'orders:read',
      tag: 'Orders',
      summary: 'Read one order',
      params: OrderId,
      answer: Success(Order),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_ORDER } },
      handle: async ({ params }) => {
        const json = isId('ord', params.id) ? await findOrder(db.read, params.id) : undefined;
        if (json === undefined) throw notFound('order', params.id);
        return new Rendered(`{"success":true,"data":${json}}`);
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/{id}/transitions`,
      scope: 'orders:write',
      tag: 'Orders',
      summary: 'Change the status of an order',
      description:
        `${transitionsInWords()}. Asking for the state that the order is in already changes nothing and succeeds. ` +
        'A key without `orders:read` is answered `id`, `status`, `version` and `updated_at`.',
      params: OrderId,
      body: Transition,
      answer: Success(MovedOrder),
      errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'VERSION_CONFLICT'],
      examples: { body: { to: 'processing', expected_version: 1 }, answer: { success: true, data: EXAMPLE_MOVED_ORDER } },
      handle: async ({ params, body, principal }) => {
        const outcome = isId('ord', params.id)
          ? await mover.submit({
              order_id: params.id,
              to: body.to,
              reason: body.reason ?? null,
              expected_version: body.expected_version,
              restock: body.restock ?? false,
              at: isoTime(clock()),
            })
          : { kind: 'not_found' as const };
        if (outcome.kind === 'not_found') throw notFound('order', params.id);
        if (outcome.kind === 'version_conflict') throw versionConflict(outcome.version);
        if (outcome.kind === 'illegal') throw illegalTransition(outcome.status, body.to);
        return new Rendered(`{"success":true,"data":${may(principal, 'orders:read') ? outcome.json : stateOnly(outcome.json)}}`);
      },
    }),
    changeRoute({ db, clock }),
    ...deedRoutes({ db, clock }),
  ];
}

function transitionsInWords(): string {
  const moves = ORDER_STATUSES.map((from) => ({ from, to: allowedFrom(from) })).filter(({ to }) => to.length > 0);
  return moves.map(({ from, to }) => `${from} → ${to.join(', ')}`).join('; ');
}

async function listPage(db: Database, query: Static<typeof OrderQuery>): Promise<RenderedPage> {
  const { sort = '-created_at', expand = 'none' } = query;
  const { limit, offset, after } = pageOf(query, (key) => placeOf(key, sort) !== undefined);
  const wish = wishOf(query);
  if (sort !== '-created_at' || needsIndex(wish)) {
    const search = { wish, sort, limit, offset, after: after === undefined ? undefined : placeOf(after, sort) };
    return db.query(listFound, { search, expand });
  }
  const { statuses, ...filter } = wish;
  const page: OrderPage = { limit, offset, after, filter: { ...filter, status: statuses?.[0] }, expand };
  return isQuickPage(page) ? listQuickly(db.read, page) : db.query(listOrders, page);
}

function pick({ id, status, total, created_at }: typeof EXAMPLE_ORDER) {
  return { id, status, total, created_at };
}

function illegalTransition(from: string, to: string): AppError {
  const allowed = allowedFrom(from);
  const reason = allowed.length === 0 ? `${from} is final` : `from ${from} only ${allowed.join(', ')}`;
  return new AppError('INVALID_TRANSITION', `An order that is ${from} cannot become ${to}: ${reason}.`, { field: 'to', reason });
}
