import { hash } from 'node:crypto';
import type { Static } from '../../lib/schema.ts';
import { isoTime } from '../../lib/clock.ts';
import { type FieldError, invalidParam, invalidParams } from '../../lib/errors.ts';
import { demandIdempotencyKey } from '../../lib/idempotency-key.ts';
import { newId } from '../../lib/ids.ts';
import { metadataText } from '../../lib/metadata.ts';
import { decimalText, type Units, unitsOf } from '../../lib/money.ts';
import type { OrderDraft } from './order-draft.ts';
import { type Brought, type Dressed, dress, isPlain } from './extras.ts';
import { type OrderLine, priceLines } from './rules.ts';
import type { NewOrder } from './schemas.ts';

export const KEY_LIFETIME = 7 * 24 * 60 * 60 * 1000;

export interface DraftContext {
  now: number;
  /** The currency of an order that names none. */
  currency: string;
  /** Who asks, and the value of the header `Idempotency-Key`. */
  owner: string;
  idempotencyKey: string | undefined;
  /** Of a batch, the place in it: the key counts for each of its orders by its place. */
  place?: number;
}

/** Turns a body that fits the schema into an order to be written; throws INVALID_PARAMS for what a schema cannot say. */
export function draftOrder(body: Static<typeof NewOrder>, context: DraftContext, brought?: Brought): OrderDraft {
  const { lines, total, extra } = priced(body, body.currency ?? context.currency, brought);
  if (body.expected_total !== undefined) demandTotal(total, body.expected_total);
  const { id, time } = newId('ord', context.now);
  const draft: OrderDraft = {
    id,
    created_at: isoTime(time),
    customer_id: body.customer_id,
    currency: body.currency ?? context.currency,
    external_id: body.external_id ?? null,
    total: decimalText(total),
    lines,
    shipping_address: body.shipping_address ? JSON.stringify(body.shipping_address) : null,
    metadata: body.metadata ? metadataText(body.metadata, 'metadata') : '{}',
    idempotency: null,
  };
  if (extra !== undefined) draft.extra = extra;
  if (body.payment?.status !== undefined) draft.payment_status = body.payment.status;
  if (body.reserve) draft.reserve = true;
  if (context.idempotencyKey !== undefined) draft.idempotency = idempotencyOf(draft, body, context.idempotencyKey, context);
  return draft;
}

/** The lines and what they come to, with all else that an order may have. */
export function priced(body: Static<typeof NewOrder>, currency: string, brought: Brought | undefined): Dressed {
  const { lines, sums, total } = priceLines(body.items);
  if (lines.includes(undefined)) throw tooManyDecimals(lines);
  if (!brought && isPlain(body)) return { lines: lines as OrderLine[], total, extra: undefined };
  return dress(body, lines as OrderLine[], sums, currency, brought);
}

function demandTotal(total: Units, expected: number): void {
  if (unitsOf(expected) === total) return;
  throw invalidParam('expected_total', `is ${expected}, but the order comes to ${decimalText(total)}`);
}

/** The same order asked for again, whatever the order of its fields or the spelling of its numbers, has the same hash. */
function idempotencyOf(
  draft: OrderDraft,
  body: Static<typeof NewOrder>,
  key: string,
  { owner, now, place }: DraftContext,
): OrderDraft['idempotency'] {
  demandIdempotencyKey(key);
  const { id: _, created_at: __, idempotency: ___, payment_status: ____, extra, ...content } = draft;
  // Of an order that has more than every order has, the body is hashed too; that of others has the hash that it always had.
  const isMore = extra !== undefined || body.expected_total !== undefined || content.lines.some(({ more }) => more);
  const text = JSON.stringify({
    ...content,
    shipping_address: sorted(body.shipping_address),
    metadata: sorted(body.metadata),
    ...(isMore && { body: sorted(body) }),
  });
  // No key that is sent has a tab in it, so a batch and a single order never meet.
  const name = place === undefined ? key : `${key}\t${place}`;
  return { owner, key: name, bodyHash: hash('sha256', text), expiresAt: isoTime(now + KEY_LIFETIME) };
}

function tooManyDecimals(lines: readonly (OrderLine | undefined)[]): Error {
  const errors: FieldError[] = [];
  lines.forEach((line, index) => {
    if (!line) errors.push({ field: `items[${index}].price`, reason: 'must have at most 4 decimals' });
  });
  return invalidParams(errors);
}

/** The value with the members of every object in the order of their names. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
