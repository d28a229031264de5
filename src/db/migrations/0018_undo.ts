import type { Migration } from '../migration.ts';

export const undo: Migration = {
  number: 18,
  name: 'undo',
  statements: (type) => [
    // JSON: when a run was undone, by whom, and what came of it.
    `alter table runs add column undone ${type.json}`,
    `create index runs_undone on runs (id) where undone is not null`,
    // The run that is being undone at this moment, and until when the node that does it is taken to be at work.
    `alter table sync_state add column undo_run ${type.text}`,
    `alter table sync_state add column undo_until ${type.text}`,
    // What is to be forgotten: a `log` that a source keeps, or what a target keeps of runs, for `undo`.
    `alter table log_releases add column what ${type.text} not null default 'log'`,
  ],
};
