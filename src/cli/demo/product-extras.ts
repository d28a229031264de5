import type { Article } from '../../sample/catalogue.ts';
import type { ExtraPatch } from '../../shop/products/extras.ts';

const FRANC = 0.95;
/** What is packed by weight says so at the end of its name. */
const WEIGHT = /, (\d+) (g|kg)$/;

/** What the shop knows of an article beside its name, its price and its stock. `price` is in cents. */
export function extrasOf({ product_id, name, categories }: Article, price: number): ExtraPatch {
  const [, value, unit] = WEIGHT.exec(name) ?? [];
  const weight = value === undefined ? undefined : JSON.stringify({ value: Number(value), unit });
  const isWorn = product_id.startsWith('TEX-APR');
  const isFood = categories.some((category) => ['Coffee', 'Tea', 'Sweets'].includes(category));
  return {
    sku: JSON.stringify(product_id),
    barcode: JSON.stringify(barcodeOf(product_id)),
    status: JSON.stringify(product_id.endsWith('-3') && isWorn ? 'draft' : 'active'),
    // Who pays in francs pays a round sum.
    prices: JSON.stringify({ CHF: Math.round((price * FRANC) / 50) / 2 }),
    ...(weight !== undefined && { weight }),
    ...(isWorn && { variants: JSON.stringify(['S', 'M', 'L'].map((size) => sizeOf(product_id, size))) }),
    ...(isFood && { attributes: JSON.stringify({ organic: true, keep: 'cool and dry' }) }),
  };
}

function sizeOf(product_id: string, size: string): object {
  const sku = `${product_id}-${size}`;
  return { sku, name: `Size ${size}`, barcode: barcodeOf(sku), options: { size } };
}

/** Thirteen digits that pass for an EAN: from a range that shops use within their own house, with the right last one. */
function barcodeOf(name: string): string {
  let number = 0;
  for (const character of name) number = (number * 31 + (character.codePointAt(0) ?? 0)) % 10_000_000_000;
  const digits = `20${String(number).padStart(10, '0')}`;
  const sum = Array.from(digits).reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return digits + ((10 - (sum % 10)) % 10);
}
