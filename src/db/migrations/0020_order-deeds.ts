import type { Migration } from '../migration.ts';

export const orderDeeds: Migration = {
  number: 20,
  name: 'order-deeds',
  statements: (type) => [
    // How far an order is shipped, and paid. Null where nothing is known of it.
    `alter table orders add column fulfillment_status ${type.text}`,
    `alter table orders add column payment_status ${type.text}`,
    // JSON of an object: what was done with an order since it came (fulfilments, returns, refunds, changes). Null for most.
    `alter table orders add column since ${type.json}`,
    // JSON of an object: of an order that was changed, the columns as they were when it came.
    `alter table orders add column as_created ${type.json}`,
    // The first answer, where it cannot be made again from the row of the order.
    `alter table idempotency_keys add column answer ${type.json}`,
  ],
};
