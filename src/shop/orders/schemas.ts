import { type Static, type TSchema, Type } from '../../lib/schema.ts';
import { Decimal, JsonText, Named, Nullable, OneOf, Time, TimeInput } from '../../http/schemas.ts';
import { MAX_AMOUNT, MAX_PRICE } from '../../lib/money.ts';
import {
  Address,
  answeredLineMembers,
  answeredMembers,
  EXPECTED_TOTAL,
  NewAddress,
  newLineMembers,
  newMoneyMembers,
  newOtherMembers,
} from './members.ts';
import { deedMembers, EXPECTED_VERSION } from './deeds/schemas.ts';
import { ORDER_ID } from './examples.ts';
import { ORDER_STATUSES, ORDER_TRANSITIONS } from './rules.ts';

const LATER = 'Later versions of v1 may add values.';

const newFields = {
  customer_id: Type.String({ minLength: 1, maxLength: 64 }),
  items: Type.Array(
    Named('NewOrderLine', {
      product_id: Type.String({ minLength: 1, maxLength: 64 }),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      price: Type.Number({ minimum: 0, maximum: MAX_PRICE, description: 'Unit price, at most four decimals.' }),
      ...newLineMembers,
    }),
    { minItems: 1, maxItems: 500 },
  ),
  shipping_address: Type.Optional(NewAddress),
  external_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The order's id in the system it comes from. It stays unique." }),
  ),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['EUR'] })),
  metadata: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Anything of yours, up to 16 KiB as JSON and 32 levels deep.' }),
  ),
  ...newMoneyMembers,
  ...EXPECTED_TOTAL,
  ...newOtherMembers,
};

export const NewOrder = Named('NewOrder', newFields);

/** An order of a batch: a new one, or one that was placed elsewhere and is brought in as it was. */
export const BatchedOrder = Named('BatchedOrder', {
  ...newFields,
  imported: Type.Optional(Type.Boolean({ description: 'Whether the order was placed elsewhere, and is brought in as it was.' })),
  placed_at: Type.Optional(TimeInput('When the customer ordered. Only with `imported`.')),
  status: Type.Optional(OneOf(ORDER_STATUSES, { description: 'The state that the order is in. Only with `imported`.' })),
  history: Type.Optional(
    Type.Array(
      Named('NewOrderHistoryEntry', {
        status: OneOf(ORDER_STATUSES),
        at: TimeInput('Since when.'),
        reason: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
      }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'The states that the order has had, oldest first; any of them may follow any other. Only with `imported`.',
      },
    ),
  ),
  total: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_AMOUNT, description: 'What was paid, whatever the parts come to. Only with `imported`.' }),
  ),
});

const status = Type.Named('OrderStatus', OneOf(ORDER_STATUSES, { description: LATER }));
const listedFields = {
  id: Type.String({ examples: [ORDER_ID] }),
  status,
  total: Decimal({ description: 'Σ quantity × price, less discounts, with shipping and taxes; exact.', examples: [59.97] }),
  created_at: Time(),
};
const itemsField = Type.Array(
  Named('OrderLine', {
    product_id: Type.String(),
    quantity: Type.Integer(),
    price: Decimal(),
    line_total: Decimal(),
    product_known: Type.Boolean({ description: 'Whether the product was in the catalogue when the order came.' }),
    ...answeredLineMembers,
  }),
);
const fullFields = {
  updated_at: Time(),
  version: Type.Integer({ description: 'Goes up by one with every change.' }),
  customer_id: Type.String(),
  currency: Type.String(),
  external_id: Nullable(Type.String()),
  items: itemsField,
  shipping_address: Nullable(Address),
  metadata: JsonText(Type.Object({}, { additionalProperties: true })),
  ...answeredMembers,
  ...deedMembers,
  history: Type.Array(Named('OrderHistoryEntry', { status, at: Time(), reason: Nullable(Type.String()) }), {
    description: 'Every status the order has had, oldest first.',
  }),
};

export const Order = Named('Order', { ...listedFields, ...fullFields });

/** What a list shows: four fields, and the others when `expand` asks for them. */
export const ListedOrder = Named('ListedOrder', {
  ...listedFields,
  ...Object.fromEntries(Object.entries(fullFields).map(([name, schema]) => [name, Type.Optional(schema as TSchema)])),
});

/** What a batch answers of each order. The rest is what was sent, and can be read. */
export const OrderReceipt = Named('OrderReceipt', {
  ...listedFields,
  version: fullFields.version,
  external_id: fullFields.external_id,
  replayed: Type.Optional(Type.Literal(true)),
});

/** What a move tells a caller that may not read orders. */
const OrderState = Named(
  'OrderState',
  { id: listedFields.id, status, version: fullFields.version, updated_at: fullFields.updated_at },
  { description: 'For a key without `orders:read`.' },
);

export const MovedOrder = Type.Unsafe<Static<typeof Order> | Static<typeof OrderState>>({ anyOf: [Order, OrderState] });

export const Transition = Named('OrderTransition', {
  to: OneOf(ORDER_STATUSES, {
    description: 'The state that the order is to be in. `x-transitions` has for each state those that an order may go to.',
    'x-transitions': ORDER_TRANSITIONS,
  }),
  reason: Type.Optional(Type.String({ maxLength: 500 })),
  restock: Type.Optional(
    Type.Boolean({
      description: 'With `to: returned`, of an order that has reserved its lines: put back into stock what has not come back before.',
    }),
  ),
  ...EXPECTED_VERSION,
});
