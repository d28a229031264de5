import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../../db/database.ts';
import type { Caller } from '../../../http/caller.ts';
import { pageAnswer, pageOf, type PageQuery } from '../../../http/paging.ts';
import { Rendered, type Route, route } from '../../../http/route.ts';
import { ListOf, PAGING, Strict, Success } from '../../../http/schemas.ts';
import { may } from '../../../http/scopes.ts';
import { Batcher } from '../../../lib/batcher.ts';
import { type Clock, isoTime } from '../../../lib/clock.ts';
import { invalidParam, notFound } from '../../../lib/errors.ts';
import { demandIdempotencyKey } from '../../../lib/idempotency-key.ts';
import { type IdPrefix, isId, newId } from '../../../lib/ids.ts';
import { decimalText, unitsOf } from '../../../lib/money.ts';
import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { KEY_LIFETIME, sorted } from '../draft.ts';
import { findSince } from '../queries.ts';
import { keyReused } from '../refusals.ts';
import {
  EXAMPLE_AFTER,
  EXAMPLE_FULFILLMENT,
  EXAMPLE_NEW_FULFILLMENT,
  EXAMPLE_NEW_REFUND,
  EXAMPLE_NEW_RETURN,
  EXAMPLE_REFUND,
  EXAMPLE_RETURN,
} from './examples.ts';
import { sinceOf } from './records.ts';
import { refusalError, versionConflict } from './refusals.ts';
import {
  AnsweredFulfillment,
  AnsweredRefund,
  AnsweredReturn,
  DoneFulfillment,
  DoneRefund,
  DoneReturn,
  NewFulfillment,
  NewRefund,
  NewReturn,
} from './schemas.ts';
import { type DeedOutcome, type DeedRequest, recordDeeds } from './write.ts';

const PATH = '/api/v1/orders/{id}';
const MAX_BATCH = 128;
const MAX_WAITING = 20_000;

const PREFIX = { fulfillments: 'ful', returns: 'ret', refunds: 'rfd' } as const satisfies Record<DeedRequest['kind'], IdPrefix>;

const OrderId = Strict({ id: Type.String({ description: 'The id of the order.' }) });
const Page = Strict({ ...PAGING });

const COMMON = {
  params: OrderId,
  tag: 'Orders',
  headers: {
    'Idempotency-Key':
      'As for a new order, and counts for this order and this operation. The same key with the same body gets the first answer again, with `Idempotent-Replayed: true`.',
  },
  answerHeaders: { 'Idempotent-Replayed': '`true` when this is the answer of an earlier request with the same key.' },
  errors: ['NOT_FOUND', 'CONFLICT', 'VERSION_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
} as const;

const SHORT = 'A key without `orders:read` is answered the ids and the state of the order.';

/** Fulfilments, returns and refunds: what is done with an order after it came. */
export function deedRoutes({ db, clock }: { db: Database; clock: Clock }): Route[] {
  const recorder = new Batcher<DeedRequest, DeedOutcome>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    ...db.grouping,
    run: (requests) => db.write(recordDeeds, { requests, now: isoTime(clock()) }),
  });

  async function answer(request: DeedRequest, { principal, reply }: Pick<DeedCall, 'principal' | 'reply'>): Promise<Rendered> {
    const outcome = isId('ord', request.order_id) ? await recorder.submit(request) : ({ kind: 'not_found' } as const);
    const mayRead = may(principal, 'orders:read');
    if (outcome.kind === 'not_found') throw notFound('order', request.order_id);
    if (outcome.kind === 'version_conflict') throw versionConflict(outcome.version);
    if (outcome.kind === 'key_reused') throw keyReused();
    if (outcome.kind === 'refused') throw refusalError(outcome.refusal, mayRead);
    if (outcome.kind === 'replayed') reply.header('idempotent-replayed', 'true');
    return new Rendered(`{"success":true,"data":${mayRead ? outcome.json : shortened(outcome.json)}}`);
  }

  const list = async (kind: DeedRequest['kind'], id: string, query: PageQuery): Promise<Rendered> => {
    const { limit, offset, after } = pageOf(query, (key) => isId(PREFIX[kind], key));
    const since = isId('ord', id) ? await findSince(db.read, id) : undefined;
    if (since === undefined) throw notFound('order', id);
    const all = sinceOf({ since })[kind] ?? [];
    const rest = after === undefined ? all.slice(offset) : all.filter((deed) => deed.id > after);
    return new Rendered(JSON.stringify(pageAnswer<{ id: string }>(rest.slice(0, limit + 1), all.length, { limit })));
  };

  return [
    route({
      ...COMMON,
      method: 'POST',
      path: `${PATH}/fulfillments`,
      scope: 'orders:write',
      summary: 'Ship an order, or a part of it',
      description:
        'Never more than is left to ship: that is 409, and names the lines and what is left of them. A new order becomes `processing`, and `shipped` when nothing is left to ship. ' +
        `One that is on hold, cancelled or returned is not shipped. ${SHORT}`,
      body: NewFulfillment,
      answer: Success(DoneFulfillment),
      errors: [...COMMON.errors, 'INVALID_TRANSITION'],
      examples: {
        body: EXAMPLE_NEW_FULFILLMENT,
        answer: { success: true, data: { ...EXAMPLE_FULFILLMENT, order: EXAMPLE_AFTER.fulfillments } },
      },
      handle: async (call) => {
        const { lines, tracking, location } = call.body;
        return answer({ ...askedBy(call, 'fulfillments', clock()), kind: 'fulfillments', lines, tracking, location }, call);
      },
    }),
    listRoute('fulfillments', 'List the fulfilments of an order, oldest first', AnsweredFulfillment, EXAMPLE_FULFILLMENT, list),
    route({
      ...COMMON,
      method: 'POST',
      path: `${PATH}/returns`,
      scope: 'orders:write',
      summary: 'Take back what was shipped, or a part of it',
      description:
        'Never more than was shipped: that is 409, and names the lines and what is left of them. When all is shipped and all of it has come back, the order becomes `returned`. ' +
        `Money is given back by a refund. ${SHORT}`,
      body: NewReturn,
      answer: Success(DoneReturn),
      examples: {
        body: EXAMPLE_NEW_RETURN,
        answer: { success: true, data: { ...EXAMPLE_RETURN, order: EXAMPLE_AFTER.returns } },
      },
      handle: async (call) => {
        const { lines, reason, restock = false, location } = call.body;
        return answer({ ...askedBy(call, 'returns', clock()), kind: 'returns', lines, reason, restock, location }, call);
      },
    }),
    listRoute('returns', 'List the returns of an order, oldest first', AnsweredReturn, EXAMPLE_RETURN, list),
    route({
      ...COMMON,
      method: 'POST',
      path: `${PATH}/refunds`,
      scope: 'orders:write',
      summary: 'Give money back',
      description:
        'For `lines`, by what the customer has paid for them: after their discounts, with their taxes, without shipping; rounded to the decimals of the currency so that parts never come to more than the whole. ' +
        'Or an `amount`. Never more than was paid, and no line more often than it was ordered: that is 409, and says what is left. ' +
        `Syncline writes down that money was given back; it moves none. ${SHORT}`,
      body: NewRefund,
      answer: Success(DoneRefund),
      examples: {
        body: EXAMPLE_NEW_REFUND,
        answer: { success: true, data: { ...EXAMPLE_REFUND, order: EXAMPLE_AFTER.refunds } },
      },
      handle: async (call) => {
        const { lines, reason, restock = false, location } = call.body;
        const amount = amountOf(call.body);
        return answer({ ...askedBy(call, 'refunds', clock()), kind: 'refunds', lines, amount, reason, restock, location }, call);
      },
    }),
    listRoute('refunds', 'List the refunds of an order, oldest first', AnsweredRefund, EXAMPLE_REFUND, list),
  ];
}

