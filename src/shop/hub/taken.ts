import { Strict } from '../../http/schemas.ts';
import { validatorOf } from '../../http/validate.ts';
import { type FieldError, invalidParam, invalidParams } from '../../lib/errors.ts';
import { demandShallow } from '../../lib/metadata.ts';
import { decimalText, MAX_AMOUNT, unitsOf } from '../../lib/money.ts';
import { type Static, type TSchema, Type } from '../../lib/schema.ts';
import { draftBatched } from '../orders/brought.ts';
import type { OrderDraft } from '../orders/order-draft.ts';
import { ALWAYS, BEFORE_SHIPPING } from '../orders/change/schemas.ts';
import type { DraftContext } from '../orders/draft.ts';
import { BatchedOrder } from '../orders/schemas.ts';
import type { OrderStatus } from '../orders/rules.ts';

// An order that comes by a synchronization: as an entry of `POST /orders/batch`, and what was given back of it. It may be one that is there already.

const TakenRefund = Strict({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  amount: Type.Number({ minimum: 0, maximum: MAX_AMOUNT }),
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});

const { customer_id, items, ...others } = BatchedOrder.properties as Record<string, TSchema>;

/** What only a new order needs may be left out: whether it is a new one is not known yet. */
const TakenOrder = Strict({
  ...others,
  customer_id: Type.Optional(customer_id as TSchema),
  items: Type.Optional(items as TSchema),
  external_id: others['external_id'] as TSchema,
  refunds: Type.Optional(Type.Array(TakenRefund, { maxItems: 200 })),
});

type BatchedBody = Static<typeof BatchedOrder>;
type TakenBody = Partial<BatchedBody> & { external_id: string; refunds?: Static<typeof TakenRefund>[] };

const validate = validatorOf(TakenOrder);

export interface WishedRefund {
  id: string;
  /** Decimal text. */
  amount: string;
  reason: string | undefined;
}

/** What an order that is there is to become. */
export interface OrderTaking {
  external_id: string;
  customer_id: string | undefined;
  currency: string | undefined;
  /** JSON text of the members that take the place of what it has. */
  patch: string;
  /** Decimal text: what was paid. */
  total: string | undefined;
  status: OrderStatus | undefined;
  refunds: WishedRefund[];
}

export interface TakenRow {
  taking: OrderTaking;
  /** Undefined when it says too little to make an order of it. */
  draft: OrderDraft | undefined;
  /** Whether a new order is not yet what it is to be. */
  goesOn: boolean;
}

/** Checks an order that comes in; throws INVALID_PARAMS. */
export function takenOrder(row: unknown, context: DraftContext): TakenRow {
  const body = settledPayment(validate(row) as TakenBody);
  const { refunds: given, ...order } = body;
  demandShallow(order.metadata, 'metadata');
  order.items?.forEach((item, index) => demandShallow(item.metadata, `items[${index}].metadata`));
  const refunds = (given ?? []).map((refund, index) => wishedRefund(refund, index, given ?? []));
  const isWhole = order.customer_id !== undefined && order.items !== undefined;
  const draft = isWhole ? draftTaken(order as BatchedBody, context) : undefined;
  const sent = [...ALWAYS, ...BEFORE_SHIPPING].filter((name) => order[name] !== undefined);
  const taking: OrderTaking = {
    external_id: body.external_id,
    customer_id: order.customer_id,
    currency: order.currency,
    patch: JSON.stringify(Object.fromEntries(sent.map((name) => [name, order[name]]))),
    total: paidTotal(order.total),
    status: order.status ?? order.history?.at(-1)?.status,
    refunds,
  };
  const isMoved = !order.imported && taking.status !== undefined && taking.status !== 'new';
  return { taking, draft, goesOn: isMoved || refunds.length > 0 };
}

function paidTotal(total: number | undefined): string | undefined {
  if (total === undefined) return undefined;
  const units = unitsOf(total);
  if (units === undefined) throw invalidParam('total', 'must have at most 4 decimals');
  return decimalText(units);
}

/** History as it was; an order that is new here begins as one, and is then moved to where it is. What was paid for it, it has to come to. */
function draftTaken({ status, total, ...order }: BatchedBody, context: DraftContext): OrderDraft {
  if (order.imported)
    return draftBatched({ ...order, ...(status !== undefined && { status }), ...(total !== undefined && { total }) }, context);
  try {
    return draftBatched({ ...order, ...(total !== undefined && { expected_total: total }) }, context);
  } catch (error) {
    throw namingTotal(error);
  }
}

function namingTotal(error: unknown): unknown {
  const { errors } = (error as { details?: { errors?: FieldError[] } }).details ?? {};
  if (!errors?.some(({ field }) => field === 'expected_total')) return error;
  return invalidParams(errors.map(({ field, reason }) => ({ field: field === 'expected_total' ? 'total' : field, reason })));
}

/** Refunds that are told one by one tell by themselves what is left of the payment. */
function settledPayment(body: TakenBody): TakenBody {
  const { payment, refunds = [] } = body;
  if (refunds.length === 0 || (payment?.status !== 'refunded' && payment?.status !== 'partially_refunded')) return body;
  return { ...body, payment: { ...payment, status: 'paid' } };
}

function wishedRefund(
  { id, amount, reason }: Static<typeof TakenRefund>,
  index: number,
  all: readonly Static<typeof TakenRefund>[],
): WishedRefund {
  const units = unitsOf(amount);
  if (units === undefined) throw invalidParam(`refunds[${index}].amount`, 'must have at most 4 decimals');
  if (units === 0n) throw invalidParam(`refunds[${index}].amount`, 'must be more than 0');
  if (all.findIndex((other) => other.id === id) < index) throw invalidParam(`refunds[${index}].id`, 'is given already');
  return { id, amount: decimalText(units), reason };
}
