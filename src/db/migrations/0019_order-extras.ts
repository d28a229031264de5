import type { Migration } from '../migration.ts';

export const orderExtras: Migration = {
  number: 19,
  name: 'order-extras',
  statements: (type) => [
    // JSON of an object: what an order has beyond what every order has, in the order in which it is answered. Null for most.
    `alter table orders add column extra ${type.json}`,
    // JSON of a list: the history that an order brought with it when it was placed elsewhere.
    `alter table orders add column past ${type.json}`,
  ],
};
