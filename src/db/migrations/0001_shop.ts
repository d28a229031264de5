import type { Migration } from '../migration.ts';

export const shop: Migration = {
  number: 1,
  name: 'shop',
  statements: (type) => [
    `create table counters (name ${type.text} primary key, n bigint not null)`,
    `insert into counters (name, n) values ('events', 0)`,

    `create table events (
      seq ${type.sequence}, topic ${type.text} not null, topic_seq bigint not null,
      type ${type.text} not null, object_id ${type.text} not null, created_at ${type.text} not null, data ${type.json} not null)`,
    `create unique index events_topic on events (topic, seq)`,

    `create table keys (
      id ${type.text} primary key, name ${type.text} not null, scopes ${type.json} not null, rate_limit bigint,
      created_at ${type.text} not null, expires_at ${type.text}, revoked_at ${type.text}, last_used_at ${type.text})`,
    `create table key_secrets (
      hash ${type.text} primary key, key_id ${type.text} not null references keys (id),
      created_at ${type.text} not null, expires_at ${type.text})`,
    `create index key_secrets_key on key_secrets (key_id)`,
    `create table audit (
      id ${type.text} primary key, at ${type.text} not null, actor ${type.text} not null, action ${type.text} not null,
      object_id ${type.text} not null, details ${type.json} not null)`,

    `create table orders (
      id ${type.text} primary key, status ${type.text} not null, total ${type.money} not null,
      created_at ${type.text} not null, updated_at ${type.text} not null, version bigint not null,
      customer_id ${type.text} not null, currency ${type.text} not null, external_id ${type.text},
      items ${type.json} not null, shipping_address ${type.json}, metadata ${type.json} not null)${type.clustered}`,
    `create index orders_status on orders (status, id, total, created_at)`,
    `create index orders_customer on orders (customer_id, id)`,
    `create index orders_updated on orders (updated_at, id)`,
    `create unique index orders_external on orders (external_id) where external_id is not null`,
    `create table order_history (
      order_id ${type.text} not null references orders (id), version bigint not null, status ${type.text} not null,
      at ${type.text} not null, reason ${type.text}, primary key (order_id, version))${type.clustered}`,
    `create table order_blocks (
      start ${type.text} not null, status ${type.text} not null, n bigint not null,
      primary key (start, status))${type.clustered}`,
    `insert into order_blocks (start, status, n) values ('', '*', 0)`,

    `create table idempotency_keys (
      owner ${type.text} not null, key ${type.text} not null, body_hash ${type.text} not null,
      order_id ${type.text} not null, expires_at ${type.text} not null, primary key (owner, key))${type.clustered}`,
    `create index idempotency_keys_expiry on idempotency_keys (expires_at)`,

    `create table products (
      product_id ${type.text} primary key, name ${type.text} not null, price ${type.money} not null,
      stock_quantity bigint not null, categories ${type.json} not null, version bigint not null,
      created_at ${type.text} not null, updated_at ${type.text} not null, stock_as_of ${type.text},
      search ${type.text} not null)${type.clustered}`,
    `create index products_updated on products (updated_at, product_id)`,
    `create table product_categories (
      category ${type.text} not null, product_id ${type.text} not null,
      primary key (category, product_id))${type.clustered}`,
  ],
};
