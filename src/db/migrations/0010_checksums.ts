import type { Migration } from '../migration.ts';

export const checksums: Migration = {
  number: 10,
  name: 'checksums',
  statements: (type) => [
    // Of the statements that a step was taken with. Steps from before this was kept get theirs at the first start.
    `alter table migrations add column checksum ${type.text}`,
  ],
};
