import { type Static, Type } from '../../lib/schema.ts';
import { Strict, TimeInput } from '../../http/schemas.ts';
import { validatorOf } from '../../http/validate.ts';
import { isoTime, parseTime } from '../../lib/clock.ts';
import { type AppError, type FieldError, invalidParam, invalidParams } from '../../lib/errors.ts';
import { MAX_PRICE, unitsOf } from '../../lib/money.ts';
import type { ProductPatch } from './rules.ts';

const DAY = 24 * 60 * 60 * 1000;

export const ProductInput = Strict({
  product_id: Type.String({ minLength: 1, maxLength: 64 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Mandatory for a new product.' })),
  price: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_PRICE, description: 'At most four decimals. Mandatory for a new product.' })),
  stock_quantity: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Units in stock; 0 for a new product.' }),
  ),
  categories: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Category names; none for a new product.',
    }),
  ),
  stock_as_of: Type.Optional(TimeInput('When you looked at the stock. A message with an older time than the stored one changes nothing.')),
});

const validate = validatorOf(ProductInput);

/** Checks one product of a batch as the single operation would; throws INVALID_PARAMS. */
export function checkedPatch(input: unknown, now: number): ProductPatch {
  return patchOf(validate(input) as Static<typeof ProductInput>, now);
}

/** Turns a body that fits the schema into a patch; throws INVALID_PARAMS for what a schema cannot say. */
export function patchOf(input: Static<typeof ProductInput>, now: number): ProductPatch {
  const patch: ProductPatch = { product_id: input.product_id };
  if (input.name !== undefined) patch.name = input.name;
  if (input.price !== undefined) {
    if (unitsOf(input.price) === undefined) throw invalidParam('price', 'must have at most 4 decimals');
    // With four decimals at most and below the limit, a double is written as the decimal that it stands for.
    patch.price = String(input.price);
  }
  // Adding zero makes the −0 that JSON allows an ordinary zero.
  if (input.stock_quantity !== undefined) patch.stock_quantity = input.stock_quantity + 0;
  if (input.categories !== undefined) patch.categories = JSON.stringify(input.categories);
  if (input.stock_as_of !== undefined) patch.stock_as_of = asOf(input.stock_as_of, now);
  return patch;
}

export function incomplete(missing: readonly string[]): AppError {
  return invalidParams(missing.map((field): FieldError => ({ field, reason: 'is mandatory for a new product' })));
}

function asOf(text: string, now: number): string {
  const time = parseTime(text);
  if (!time) throw invalidParam('stock_as_of', 'must be a time such as 2026-11-01T00:00:00Z');
  // A time far ahead, from a clock gone wrong, would turn every honest message that follows into a late one.
  if (time.milliseconds > now + DAY) throw invalidParam('stock_as_of', `must not be later than tomorrow; here it is ${isoTime(now)}`);
  return time.exact;
}
