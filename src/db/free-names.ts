import { AppError } from '../lib/errors.ts';
import { type Connection, first } from './database.ts';
import { raw, sql } from './sql.ts';

/** What people know by its name: no two of a kind have the same. What one of each is called. */
const NAMED = {
  sources: 'source',
  syncs: 'synchronization',
  hooks: 'hook',
  webhooks: 'endpoint',
  alerts: 'alert',
  keys: 'key',
} as const;

export type NamedTable = keyof typeof NAMED;

/** Throws CONFLICT when another one has this name. In the transaction that gives it; a key that is revoked has left its name to others. */
export async function demandFreeName(tx: Connection, table: NamedTable, name: string, id: string): Promise<void> {
  const other = await namesake(tx, table, name, id);
  if (!other) return;
  const one = NAMED[table];
  throw new AppError(
    'CONFLICT',
    `There is ${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one} "${name}" already, ${other.id}. Choose another name.`,
    {
      field: 'name',
      reason: `is the name of ${other.id}`,
    },
  );
}

/** The name itself, or with a number behind it when another one has it. */
export async function freeName(tx: Connection, table: NamedTable, name: string): Promise<string> {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name} (${count})`;
    if (!(await namesake(tx, table, candidate, ''))) return candidate;
  }
}

async function namesake(tx: Connection, table: NamedTable, name: string, id: string): Promise<{ id: string } | undefined> {
  // Of those that take a name at the same moment, each sees the others.
  if (tx.engine === 'postgres') await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`name of ${table}: ${name}`}, 0))`);
  const isUsed = raw(table === 'keys' ? 'revoked_at is null' : 'true');
  return first(tx, sql`select id from ${raw(table)} where name = ${name} and id <> ${id} and ${isUsed}`);
}
