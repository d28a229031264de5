import type { Migration } from '../migration.ts';

const ENDED = `finished_at is not null and mode not in ('preview', 'verify', 'repair_preview')`;
const SUMMED = ['rows_read', 'inserted', 'updated', 'deleted', 'unchanged', 'rejected', 'bytes'];
const BOUNDS = [1, 5, 15, 60, 300, 900, 3600, 21_600];
const BOUND = `case ${BOUNDS.map((bound) => `when duration_ms <= ${bound * 1000} then ${bound}`).join(' ')} else 0 end`;

export const syncTotals: Migration = {
  number: 23,
  name: 'sync_totals',
  statements: (type) => [
    // What each synchronization has ever done, whichever of its runs are still there.
    `create table sync_totals (
      sync_id ${type.text} not null references syncs (id) on delete cascade, name ${type.text} not null, n bigint not null,
      primary key (sync_id, name))`,
    `insert into sync_totals (sync_id, name, n) select sync_id, 'runs_' || status, count(*) from runs where ${ENDED} group by sync_id, status`,
    ...SUMMED.map(
      (name) =>
        `insert into sync_totals (sync_id, name, n) select sync_id, '${name}', sum(${name}) from runs where ${ENDED} group by sync_id having sum(${name}) > 0`,
    ),
    `insert into sync_totals (sync_id, name, n)
      select sync_id, 'worked_ms', sum(duration_ms) from runs where ${ENDED} and duration_ms is not null and live = 0 group by sync_id`,
    `insert into sync_totals (sync_id, name, n)
      select sync_id, 'worked_' || ${BOUND}, count(*) from runs where ${ENDED} and duration_ms is not null and live = 0 group by sync_id, ${BOUND}`,
  ],
};
