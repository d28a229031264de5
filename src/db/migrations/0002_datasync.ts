import type { Migration } from '../migration.ts';

export const datasync: Migration = {
  number: 2,
  name: 'datasync',
  statements: (type) => [
    // `config` is what may be shown; `secrets` is one encrypted document, bound to the row's id.
    `create table sources (
      id ${type.text} primary key, name ${type.text} not null, type ${type.text} not null, config ${type.json} not null,
      secrets ${type.text}, status ${type.text} not null, status_message ${type.text}, checked_at ${type.text},
      version bigint not null, created_at ${type.text} not null, updated_at ${type.text} not null)`,
    `create table syncs (
      id ${type.text} primary key, name ${type.text} not null, status ${type.text} not null,
      source_id ${type.text} not null references sources (id), target_id ${type.text} not null references sources (id),
      definition ${type.json} not null, version bigint not null, created_at ${type.text} not null, updated_at ${type.text} not null)`,
    `create index syncs_source on syncs (source_id)`,
    `create index syncs_target on syncs (target_id)`,
  ],
};
