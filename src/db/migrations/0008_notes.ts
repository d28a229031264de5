import type { Migration } from '../migration.ts';

export const notes: Migration = {
  number: 8,
  name: 'notes',
  statements: (type) => [
    // For a target that keeps nothing of ours: what belongs to the position, as targets with transactions keep it beside theirs.
    `alter table sync_streams add column note ${type.json}`,
  ],
};
