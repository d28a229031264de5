import type { Migration } from '../migration.ts';

export const hooks: Migration = {
  number: 12,
  name: 'hooks',
  statements: (type) => [
    // `wanted` counts how often a run was asked for by something that does not wait for it: a call from outside, the run before it in a chain.
    // A run has seen what was wanted when it was put in the queue.
    `alter table sync_state add column wanted bigint not null default 0`,
    `alter table sync_state add column wanted_seen bigint not null default 0`,
    `create index sync_state_wanted on sync_state (sync_id) where wanted > wanted_seen`,
    // The synchronization that runs before this one in a chain, as its schedule says.
    `alter table syncs add column after_id ${type.text}`,
    `create index syncs_after on syncs (after_id) where after_id is not null`,

    // `calls` is the sequence of the last call. `secrets` are encrypted. `header` is where a shared secret is sent.
    `create table hooks (
      id ${type.text} primary key, name ${type.text} not null, scheme ${type.text} not null, header ${type.text}, secrets ${type.text},
      sync_id ${type.text} references syncs (id) on delete set null, calls bigint not null, last_call_at ${type.text},
      refused bigint not null, refused_at ${type.text}, refused_reason ${type.text}, version bigint not null,
      created_at ${type.text} not null, updated_at ${type.text} not null, created_by ${type.text} not null)`,
    `create index hooks_sync on hooks (sync_id) where sync_id is not null`,
    `create table hook_tokens (
      hash ${type.text} primary key, hook_id ${type.text} not null references hooks (id) on delete cascade,
      created_at ${type.text} not null, expires_at ${type.text})`,
    `create index hook_tokens_hook on hook_tokens (hook_id)`,

    // `sender_id` is what the sender calls this message; the same one is kept once. `encoding` tells how `body` is written: utf8 or base64.
    `create table hook_calls (
      hook_id ${type.text} not null references hooks (id) on delete cascade, seq bigint not null, sender_id ${type.text},
      received_at ${type.text} not null, headers ${type.json} not null, body ${type.text} not null, encoding ${type.text} not null,
      primary key (hook_id, seq))${type.clustered}`,
    `create unique index hook_calls_sender on hook_calls (hook_id, sender_id) where sender_id is not null`,
    `create index hook_calls_received on hook_calls (received_at)`,
  ],
};
