import type { Migration } from '../migration.ts';

const ACTIVE = `('queued', 'running', 'retrying', 'needs_approval')`;

export const runs: Migration = {
  number: 3,
  name: 'runs',
  statements: (type) => [
    // `token` goes up with every claim; `failures` counts failed runs in a row; `seen` is how far a change was noticed.
    `alter table syncs add column token bigint not null default 0`,
    `alter table syncs add column failures bigint not null default 0`,
    `alter table syncs add column pause_reason ${type.text}`,
    `alter table syncs add column next_run_at ${type.text}`,
    `alter table syncs add column seen bigint not null default 0`,
    `create index syncs_due on syncs (next_run_at) where next_run_at is not null`,

    // What is remembered of a stream between runs; a stream is known by its name at the target.
    `create table sync_streams (
      sync_id ${type.text} not null references syncs (id) on delete cascade, target ${type.text} not null,
      generation bigint not null, fields ${type.json}, position ${type.text}, rows bigint,
      primary key (sync_id, target))${type.clustered}`,

    // `slot` is the due time of a scheduled run: no slot runs twice. `report` is the list of streams with their counts.
    // `retries` counts tries again after an error that may heal; `attempt` counts those after a crash too. `crashes` counts those in a
    // row that got no further than `headway`.
    `create table runs (
      id ${type.text} primary key, sync_id ${type.text} not null references syncs (id) on delete cascade,
      status ${type.text} not null, "trigger" ${type.text} not null, mode ${type.text} not null, attempt bigint not null,
      retries bigint not null, crashes bigint not null, headway bigint not null, streams ${type.json}, slot ${type.text}, created_at ${type.text} not null, not_before ${type.text} not null,
      started_at ${type.text}, finished_at ${type.text}, duration_ms bigint,
      node ${type.text}, lease_until ${type.text}, token bigint, approved bigint not null, cancelled bigint not null,
      report ${type.json} not null, rows_read bigint not null, inserted bigint not null, updated bigint not null,
      deleted bigint not null, unchanged bigint not null, rejected bigint not null, bytes bigint not null, error ${type.json})`,
    `create index runs_sync on runs (sync_id, id)`,
    // The run that says how a synchronization is doing, however many were skipped since.
    `create index runs_last on runs (sync_id, id) where finished_at is not null and mode <> 'preview' and status <> 'skipped'`,
    `create index runs_status on runs (status, id)`,
    `create unique index runs_slot on runs (sync_id, slot) where slot is not null`,
    // One at a time for each synchronization.
    `create unique index runs_active on runs (sync_id) where status in ${ACTIVE}`,
    `create index runs_waiting on runs (not_before) where status in ('queued', 'retrying')`,
    `create index runs_leased on runs (lease_until) where status = 'running'`,
    `create index runs_finished on runs (finished_at) where finished_at is not null`,

    // Rows that were put aside: one for each row of the source, however often it is seen.
    `create table rejects (
      id ${type.text} primary key, sync_id ${type.text} not null references syncs (id) on delete cascade,
      stream ${type.text} not null, target ${type.text} not null, identity ${type.text} not null,
      first_run_id ${type.text} not null, last_run_id ${type.text} not null, key ${type.json}, row ${type.json} not null,
      field ${type.text}, reason ${type.text} not null, unreadable bigint not null,
      created_at ${type.text} not null, updated_at ${type.text} not null, resolved_at ${type.text})`,
    `create unique index rejects_identity on rejects (sync_id, target, identity)`,
    `create index rejects_run on rejects (sync_id, last_run_id)`,
    `create index rejects_open on rejects (sync_id, target, identity) where resolved_at is null`,
    `create index rejects_resolved on rejects (resolved_at) where resolved_at is not null`,
  ],
};
