import { OneOf, TimeInput } from '../../../http/schemas.ts';
import { firstMillisecond, isoTime, parseTime } from '../../../lib/clock.ts';
import { invalidParam } from '../../../lib/errors.ts';
import { firstIdAt } from '../../../lib/ids.ts';
import { type Static, Type } from '../../../lib/schema.ts';
import { ORDER_STATUSES } from '../rules.ts';
import { type OrderWish, wordsOf } from './wish.ts';

const MOST_WORDS = 12;

/** What lists of orders are filtered by. */
export const ORDER_FILTERS = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        'Words of which each has to begin a word of the number (`id`, `external_id`), the customer (`customer_id`, name, e-mail) or the products (`product_id`, `name`, `sku` of the lines). ' +
        'Upper and lower case and accents make no difference.',
      examples: ['jo@example.com'],
    }),
  ),
  status: Type.Optional(
    Type.Array(OneOf(ORDER_STATUSES), { minItems: 1, description: 'Only orders with this status, or one of several with commas between.' }),
  ),
  customer_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  product_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only orders with a line of this product.' })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['EUR'] })),
  channel: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only orders of this channel, as it was given.' })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only orders that have this tag, as it was given.' })),
  created_from: Type.Optional(TimeInput('Created at this time or later.')),
  created_to: Type.Optional(TimeInput('Created before this time.')),
  placed_from: Type.Optional(
    TimeInput('Placed at this time or later. An order that was not brought in with a `placed_at` was placed when it was created.'),
  ),
  placed_to: Type.Optional(TimeInput('Placed before this time.')),
  updated_since: Type.Optional(TimeInput('Changed at this time or later.')),
};

const AllFilters = Type.Object(ORDER_FILTERS);
type OrderFilters = Static<typeof AllFilters>;

/** What a caller asks for, as it is looked for. */
export function wishOf(query: OrderFilters): OrderWish {
  const { q, status, customer_id, external_id, product_id, currency, channel, tag, created_from, created_to, updated_since } = query;
  const { placed_from, placed_to } = query;
  const wish: OrderWish = {
    q,
    statuses: status && [...new Set(status)],
    customer_id,
    external_id,
    product_id,
    currency,
    channel,
    tag,
    from_id: created_from === undefined ? undefined : firstIdAt('ord', moment('created_from', created_from)),
    before_id: created_to === undefined ? undefined : firstIdAt('ord', moment('created_to', created_to)),
    placed_from: placed_from === undefined ? undefined : moment('placed_from', placed_from),
    placed_before: placed_to === undefined ? undefined : moment('placed_to', placed_to),
    updated_since: updated_since === undefined ? undefined : isoTime(moment('updated_since', updated_since)),
  };
  if (q !== undefined) {
    const words = wordsOf(wish);
    if (words.length === 0) throw invalidParam('q', 'must have a letter or a digit');
    if (words.length > MOST_WORDS) throw invalidParam('q', `must have at most ${MOST_WORDS} words`);
  }
  return wish;
}

/** Whether the index has to be asked: what was there before it is answered as it was. */
export function needsIndex({ q, statuses = [], product_id, currency, channel, tag, placed_from, placed_before }: OrderWish): boolean {
  return (q ?? product_id ?? currency ?? channel ?? tag ?? placed_from ?? placed_before) !== undefined || statuses.length > 1;
}

function moment(field: string, text: string): number {
  const time = parseTime(text);
  if (!time) throw invalidParam(field, 'must be a time such as 2026-11-01T00:00:00Z');
  return firstMillisecond(time);
}
