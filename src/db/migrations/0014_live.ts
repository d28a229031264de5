import type { Migration } from '../migration.ts';

const ACTIVE = `('queued', 'running', 'retrying', 'needs_approval')`;

export const live: Migration = {
  number: 14,
  name: 'live',
  statements: (type) => [
    // `live`: the run follows the log of its source. `yields`: its worker is to hand it over at its next checkpoint. `rolled`: it was closed
    // after its time, and another one went on. `lag` is what it last told of how far it is behind.
    `alter table runs add column live bigint not null default 0`,
    `alter table runs add column yields bigint not null default 0`,
    `alter table runs add column rolled bigint not null default 0`,
    `alter table runs add column lag ${type.json}`,
    // One at a time for each synchronization, and beside a live run one that previews or tries rejects again.
    `create unique index runs_one_active on runs (sync_id, live) where status in ${ACTIVE}`,
    `drop index runs_active`,
    `create index runs_live on runs (sync_id, id) where live <> 0`,
    // Whether it is live, beside the definition: so those without a run are found without reading definitions.
    `alter table sync_state add column live bigint not null default 0`,
    `create index sync_state_live on sync_state (sync_id) where live <> 0`,

    // The largest lag within each minute of the last hours, and within each half-hour of the last month: `step` says which, in milliseconds.
    `create table lag_points (
      sync_id ${type.text} not null, step bigint not null, at ${type.text} not null, lag_ms bigint not null, bytes bigint,
      primary key (sync_id, step, at))${type.clustered}`,

    // What sources keep for synchronizations that need it no more, until each is told to forget it. The way to the source is kept as
    // it was: `secrets` are encrypted for the place of \`source_id\`.
    `create table log_releases (
      id ${type.text} primary key, sync_id ${type.text} not null, sync_name ${type.text} not null,
      source_id ${type.text} not null, source_name ${type.text} not null, type ${type.text} not null, config ${type.json} not null,
      secrets ${type.text}, created_at ${type.text} not null, attempts bigint not null, next_at ${type.text} not null, error ${type.text})`,
    `create index log_releases_due on log_releases (next_at)`,
  ],
};
