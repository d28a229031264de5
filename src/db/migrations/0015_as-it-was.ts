import type { Migration } from '../migration.ts';

export const asItWas: Migration = {
  number: 15,
  name: 'as-it-was',
  statements: (type) => [
    // JSON, `type` and `id`: the hook whose call, or the run whose end, asked for a run last; and the same of a run that was started so.
    `alter table sync_state add column wanted_by ${type.json}`,
    `alter table runs add column triggered_by ${type.json}`,
    // The incident as it was when the message was made; null in messages of earlier versions.
    `alter table alert_messages add column object_name ${type.text}`,
    `alter table alert_messages add column summary ${type.text}`,
    `alter table alert_messages add column details ${type.json}`,
  ],
};
