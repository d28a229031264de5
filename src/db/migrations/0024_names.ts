import type { Migration } from '../migration.ts';

const NAMED = ['sources', 'syncs', 'hooks', 'webhooks', 'alerts', 'keys'];
/** The name of a key that is revoked is free again. */
const among = (table: string): string => (table === 'keys' ? ' where revoked_at is null' : '');

/** All but the oldest of those that share a name get another; `by` is what tells them apart. */
function renamed(table: string, by: string): string {
  const counted = `select id, row_number() over (partition by name order by id) as n from ${table}${among(table)}`;
  return `update ${table} set name = name || ' (' || ${by} || ')' from (${counted}) as counted where counted.id = ${table}.id and counted.n > 1`;
}

export const names: Migration = {
  number: 24,
  name: 'names',
  statements: () => [
    // A number is what people would have written; where that is the name of another one, the id is.
    ...NAMED.flatMap((table) => [renamed(table, 'counted.n'), renamed(table, `${table}.id`)]),
    ...NAMED.map((table) => `create unique index ${table}_name on ${table} (name)${among(table)}`),
  ],
};
