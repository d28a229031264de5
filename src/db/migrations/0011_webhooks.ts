import type { Migration } from '../migration.ts';

export const webhooks: Migration = {
  number: 11,
  name: 'webhooks',
  statements: (type) => [
    // Work that one node does for all of them: the one that has the lease. `token` goes up with every change of hands.
    `create table duties (
      name ${type.text} primary key, node ${type.text} not null, lease_until ${type.text} not null, token bigint not null)`,

    // `scopes` are those of the caller that saved it: an endpoint is told no more than that one may read. `share_of` is the key that it counts for. `secrets` and `headers` are encrypted.
    `create table webhooks (
      id ${type.text} primary key, name ${type.text} not null, url ${type.text} not null, types ${type.json} not null, condition ${type.text},
      payload ${type.text} not null, signature ${type.text} not null, secrets ${type.text} not null, headers ${type.text},
      max_in_flight bigint not null, rate bigint, scopes ${type.json} not null, version bigint not null,
      created_at ${type.text} not null, updated_at ${type.text} not null, share_of ${type.text})`,

    // What deliveries change all the time. Each event up to `position` needs no look any more: it was not meant, or has a delivery of its own.
    `create table webhook_state (
      webhook_id ${type.text} primary key references webhooks (id) on delete cascade, status ${type.text} not null, status_at ${type.text} not null,
      reason ${type.text}, position bigint not null, failures bigint not null, failing_since ${type.text}, try_at ${type.text},
      last_delivered_at ${type.text})`,

    // One event for one endpoint. `log` holds its last attempts.
    `create table webhook_deliveries (
      webhook_id ${type.text} not null references webhooks (id) on delete cascade, seq bigint not null, type ${type.text} not null,
      object_id ${type.text} not null, status ${type.text} not null, attempts bigint not null, created_at ${type.text} not null,
      updated_at ${type.text} not null, next_at ${type.text}, response_status bigint, duration_ms bigint, error ${type.text}, log ${type.json},
      primary key (webhook_id, seq))${type.clustered}`,
    `create index webhook_deliveries_open on webhook_deliveries (webhook_id, seq) where status = 'waiting'`,
    `create index webhook_deliveries_failed on webhook_deliveries (webhook_id, seq) where status = 'failed'`,
    `create index webhook_deliveries_over on webhook_deliveries (updated_at) where status <> 'waiting'`,
  ],
};