function listRoute(
  kind: DeedRequest['kind'],
  summary: string,
  item: TSchema,
  example: object,
  list: (kind: DeedRequest['kind'], id: string, query: PageQuery) => Promise<Rendered>,
): Route {
  return route({
    method: 'GET',
    path: `${PATH}/${kind}`,
    scope: 'orders:read',
    tag: 'Orders',
    summary,
    params: OrderId,
    query: Page,
    answer: ListOf(item),
    errors: ['NOT_FOUND'],
    examples: { answer: { success: true, data: [example], total: 1, next_cursor: null } },
    handle: ({ params, query }) => list(kind, params.id, query),
  });
}

interface DeedCall {
  params: { id: string };
  body: { expected_version?: number };
  principal: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What all requests have in common. */
function askedBy({ params, body, principal, request }: DeedCall, kind: DeedRequest['kind'], now: number) {
  const key = request.headers['idempotency-key'] as string | undefined;
  if (key !== undefined) demandIdempotencyKey(key);
  const { id, time } = newId(PREFIX[kind], now);
  return {
    order_id: params.id,
    id,
    at: isoTime(time),
    expected_version: body.expected_version,
    idempotency: key === undefined ? null : idempotencyOf(principal.id, `${key}\t${kind}\t${params.id}`, body, now),
  };
}

/** No key that is sent has a tab in it, so this one never meets that of a new order. */
function idempotencyOf(owner: string, key: string, body: object, now: number): NonNullable<DeedRequest['idempotency']> {
  return { owner, key, bodyHash: hash('sha256', JSON.stringify(sorted(body))), expiresAt: isoTime(now + KEY_LIFETIME) };
}

function amountOf({ amount, lines, restock }: Static<typeof NewRefund>): string | undefined {
  if (lines === undefined && restock) throw invalidParam('restock', 'needs lines: what is to stay in stock');
  if (amount === undefined) return undefined;
  const units = unitsOf(amount);
  if (units === undefined) throw invalidParam('amount', 'must have at most 4 decimals');
  if (units === 0n && lines === undefined) throw invalidParam('amount', 'must be more than 0');
  return decimalText(units);
}

/** The ids and the state alone, for a caller that may not read orders. */
function shortened(json: string): string {
  const { id, order } = JSON.parse(json) as { id: string; order: Record<string, unknown> };
  const { id: order_id, status, version, updated_at } = order;
  return JSON.stringify({ id, order: { id: order_id, status, version, updated_at } });
}
