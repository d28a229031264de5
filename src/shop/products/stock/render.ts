import type { StockMovement } from './book.ts';
import { type StockLevel, totalOf } from './rules.ts';

/** The stock of a product as JSON text: in all, and at each location. */
export function renderLevels(productId: string, levels: readonly StockLevel[]): string {
  const { on_hand, reserved, available } = totalOf(levels);
  let locations = '';
  for (const level of levels) {
    if (locations) locations += ',';
    locations +=
      `{"location":${JSON.stringify(level.location)},"on_hand":${level.on_hand},"reserved":${level.reserved},` +
      `"available":${level.on_hand - level.reserved}}`;
  }
  return (
    `{"product_id":${JSON.stringify(productId)},"on_hand":${on_hand},"reserved":${reserved},"available":${available},` +
    `"locations":[${locations}]}`
  );
}

/** An entry of the ledger. Which order it was for is told to those only who may read orders, and what there was after it to those who may read products. */
export function renderMovement(movement: StockMovement, shows: { orders: boolean; products: boolean }): string {
  const { id, product_id, location, kind, delta, on_hand, reason, order_id, at, as_of } = movement;
  return JSON.stringify({
    id,
    product_id,
    location,
    kind,
    delta,
    ...(shows.products && { on_hand }),
    reason,
    order_id: shows.orders ? order_id : null,
    as_of,
    at,
  });
}
