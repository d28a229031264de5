import type { Lacking } from '../../sql-target/structure/lacking.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import { commentLiteral } from '../write/column-definition.ts';
import type { Wire } from '../wire/connection.ts';

// The comment of the table, which is made with it and gives way to that of the source when all is there. So it is known, whatever dies, which tables are ours to complete, and
// a person who looks at the table sees that it is not complete.
const markOf = (lacking: Lacking, owner: string): string => `Syncline has still to make the ${lacking} of this table (${owner}).`;

/** A comment has at most so many characters. */
const LONGEST_COMMENT = 2048;

/** The option of a table that marks it; `said` is told when it is complete. */
export function markOption(lacking: Lacking, owner: string, said = ''): string {
  return `comment = ${commentLiteral(`${markOf(lacking, owner)}${said === '' ? '' : ` ${said}`}`.slice(0, LONGEST_COMMENT))}`;
}

interface Found {
  readonly lacking: Lacking;
  readonly said: string;
}

/** What is still to be made of a table for this owner; undefined when it is none of ours, or complete. */
export async function lackingOf(wire: Wire, table: string, owner: string): Promise<Found | undefined> {
  const [[comment] = []] = await wire.rows(
    `select table_comment from information_schema.tables where table_schema = database() and table_name = ${textLiteral(table)}`,
  );
  const lacking = (['structure', 'references'] as const).find((each) => comment?.startsWith(markOf(each, owner)));
  return lacking && { lacking, said: comment?.slice(markOf(lacking, owner).length).trim() ?? '' };
}

export async function comment(wire: Wire, table: string, option: string): Promise<void> {
  await wire.run(`alter table ${quote(table)} ${option}`);
}
