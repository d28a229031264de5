import type { Migration } from '../migration.ts';

export const origins: Migration = {
  number: 9,
  name: 'origins',
  statements: (type) => [
    // Where a change came from; null for what came by no request, and for what was written before this was kept.
    `alter table audit add column address ${type.text}`,
    `alter table audit add column request_id ${type.text}`,
    // The pages of one kind of entry, or of all that one actor did.
    `create index audit_action on audit (action, id)`,
    `create index audit_actor on audit (actor, id)`,
  ],
};
