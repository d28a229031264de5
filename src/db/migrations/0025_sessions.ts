import type { Migration } from '../migration.ts';

export const sessions: Migration = {
  number: 25,
  name: 'sessions',
  statements: (type) => [
    // Sign-ins of browsers. Of the token and of the key behind it there is the hash alone. A token of an issuer is in no table: what it may do is kept here.
    `create table sessions (
      id ${type.text} primary key, hash ${type.text} not null, caller ${type.text} not null, key_hash ${type.text}, scopes ${type.json},
      address ${type.text}, created_at ${type.text} not null, expires_at ${type.text} not null, last_used_at ${type.text} not null)`,
    `create unique index sessions_hash on sessions (hash)`,
    `create index sessions_caller on sessions (caller, id)`,
    `create index sessions_end on sessions (expires_at)`,
  ],
};
