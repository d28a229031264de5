import { Named, Nullable } from '../../../http/schemas.ts';
import { NAME, type TSchema, Type } from '../../../lib/schema.ts';
import { EXPECTED_VERSION } from '../deeds/schemas.ts';
import { EXPECTED_TOTAL } from '../members.ts';
import { NewOrder } from '../schemas.ts';

/** What can be changed for as long as the order is kept, and what until something was shipped. */
export const ALWAYS = ['shipping_address', 'billing_address', 'customer', 'payment', 'note', 'tags', 'metadata'] as const;
export const BEFORE_SHIPPING = ['items', 'shipping', 'discounts', 'taxes', 'prices_include_tax'] as const;

const members = NewOrder.properties ?? {};

/** A part of a value: of an object some members, each of which null removes. */
function partOf(schema: TSchema): TSchema {
  if (schema.type !== 'object' || schema.additionalProperties !== false) return schema;
  const { properties = {}, required: _, 'x-required-unless': __, anyOf: ___, oneOf: ____, [NAME]: name, ...rest } = schema;
  const parts = Object.entries(properties).map(([name, member]) => [name, Type.Optional(Nullable(partOf(member)))]);
  const part = Type.Object(Object.fromEntries(parts) as Record<string, TSchema>, rest);
  return name === undefined ? part : Type.Named(`${name.replace(/^New/, '')}Patch`, part);
}

const removable = (name: string): TSchema => Type.Optional(Nullable(partOf(members[name] as TSchema)));

export const OrderPatch = Named('OrderPatch', {
  ...Object.fromEntries(ALWAYS.map((name) => [name, removable(name)])),
  // An order without lines is none.
  items: Type.Optional(members['items'] as TSchema),
  ...Object.fromEntries(BEFORE_SHIPPING.slice(1).map((name) => [name, removable(name)])),
  ...EXPECTED_TOTAL,
  ...EXPECTED_VERSION,
});
