import { type Static, Type } from '../../lib/schema.ts';
import { Named, TimeInput } from '../../http/schemas.ts';
import { validatorOf } from '../../http/validate.ts';
import { isoTime, parseTime } from '../../lib/clock.ts';
import { AppError, type FieldError, invalidParam, invalidParams, notFound } from '../../lib/errors.ts';
import { MAX_PRICE, unitsOf } from '../../lib/money.ts';
import type { SyncRefusal } from './commands.ts';
import { extraPatchOf } from './extra-inputs.ts';
import { extraInputs, stockInputs } from './members.ts';
import type { MorePatch, ProductPatch } from './rules.ts';

const DAY = 24 * 60 * 60 * 1000;

const fields = {
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
  ...stockInputs,
  ...extraInputs,
};

export const ProductInput = Named('ProductInput', { product_id: Type.String({ minLength: 1, maxLength: 64 }), ...fields });

/** A change of a product that is there. */
export const ProductChange = Named('ProductChange', {
  ...fields,
  expected_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Change the product only if it has this version.' }),
  ),
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
  const more = moreOf(input);
  if (more) patch.more = more;
  return patch;
}

/** The same for a product that has to be there. */
export function changeOf(productId: string, change: Static<typeof ProductChange>, now: number): ProductPatch {
  const { expected_version, ...input } = change;
  const patch = patchOf({ ...input, product_id: productId }, now);
  return { ...patch, more: { ...patch.more, present: { version: expected_version ?? null } } };
}

function moreOf({ track_stock, allow_backorder, ...input }: Static<typeof ProductInput>): MorePatch | undefined {
  const extras = extraPatchOf(input);
  if ((track_stock ?? allow_backorder ?? extras) === undefined) return undefined;
  return {
    ...(track_stock !== undefined && { track_stock }),
    ...(allow_backorder !== undefined && { allow_backorder }),
    ...(extras && { extras }),
  };
}

/** Why a message made nothing of a product, in the words of the answer. */
export function refusalOf(productId: string, refusal: SyncRefusal): AppError {
  switch (refusal.kind) {
    case 'incomplete':
      return invalidParams(refusal.missing.map((field): FieldError => ({ field, reason: 'is mandatory for a new product' })));
    case 'not_found':
      return notFound('product', productId);
    case 'version_conflict':
      return new AppError('VERSION_CONFLICT', `The product is at version ${refusal.version} by now. Read it again and decide anew.`, {
        field: 'expected_version',
        reason: `the product is at version ${refusal.version}`,
      });
    default:
      return new AppError(
        'CONFLICT',
        `Orders wait for ${amountOf(refusal.units)} of ${productId}. Ship or cancel them before its stock is no longer tracked.`,
        { field: 'track_stock', reason: `${amountOf(refusal.units)} ${refusal.units === 1 ? 'is' : 'are'} reserved` },
      );
  }
}

function amountOf(units: number): string {
  return units === 1 ? '1 unit' : `${units} units`;
}

function asOf(text: string, now: number): string {
  const time = parseTime(text);
  if (!time) throw invalidParam('stock_as_of', 'must be a time such as 2026-11-01T00:00:00Z');
  // A time far ahead, from a clock gone wrong, would turn every honest message that follows into a late one.
  if (time.milliseconds > now + DAY) throw invalidParam('stock_as_of', `must not be later than tomorrow; here it is ${isoTime(now)}`);
  return time.exact;
}
