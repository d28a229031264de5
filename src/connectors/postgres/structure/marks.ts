import type { Lacking } from '../../sql-target/structure/lacking.ts';
import { quoteRelation, quoteText, type RelationName } from '../catalogue/names.ts';
import type { Link } from '../wire/link.ts';

// It is made with the table, in one transaction, and goes with the last that is made: the comment of the source takes its place. So it is known, whatever dies, which tables
// are ours to complete, and a person who looks at the table sees that it is not complete.
const markOf = (lacking: Lacking, owner: string): string => `Syncline has still to make the ${lacking} of this table (${owner}).`;

export function mark(table: RelationName, lacking: Lacking, owner: string): string {
  return `comment on table ${quoteRelation(table)} is ${quoteText(markOf(lacking, owner))}`;
}

/** What is still to be made of a table for this owner; undefined when it is none of ours, or complete. */
export async function lackingOf(link: Link, { schema, name }: RelationName, owner: string): Promise<Lacking | undefined> {
  const [row] = await link.query<{ comment: string | null }>(
    `select pg_catalog.obj_description(c.oid, 'pg_class') as comment from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2 and c.relkind = 'r'`,
    [schema, name],
  );
  return (['structure', 'references'] as const).find((lacking) => row?.comment === markOf(lacking, owner));
}
