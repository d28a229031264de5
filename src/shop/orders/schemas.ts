import { type Static, type TSchema, Type } from '../../lib/schema.ts';
import { Decimal, JsonText, Nullable, OneOf, Strict, Time } from '../../http/schemas.ts';
import { MAX_PRICE } from '../../lib/money.ts';
import { ORDER_STATUSES, ORDER_TRANSITIONS } from './rules.ts';

const ORDER_ID = 'ord_01kfa0v2m3f8rb4v3k7m2t9xqe';
const LATER = 'Later versions of v1 may add values.';

const addressFields = {
  street: Type.String({ minLength: 1, maxLength: 255, description: 'Street and building.' }),
  city: Type.String({ minLength: 1, maxLength: 100 }),
  zip: Type.String({ minLength: 1, maxLength: 20, description: 'Postal code.' }),
  country: Type.Optional(Type.String({ maxLength: 100 })),
  state: Type.Optional(Type.String({ maxLength: 100 })),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  phone: Type.Optional(Type.String({ maxLength: 50 })),
};

export const NewOrder = Strict({
  customer_id: Type.String({ minLength: 1, maxLength: 64 }),
  items: Type.Array(
    Strict({
      product_id: Type.String({ minLength: 1, maxLength: 64 }),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      price: Type.Number({ minimum: 0, maximum: MAX_PRICE, description: 'Unit price, at most four decimals.' }),
    }),
    { minItems: 1, maxItems: 500 },
  ),
  shipping_address: Type.Optional(Strict(addressFields)),
  external_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The order's id in the system it comes from. It stays unique." }),
  ),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['EUR'] })),
  metadata: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Anything of yours, up to 16 KiB as JSON and 32 levels deep.' }),
  ),
});

const status = OneOf(ORDER_STATUSES, { description: LATER });
const listedFields = {
  id: Type.String({ examples: [ORDER_ID] }),
  status,
  total: Decimal({ description: 'Σ quantity × price, exact.', examples: [59.97] }),
  created_at: Time(),
};
const itemsField = Type.Array(
  Strict({
    product_id: Type.String(),
    quantity: Type.Integer(),
    price: Decimal(),
    line_total: Decimal(),
    product_known: Type.Boolean({ description: 'Whether the product was in the catalogue when the order came.' }),
  }),
);
const fullFields = {
  updated_at: Time(),
  version: Type.Integer({ description: 'Goes up by one with every change.' }),
  customer_id: Type.String(),
  currency: Type.String(),
  external_id: Nullable(Type.String()),
  items: itemsField,
  shipping_address: Nullable(Strict(addressFields)),
  metadata: JsonText(Type.Object({}, { additionalProperties: true })),
  history: Type.Array(Strict({ status, at: Time(), reason: Nullable(Type.String()) }), {
    description: 'Every status the order has had, oldest first.',
  }),
};

export const Order = Strict({ ...listedFields, ...fullFields });

/** What a list shows: four fields, and the others when `expand` asks for them. */
export const ListedOrder = Strict({
  ...listedFields,
  ...Object.fromEntries(Object.entries(fullFields).map(([name, schema]) => [name, Type.Optional(schema as TSchema)])),
});

/** What a move tells a caller that may not read orders. */
const OrderState = Strict(
  { id: listedFields.id, status, version: fullFields.version, updated_at: fullFields.updated_at },
  { description: 'For a key without `orders:read`.' },
);

export const MovedOrder = Type.Unsafe<Static<typeof Order> | Static<typeof OrderState>>({ anyOf: [Order, OrderState] });

export const Transition = Strict({
  to: OneOf(ORDER_STATUSES, {
    description: 'The state that the order is to be in. `x-transitions` has for each state those that an order may go to.',
    'x-transitions': ORDER_TRANSITIONS,
  }),
  reason: Type.Optional(Type.String({ maxLength: 500 })),
  expected_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Refuse unless the order is at this version.' }),
  ),
});

export const EXAMPLE_ORDER = {
  id: ORDER_ID,
  status: 'new',
  total: 59.97,
  created_at: '2026-11-01T09:30:00.000Z',
  updated_at: '2026-11-01T09:30:00.000Z',
  version: 1,
  customer_id: 'c-1001',
  currency: 'EUR',
  external_id: null,
  items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99, line_total: 59.97, product_known: true }],
  shipping_address: { street: 'Main St 1', city: 'Springfield', zip: '12345' },
  metadata: {},
  history: [{ status: 'new', at: '2026-11-01T09:30:00.000Z', reason: null }],
};

export const EXAMPLE_MOVED_ORDER = {
  ...EXAMPLE_ORDER,
  status: 'processing',
  updated_at: '2026-11-01T10:00:00.000Z',
  version: 2,
  history: [...EXAMPLE_ORDER.history, { status: 'processing', at: '2026-11-01T10:00:00.000Z', reason: null }],
};

export const EXAMPLE_NEW_ORDER = {
  customer_id: 'c-1001',
  items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99 }],
  shipping_address: { street: 'Main St 1', city: 'Springfield', zip: '12345' },
};
