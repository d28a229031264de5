import { Named, Nullable, OneOf, Strict, Time } from '../../../http/schemas.ts';
import { type Static, Type } from '../../../lib/schema.ts';
import { MOVEMENT_KINDS } from './book.ts';
import { DEFAULT_LOCATION } from './rules.ts';

const MOST_AT_ONCE = 1000;
const MOST_UNITS = 1_000_000_000_000;

const NewMovement = Named('NewStockMovement', {
  product_id: Type.String({ minLength: 1, maxLength: 64 }),
  location: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `Where; \`${DEFAULT_LOCATION}\` when left out. A location is there as soon as something is.`,
    }),
  ),
  delta: Type.Integer({
    minimum: -MOST_UNITS,
    maximum: MOST_UNITS,
    description: 'How many units came, or, less than 0, went away. Not 0.',
    examples: [12],
  }),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Why, for those who read the ledger.', examples: ['delivery 4711'] }),
  ),
});

const list = Type.Array(NewMovement, { minItems: 1, maxItems: MOST_AT_ONCE });

export const NewMovements = Type.Unsafe<Static<typeof NewMovement> | Static<typeof list>>({ anyOf: [NewMovement, list] });

const units = {
  on_hand: Type.Integer({ description: 'Units that are there.' }),
  reserved: Type.Integer({ description: 'Units of those that orders wait for.' }),
  available: Type.Integer({ description: '`on_hand` − `reserved`. Less than 0 when more was promised than there is.' }),
};

const Movement = Named('StockMovement', {
  id: Type.String({ examples: ['mov_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  product_id: Type.String(),
  location: Type.String(),
  kind: OneOf(MOVEMENT_KINDS, { description: 'Why. Later versions of v1 may add values.' }),
  delta: Type.Integer({ description: 'How many units came, or went away.' }),
  on_hand: Type.Optional(Type.Integer({ description: 'What was at this location after it; to a key with `products:read`.' })),
  reason: Nullable(Type.String()),
  order_id: Nullable(Type.String({ description: 'For which order, to a key with `orders:read`; null to others.' })),
  as_of: Nullable(Time('Of a count: when it was made, if that was earlier.')),
  at: Time(),
});

const movements = Type.Array(Movement);

export const Moved = Type.Unsafe<Static<typeof Movement> | Static<typeof movements>>({ anyOf: [Movement, movements] });

export const ProductStockAnswer = Strict({
  success: Type.Literal(true),
  data: Named('ProductStock', {
    product_id: Type.String(),
    ...units,
    locations: Type.Array(Named('StockOfLocation', { location: Type.String(), ...units }), {
      description: 'None when the stock is not tracked.',
    }),
    track_stock: Type.Boolean(),
    allow_backorder: Type.Boolean(),
    movements: Type.Array(Movement, {
      description: 'The ledger, newest first. Σ `delta` is `on_hand`.',
    }),
  }),
  total: Type.Integer({ description: 'How many entries the ledger has in all, whatever the page.' }),
  next_cursor: Nullable(Type.String({ description: 'Send it as `cursor` for the entries that follow; null on the last page.' })),
});

const RECEIVED = {
  id: 'mov_01kfa0v2m3f8rb4v3k7m2t9xqe',
  product_id: 'mug-blue',
  location: DEFAULT_LOCATION,
  kind: 'adjusted',
  delta: 12,
  on_hand: 52,
  reason: 'delivery 4711',
  order_id: null,
  as_of: null,
  at: '2026-11-01T09:30:00.000Z',
};

export const EXAMPLE_MOVEMENT = { product_id: 'mug-blue', delta: 12, reason: 'delivery 4711' };
export const EXAMPLE_MOVED = { success: true, data: RECEIVED };
export const EXAMPLE_STOCK = {
  success: true,
  data: {
    product_id: 'mug-blue',
    on_hand: 52,
    reserved: 3,
    available: 49,
    locations: [{ location: DEFAULT_LOCATION, on_hand: 52, reserved: 3, available: 49 }],
    track_stock: true,
    allow_backorder: false,
    movements: [RECEIVED],
  },
  total: 1,
  next_cursor: null,
};
