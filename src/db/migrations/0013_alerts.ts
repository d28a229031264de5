import type { Migration } from '../migration.ts';

export const alerts: Migration = {
  number: 13,
  name: 'alerts',
  statements: (type) => [
    // Who is told of what, and how. `secrets` are those of the channel, encrypted; `sync_ids` is null for all; `scopes` are those of the
    // caller that saved it. The last three tell how well it gets through.
    `create table alerts (
      id ${type.text} primary key, name ${type.text} not null, channel_type ${type.text} not null, channel ${type.json} not null,
      secrets ${type.text} not null, rules ${type.json} not null, sync_ids ${type.json}, remind_every ${type.text}, quiet_hours ${type.json},
      scopes ${type.json} not null, version bigint not null, created_at ${type.text} not null, updated_at ${type.text} not null,
      created_by ${type.text} not null, sent_at ${type.text}, error ${type.text}, error_at ${type.text})`,

    // What is wrong, from when to when. One at a time for each rule and object. `ending` says in words why it is over.
    `create table incidents (
      id ${type.text} primary key, rule ${type.text} not null, object_id ${type.text} not null, object_name ${type.text} not null,
      opened_at ${type.text} not null, closed_at ${type.text}, summary ${type.text} not null, details ${type.json} not null,
      ending ${type.text})`,
    `create unique index incidents_open on incidents (rule, object_id) where closed_at is null`,
    `create index incidents_closed on incidents (closed_at) where closed_at is not null`,

    // The incidents that alerts know of as open, and when they want to be reminded.
    `create table alert_incidents (
      alert_id ${type.text} not null references alerts (id) on delete cascade,
      incident_id ${type.text} not null references incidents (id) on delete cascade, remind_at ${type.text},
      primary key (alert_id, incident_id))${type.clustered}`,
    `create index alert_incidents_incident on alert_incidents (incident_id)`,

    // What an alert has told or has still to tell.
    `create table alert_messages (
      id ${type.text} primary key, alert_id ${type.text} not null references alerts (id) on delete cascade,
      incident_id ${type.text} not null references incidents (id) on delete cascade, kind ${type.text} not null, status ${type.text} not null,
      attempts bigint not null, created_at ${type.text} not null, next_at ${type.text}, sent_at ${type.text}, error ${type.text})`,
    `create index alert_messages_open on alert_messages (next_at) where next_at is not null`,
    `create index alert_messages_due on alert_messages (alert_id, next_at, id) where next_at is not null`,
    `create index alert_messages_waiting on alert_messages (alert_id, incident_id, id) where next_at is not null`,
    `create index alert_messages_alert on alert_messages (alert_id, id)`,
    `create index alert_messages_incident on alert_messages (incident_id)`,

    // How often a run is expected to succeed, in milliseconds, beside the definition: so it is found without reading definitions.
    `alter table syncs add column expect_ms bigint`,
    `create index syncs_expected on syncs (id) where expect_ms is not null`,

    // What the last run that noticed it said of fields that have changed, as a list of sentences; null when a later one found them as they were.
    `alter table sync_state add column schema_notices ${type.json}`,
    `alter table sync_state add column schema_noticed_at ${type.text}`,
    `create index sync_state_noticed on sync_state (sync_id) where schema_notices is not null`,
    `create index sync_state_failing on sync_state (sync_id) where failures > 0`,

    // How much room the data directory of a node has, in bytes.
    `alter table nodes add column disk_free bigint`,
    `alter table nodes add column disk_size bigint`,

    `create index keys_expiring on keys (expires_at) where expires_at is not null and revoked_at is null`,
  ],
};
