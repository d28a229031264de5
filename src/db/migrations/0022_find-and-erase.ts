import type { Migration } from '../migration.ts';

export const findAndErase: Migration = {
  number: 22,
  name: 'find-and-erase',
  statements: (type, engine) => [
    // The index of orders, made from them behind the writes: see shop/orders/find. Orders before `upto` are in it as they were at the event `position`,
    // which is number \`seen\` of those that tell of orders.
    `create table order_find_state (position bigint not null, seen bigint not null, upto ${type.text} not null, n bigint not null, last bigint not null, customers bigint not null)`,
    `insert into order_find_state (position, seen, upto, n, last, customers) values (0, 0, '', 0, 0, 0)`,
    // Orders from the id \`start\` up to the next start.
    `create table order_find_segments (number bigint primary key, start ${type.text} not null, n bigint not null)${type.clustered}`,
    // Another \`version\` is other \`data\`: what was read before need not be read again.
    `create table order_find_columns (segment bigint not null, name ${type.text} not null, version bigint not null, data ${type.text} not null, primary key (segment, name))`,
    `create table order_find_pages (segment bigint not null, first ${type.text} not null, data ${type.text} not null, primary key (segment, first))`,
    // To pack what is packed already costs time and gains nothing.
    ...(engine === 'postgres' ? [`alter table order_find_columns alter column data set storage external`] : []),
    // The customers of the orders that are in the index; `customers` of its state is how many they are.
    `create table order_customers (customer_id ${type.text} primary key)${type.clustered}`,

    // That persons were taken out of orders. \`subjects\` (who becomes whom) and \`texts\` (what names them) are there while it is done, and null afterwards: what stays
    // tells nothing of them. \`before\`: only orders before this id. \`step\` is what is to be done next, \`position\` how far the feed was gone through.
    `create table erasures (
      id ${type.text} primary key, step ${type.text} not null, customer_id ${type.text}, subjects ${type.json}, texts ${type.json}, before ${type.text},
      position bigint not null, orders bigint not null, requested_by ${type.text} not null, created_at ${type.text} not null, finished_at ${type.text})`,
    `create index erasures_open on erasures (id) where finished_at is null`,
    // Up to which order those that are too old were looked at.
    `create table erasure_state (upto ${type.text} not null)`,
    `insert into erasure_state (upto) values ('')`,
  ],
};
