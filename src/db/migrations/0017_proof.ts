import type { Migration } from '../migration.ts';

export const proof: Migration = {
  number: 17,
  name: 'proof',
  statements: (type) => [
    // What was found when all streams were compared last: JSON. And when they are to be compared next, where the definition says so.
    `alter table sync_state add column verified ${type.json}`,
    `alter table sync_state add column verify_at ${type.text}`,
    `create index sync_state_verify on sync_state (verify_at) where verify_at is not null`,
  ],
};
