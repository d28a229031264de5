import { Decimal, JsonText, Named, Nullable, OneOf } from '../../http/schemas.ts';
import { MAX_PRICE } from '../../lib/money.ts';
import { type TSchema, Type } from '../../lib/schema.ts';

// What a product may have beyond what every product has. All of it is optional, what was not given is not answered, and null takes it away.

const LATER = 'Later versions of v1 may add values.';

const PRODUCT_STATUSES = ['active', 'draft', 'archived'] as const;
const WEIGHT_UNITS = ['g', 'kg', 'oz', 'lb'] as const;

const text = (maxLength: number, description?: string) => Type.String({ minLength: 1, maxLength, ...(description && { description }) });
const free = (description: string, options: object = {}) => Type.Object({}, { additionalProperties: true, description, ...options });

const SKU = 'What you call it where it is kept.';
const PRICES = 'A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`.';
const prices = () => free(`${PRICES} Up to 200, each with at most four decimals.`, { examples: [{ EUR: 19.99, USD: 21.5 }] });
const weight = () =>
  Named('NewWeight', {
    value: Type.Number({ minimum: 0, maximum: MAX_PRICE, description: 'At most four decimals.' }),
    unit: OneOf(WEIGHT_UNITS, { description: LATER }),
  });

const variant = Named('NewProductVariant', {
  sku: text(100, SKU),
  name: Type.Optional(text(255)),
  barcode: Type.Optional(text(100)),
  options: Type.Optional(
    free('What tells it from the others, as text: `{"colour": "blue", "size": "M"}`. Up to 20.', { examples: [{ colour: 'blue' }] }),
  ),
  price: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_PRICE, description: 'At most four decimals. That of the product, when left out.' }),
  ),
  prices: Type.Optional(prices()),
  weight: Type.Optional(weight()),
});
const image = Named('NewProductImage', {
  url: Type.String({ maxLength: 2000, pattern: '^https?://', description: 'Where it is. It is not looked at.' }),
  alt: Type.Optional(text(500, 'What it shows, in words.')),
});

/** What a caller may say; each may be null. */
export const extraInputs = {
  sku: Type.Optional(Nullable(text(100, SKU))),
  barcode: Type.Optional(Nullable(text(100, 'Such as an EAN or a UPC.'))),
  status: Type.Optional(
    Nullable(OneOf(PRODUCT_STATUSES, { description: `For you and your systems; orders are taken whatever it is. ${LATER}` })),
  ),
  prices: Type.Optional(Nullable(prices())),
  weight: Type.Optional(Nullable(weight())),
  variants: Type.Optional(
    Nullable(
      Type.Array(variant, {
        maxItems: 200,
        description: 'Stock is kept by product: a variant whose stock is to be tracked is a product of its own. Each has another `sku`.',
      }),
    ),
  ),
  images: Type.Optional(Nullable(Type.Array(image, { maxItems: 100, description: 'The first is the one that is shown.' }))),
  attributes: Type.Optional(Nullable(free('Anything of yours, up to 16 KiB as JSON and 32 levels deep.'))),
};

export const stockInputs = {
  track_stock: Type.Optional(
    Type.Boolean({
      description:
        'Whether the stock is kept by a ledger, and orders can reserve from it. It begins with `stock_quantity`, at the location `default`.',
    }),
  ),
  allow_backorder: Type.Optional(Type.Boolean({ description: 'Whether orders may reserve more than there is. Only with `track_stock`.' })),
};

const answeredWeight = Named('Weight', { value: Decimal(), unit: OneOf(WEIGHT_UNITS, { description: LATER }) });
const answeredPrices = JsonText(free(PRICES, { examples: [{ EUR: 19.99, USD: 21.5 }] }));

/** What is answered of it. */
export const answeredExtras: Readonly<Record<string, TSchema>> = {
  track_stock: Type.Optional(
    Type.Boolean({ description: 'Whether the stock is kept by a ledger: see `GET /products/{product_id}/stock`.' }),
  ),
  allow_backorder: Type.Optional(Type.Boolean()),
  sku: Type.Optional(Type.String()),
  barcode: Type.Optional(Type.String()),
  status: Type.Optional(OneOf(PRODUCT_STATUSES, { description: LATER })),
  prices: Type.Optional(answeredPrices),
  weight: Type.Optional(answeredWeight),
  variants: Type.Optional(
    Type.Array(
      Named('ProductVariant', {
        sku: Type.String(),
        name: Type.Optional(Type.String()),
        barcode: Type.Optional(Type.String()),
        options: Type.Optional(JsonText(free('What tells it from the others.'))),
        price: Type.Optional(Decimal()),
        prices: Type.Optional(answeredPrices),
        weight: Type.Optional(answeredWeight),
      }),
    ),
  ),
  images: Type.Optional(Type.Array(Named('ProductImage', { url: Type.String(), alt: Type.Optional(Type.String()) }))),
  attributes: Type.Optional(JsonText(free('As it was given.'))),
};
