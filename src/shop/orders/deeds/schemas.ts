import { Decimal, Named, OneOf, Strict, Time } from '../../../http/schemas.ts';
import { anyMember } from '../../../lib/member-choice.ts';
import { MAX_AMOUNT } from '../../../lib/money.ts';
import { type Static, Type } from '../../../lib/schema.ts';
import { ORDER_ID } from '../examples.ts';
import { ORDER_STATUSES } from '../rules.ts';
import { FULFILLMENT_STATUSES } from './tally.ts';

const LATER = 'Later versions of v1 may add values.';

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });

/** Refuses a request unless the order is at a version. */
export const EXPECTED_VERSION = {
  expected_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Refuse unless the order is at this version.' }),
  ),
};

const line = Type.Integer({
  minimum: 1,
  maximum: 500,
  description: 'The place of the line in `items`, counted from 1: the same product may be in several lines.',
});

const LinesInput = (without: string) =>
  Type.Array(
    Named('NewOrderPiece', {
      line,
      quantity: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'When it is left out, all that is left of the line.' }),
      ),
    }),
    { minItems: 1, maxItems: 500, description: without },
  );

const tracking = {
  carrier: Type.Optional(text(100, 'Who carries the parcel.')),
  number: Type.Optional(text(255, 'What the carrier calls the parcel.')),
  url: Type.Optional(
    Type.String({ pattern: '^https?://[!-~]+$', maxLength: 2000, description: 'Where the customer can see where it is.' }),
  ),
};

const location = text(64, 'Where the goods leave or come in, by an id of yours.');
const reason = text(500, 'Why.');

export const NewFulfillment = Named('NewFulfillment', {
  lines: Type.Optional(LinesInput('What is shipped. When it is left out, all that is left to ship.')),
  tracking: Type.Optional(Named('NewTracking', tracking)),
  location: Type.Optional(location),
  ...EXPECTED_VERSION,
});

const restock = (description: string) => Type.Optional(Type.Boolean({ description: `${description} It is not, when left out.` }));

export const NewReturn = Named('NewReturn', {
  lines: Type.Optional(LinesInput('What comes back. When it is left out, all that was shipped and has not come back.')),
  reason: Type.Optional(reason),
  restock: restock('Whether the goods are put back into stock.'),
  location: Type.Optional(location),
  ...EXPECTED_VERSION,
});

export const NewRefund = Named(
  'NewRefund',
  {
    lines: Type.Optional(LinesInput('What the money is given back for. Either this or `amount`, or both: then `amount` counts.')),
    amount: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_AMOUNT,
        description: 'How much is given back; more than 0, unless `lines` are given. At most four decimals; it is taken as it is.',
      }),
    ),
    reason: Type.Optional(reason),
    restock: restock('Whether the goods stay in stock: they were not shipped, and are not going to be. Only with `lines`.'),
    location: Type.Optional(location),
    ...EXPECTED_VERSION,
  },
  anyMember('amount', 'lines'),
);

const Lines = Type.Array(Named('OrderPiece', { line, quantity: Type.Integer() }));
const deedFields = { id: Type.String(), created_at: Time() };

const fulfillmentFields = {
  ...deedFields,
  lines: Lines,
  tracking: Type.Optional(Named('Tracking', tracking)),
  location: Type.Optional(Type.String()),
};
const returnFields = {
  ...deedFields,
  lines: Lines,
  reason: Type.Optional(Type.String()),
  restock: Type.Boolean(),
  location: Type.Optional(Type.String()),
};
const refundFields = {
  ...deedFields,
  amount: Decimal({ description: 'What was given back.' }),
  external_id: Type.Optional(
    Type.String({ description: 'What it is called in the system where it was made: it came with its order by a synchronization.' }),
  ),
  lines: Type.Optional(
    Type.Array(
      Named('RefundedPiece', {
        line,
        quantity: Type.Integer(),
        amount: Type.Optional(Decimal({ description: 'What it comes to, unless the amount of the whole was given.' })),
      }),
    ),
  ),
  reason: Type.Optional(Type.String()),
  restock: Type.Boolean(),
  location: Type.Optional(Type.String()),
};

export const AnsweredFulfillment = Named('Fulfillment', fulfillmentFields);
export const AnsweredReturn = Named('Return', returnFields);
export const AnsweredRefund = Named('Refund', refundFields);

const fulfillmentStatus = OneOf(FULFILLMENT_STATUSES, {
  description: `How far it is shipped and returned. There when the order has a fulfilment, a return, or a refund of what was not shipped. ${LATER}`,
});
const paymentStatus = Type.String({
  description: `\`payment.status\`; with refunds \`partially_refunded\` or \`refunded\`. There when one of the two is. ${LATER}`,
});

/** What an order says of what was done with it. */
export const deedMembers = {
  fulfillment_status: Type.Optional(fulfillmentStatus),
  payment_status: Type.Optional(paymentStatus),
  refunded_total: Type.Optional(Decimal({ description: 'All that was given back. There when the order has refunds.' })),
  remaining_total: Type.Optional(
    Decimal({
      description:
        'What is left of what was paid, and can still be given back: `total` less `refunded_total`, or 0 when `payment.status` says that nothing is. There when the order has refunds.',
    }),
  ),
  fulfillments: Type.Optional(Type.Array(AnsweredFulfillment)),
  returns: Type.Optional(Type.Array(AnsweredReturn)),
  refunds: Type.Optional(Type.Array(AnsweredRefund)),
  most_lines: Type.Optional(
    Type.Integer({ description: 'The most lines that the order has had, where changes have left fewer: the lines behind are gone.' }),
  ),
  changes: Type.Optional(
    Type.Array(
      Named('OrderChange', {
        version: Type.Integer({ description: 'The version that the change has made.' }),
        at: Time(),
        by: Type.String({ description: 'The id of the API key, or `hub` when it was a synchronization.' }),
        members: Type.Array(Type.String(), { description: 'What has another value.' }),
        lines: Type.Optional(Type.Integer({ description: 'Where `items` has another value: how many lines there were before.' })),
      }),
      { description: 'The last 100 changes by `PATCH` or by a synchronization, oldest first.' },
    ),
  ),
};

const stateFields = {
  id: Type.String({ examples: [ORDER_ID] }),
  status: Type.Named('OrderStatus', OneOf(ORDER_STATUSES, { description: LATER })),
  version: Type.Integer(),
  updated_at: Time(),
};
const order = Named(
  'OrderAfter',
  { ...stateFields, fulfillment_status: Type.Optional(fulfillmentStatus), payment_status: Type.Optional(paymentStatus) },
  { description: 'The order after it.' },
);

/** What a key is told that may not read orders. */
const Short = Named('DeedReceipt', { id: Type.String(), order: Strict(stateFields) }, { description: 'For a key without `orders:read`.' });

function done<Whole>(whole: Whole & object) {
  return Type.Unsafe<Static<Whole> | Static<typeof Short>>({ anyOf: [whole, Short] });
}

export const DoneFulfillment = done(Named('DoneFulfillment', { ...fulfillmentFields, order }));
export const DoneReturn = done(Named('DoneReturn', { ...returnFields, order }));
export const DoneRefund = done(Named('DoneRefund', { ...refundFields, order }));
