import type { Migration } from '../migration.ts';

/** What runs change all the time, out of the row with the definition, which only people change. */
const MOVED = ['status', 'pause_reason', 'next_run_at', 'token', 'failures', 'seen'];

export const syncState: Migration = {
  number: 10,
  name: 'sync_state',
  // Nodes that keep it elsewhere would not see each other's claims.
  needs: 10,
  statements: (type) => [
    // `status_at` is when it was paused or resumed last; `token` goes up with every claim; `failures` counts failed runs in a row;
    // `seen` is how far a change was noticed.
    `create table sync_state (
      sync_id ${type.text} primary key references syncs (id) on delete cascade, status ${type.text} not null, status_at ${type.text} not null,
      pause_reason ${type.text}, next_run_at ${type.text}, token bigint not null, failures bigint not null, seen bigint not null)`,
    `insert into sync_state (sync_id, status_at, ${MOVED.join(', ')}) select id, updated_at, ${MOVED.join(', ')} from syncs`,
    `create index sync_state_due on sync_state (next_run_at) where next_run_at is not null`,
    `drop index syncs_due`,
    ...MOVED.map((column) => `alter table syncs drop column ${column}`),
  ],
};
