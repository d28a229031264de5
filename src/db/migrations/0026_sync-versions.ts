import type { Migration } from '../migration.ts';

export const syncVersions: Migration = {
  number: 26,
  name: 'sync_versions',
  statements: (type) => [
    // What a synchronization was told to do, as it was saved each time. Secrets are in sources, and so in none of these.
    `create table sync_versions (
      sync_id ${type.text} not null references syncs (id) on delete cascade, version bigint not null, name ${type.text} not null,
      source_id ${type.text} not null, target_id ${type.text} not null, definition ${type.json} not null, saved_at ${type.text} not null,
      actor ${type.text}, fields ${type.json} not null, restored bigint, primary key (sync_id, version))`,
  ],
};
