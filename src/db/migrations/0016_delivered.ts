import type { Migration } from '../migration.ts';

export const delivered: Migration = {
  number: 16,
  name: 'delivered',
  statements: (type) => [
    // What targets that cannot be read back have accepted. `entries` are lines, one for each record: see engine/delivered/ledger-entries.ts.
    `create table delivered (
      sync_id ${type.text} not null references syncs (id) on delete cascade, target ${type.text} not null, seq bigint not null,
      generation bigint not null, run_id ${type.text} not null, entries ${type.text} not null,
      primary key (sync_id, target, seq))`,
  ],
};
