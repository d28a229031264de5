import type { Migration } from '../migration.ts';

export const alerts: Migration = {
  number: 13,
  name: 'alerts',
  statements: (type) => [
    // Who is told of what, and how. `channel` is encrypted; `sync_ids` is null for all; `scopes` are those of the caller that saved it.
    `create table alerts (
      id ${type.text} primary key, name ${type.text} not null, channel_type ${type.text} not null, channel ${type.text} not null,
      rules ${type.json} not null, sync_ids ${type.json}, remind_every ${type.text}, quiet_hours ${type.json}, scopes ${type.json} not null,
      version bigint not null, created_at ${type.text} not null, updated_at ${type.text} not null, created_by ${type.text} not null)`,

    // What is wrong, from when to when. One at a time for each rule and object.
    `create table incidents (
      id ${type.text} primary key, rule ${type.text} not null, object_id ${type.text} not null, object_name ${type.text} not null,
      opened_at ${type.text} not null, closed_at ${type.text}, summary ${type.text} not null, details ${type.json} not null)`,
    `create unique index incidents_open on incidents (rule, object_id) where closed_at is null`,
    `create index incidents_closed on incidents (closed_at) where closed_at is not null`,

    // What an alert has told or has still to tell.
    `create table alert_messages (
      id ${type.text} primary key, alert_id ${type.text} not null references alerts (id) on delete cascade,
      incident_id ${type.text} not null references incidents (id) on delete cascade, kind ${type.text} not null, status ${type.text} not null,
      attempts bigint not null, created_at ${type.text} not null, next_at ${type.text}, sent_at ${type.text}, error ${type.text})`,
    `create index alert_messages_open on alert_messages (next_at) where next_at is not null`,
    `create index alert_messages_alert on alert_messages (alert_id, id)`,
    `create index alert_messages_incident on alert_messages (incident_id)`,
  ],
};
