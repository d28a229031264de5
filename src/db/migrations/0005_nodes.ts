import type { Migration } from '../migration.ts';

export const nodes: Migration = {
  number: 5,
  name: 'nodes',
  statements: (type) => [
    // `needs` is the oldest schema that programs must know to go on after this step; null when it only adds.
    `alter table migrations add column needs bigint`,

    // The processes that share this database. The marks tell whether two of them have the same keys, and nothing about the keys.
    `create table nodes (
      id ${type.text} primary key, host ${type.text} not null, pid bigint not null, role ${type.text} not null, version ${type.text} not null,
      schema_version bigint not null, max_runs bigint not null, started_at ${type.text} not null, seen_at ${type.text} not null,
      clock_ahead_ms bigint not null, secret_marks ${type.json} not null, admin_marks ${type.json})`,
  ],
};
