import { type FieldError, invalidParam, invalidParams } from '../../lib/errors.ts';
import { metadataText } from '../../lib/metadata.ts';
import { MAX_PRICE, unitsOf } from '../../lib/money.ts';
import type { Static } from '../../lib/schema.ts';
import { EXTRA_NAMES, type ExtraPatch } from './extras.ts';
import type { extraInputs } from './members.ts';

type Input = { [Name in (typeof EXTRA_NAMES)[number]]?: Static<(typeof extraInputs)[Name]> };
type VariantInput = NonNullable<Input['variants']>[number];

/** What the extras of one message may be as JSON, in bytes: a page of products has to fit into memory. */
const MAX_BYTES = 48 * 1024;
const MAX_CURRENCIES = 200;
const MAX_OPTIONS = 20;

/** What a message says beyond what every product has, as JSON text; throws INVALID_PARAMS for what a schema cannot say. */
export function extraPatchOf(input: Input): ExtraPatch | undefined {
  const given = EXTRA_NAMES.filter((name) => input[name] !== undefined);
  if (given.length === 0) return undefined;
  const faults = [
    ...pricesFaults(input.prices, 'prices'),
    ...weightFaults(input.weight, 'weight'),
    ...variantsFaults(input.variants ?? []),
  ];
  if (faults.length > 0) throw invalidParams(faults);
  const patch: ExtraPatch = {};
  let bytes = 0;
  for (const name of given) {
    const value = input[name];
    if (value === null || value === undefined) patch[name] = null;
    else {
      const text = name === 'attributes' ? metadataText(value as object, name) : JSON.stringify(value);
      patch[name] = text;
      bytes += Buffer.byteLength(text);
      if (bytes > MAX_BYTES) throw invalidParam(name, `is too much: ${EXTRA_NAMES.join(', ')} have at most 48 KiB together, as JSON`);
    }
  }
  return patch;
}

function pricesFaults(prices: object | null | undefined, field: string): FieldError[] {
  const entries = Object.entries(prices ?? {}) as [string, unknown][];
  if (entries.length > MAX_CURRENCIES) return [{ field, reason: `must have at most ${MAX_CURRENCIES} currencies` }];
  return entries.flatMap(([currency, price]): FieldError[] => {
    const place = `${field}.${currency.slice(0, 20)}`;
    if (!/^[A-Z]{3}$/.test(currency)) return [{ field: place, reason: 'must be a code of three capital letters, such as EUR' }];
    if (typeof price !== 'number' || price < 0 || price > MAX_PRICE)
      return [{ field: place, reason: `must be a number from 0 to ${MAX_PRICE}` }];
    return unitsOf(price) === undefined ? [{ field: place, reason: 'must have at most 4 decimals' }] : [];
  });
}

function weightFaults(weight: { value: number } | null | undefined, field: string): FieldError[] {
  return weight && unitsOf(weight.value) === undefined ? [{ field: `${field}.value`, reason: 'must have at most 4 decimals' }] : [];
}

function variantsFaults(variants: readonly VariantInput[]): FieldError[] {
  const known = new Set<string>();
  return variants.flatMap(({ sku, price, prices, weight, options }, index) => {
    const field = `variants[${index}]`;
    const faults = [
      ...pricesFaults(prices, `${field}.prices`),
      ...weightFaults(weight, `${field}.weight`),
      ...optionsFaults(options, field),
    ];
    if (price !== undefined && unitsOf(price) === undefined)
      faults.push({ field: `${field}.price`, reason: 'must have at most 4 decimals' });
    if (known.has(sku)) faults.push({ field: `${field}.sku`, reason: 'must not be that of another variant' });
    known.add(sku);
    return faults;
  });
}

function optionsFaults(options: object | undefined, field: string): FieldError[] {
  const entries = Object.entries(options ?? {}) as [string, unknown][];
  if (entries.length > MAX_OPTIONS) return [{ field: `${field}.options`, reason: `must have at most ${MAX_OPTIONS} entries` }];
  const isFine = ([name, value]: [string, unknown]): boolean => name.length <= 100 && typeof value === 'string' && value.length <= 255;
  return entries.every(isFine)
    ? []
    : [{ field: `${field}.options`, reason: 'must have names of up to 100 and texts of up to 255 characters' }];
}
