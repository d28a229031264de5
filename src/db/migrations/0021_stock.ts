import type { Migration } from '../migration.ts';

export const stock: Migration = {
  number: 21,
  name: 'stock',
  statements: (type) => [
    // JSON of an object: what a product has beyond what every product has, in the order in which it is answered. Null for most.
    `alter table products add column extra ${type.json}`,
    // 1 and 0, or null where nothing was ever said.
    `alter table products add column track_stock bigint`,
    `alter table products add column allow_backorder bigint`,

    // A row for each location of each product whose stock is tracked. Its lock is the lock of the stock. `opened_at` tells one time of being tracked from another.
    `create table stock (
      product_id ${type.text} not null, location ${type.text} not null, on_hand bigint not null, reserved bigint not null check (reserved >= 0),
      backorder bigint not null, opened_at ${type.text} not null, moved_at ${type.text} not null,
      primary key (product_id, location))${type.clustered}`,
    `create table stock_movements (
      product_id ${type.text} not null, id ${type.text} not null, location ${type.text} not null, kind ${type.text} not null,
      delta bigint not null, on_hand bigint not null, reason ${type.text}, order_id ${type.text}, at ${type.text} not null, as_of ${type.text},
      owner ${type.text}, key ${type.text}, place bigint, body_hash ${type.text}, primary key (product_id, id))${type.clustered}`,
    `create unique index stock_movements_key on stock_movements (owner, key, place) where key is not null`,
    // What orders have: promised to them, and taken out for them. It lies in the order of the orders, so that a new one writes at the end.
    `create table stock_holds (
      order_id ${type.text} not null, product_id ${type.text} not null, location ${type.text} not null, held bigint not null,
      shipped bigint not null, opened_at ${type.text} not null, primary key (order_id, product_id, location))${type.clustered}`,
  ],
};
