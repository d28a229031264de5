import type { Migration } from '../migration.ts';

export const orderFind: Migration = {
  number: 20,
  name: 'order-find',
  statements: (type, engine) => [
    // The index of orders, made from them behind the writes: see shop/orders/find. Orders before `upto` are in it as they were at the event `position`,
    // which is number \`seen\` of those that tell of orders.
    `create table order_find_state (position bigint not null, seen bigint not null, upto ${type.text} not null, n bigint not null, last bigint not null)`,
    `insert into order_find_state (position, seen, upto, n, last) values (0, 0, '', 0, 0)`,
    // Orders from the id \`start\` up to the next start.
    `create table order_find_segments (number bigint primary key, start ${type.text} not null, n bigint not null)${type.clustered}`,
    `create table order_find_columns (segment bigint not null, name ${type.text} not null, data ${type.text} not null, primary key (segment, name))`,
    `create table order_find_pages (segment bigint not null, first ${type.text} not null, data ${type.text} not null, primary key (segment, first))`,
    // To pack what is packed already costs time and gains nothing.
    ...(engine === 'postgres' ? [`alter table order_find_columns alter column data set storage external`] : []),
    // The customers of the orders that are in the index.
    `create table order_customers (customer_id ${type.text} primary key)${type.clustered}`,
  ],
};
