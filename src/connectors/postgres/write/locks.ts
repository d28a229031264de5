import { createHash } from 'node:crypto';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import type { RelationName } from '../catalogue/names.ts';
import type { Link } from '../wire/link.ts';

/**
 * Two who make or change the same table at the same moment would disturb each other. A writer that finds that its table or the one of the
 * checkpoints is missing also holds off all others in this schema; most find everything as it was, and do not wait for each other.
 */
export async function locksFor(link: Link, { schema, name }: RelationName): Promise<bigint[]> {
  const [found] = await link.query<{ n: string }>(
    `select count(*)::text as n from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname in ($2, $3)`,
    [schema, name, CHECKPOINT_TABLE],
  );
  const ofTable = lockOfTable({ schema, name });
  return found?.n === '2' ? [ofTable] : [lockOf(`syncline ${schema}`), ofTable];
}

/** Held by everybody who makes or changes a table, or what is beside it. */
export function lockOfTable({ schema, name }: RelationName): bigint {
  return lockOf(`syncline ${schema} ${name}`);
}

/** The number of an advisory lock. */
export function lockOf(what: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${createHash('sha256').update(what).digest('hex').slice(0, 16)}`));
}
