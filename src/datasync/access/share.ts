import { type Connection, first } from '../../db/database.ts';
import { raw, sql } from '../../db/sql.ts';
import { AppError } from '../../lib/errors.ts';
import type { Asking } from './rules.ts';

/** The key whose share something counts for; null for one that may do everything anyway. */
export function shareOf(actor: string, { scopes }: Asking): string | null {
  return scopes.has('admin') ? null : actor;
}

const BOUNDED = {
  sources: { words: 'sources', setting: 'SYNCLINE_SOURCES_PER_KEY' },
  syncs: { words: 'synchronizations', setting: 'SYNCLINE_SYNCS_PER_KEY' },
  webhooks: { words: 'endpoints of webhooks', setting: 'SYNCLINE_WEBHOOKS_PER_KEY' },
  alerts: { words: 'alerts', setting: 'SYNCLINE_ALERTS_PER_KEY' },
} as const;

/** Throws CONFLICT when a key has as many as it may have; 0 for any number. In the transaction that makes one more. */
export async function demandRoom(tx: Connection, table: keyof typeof BOUNDED, share: string | null, most: number): Promise<void> {
  if (share === null || most === 0) return;
  // Of those that are made at the same moment, each counts the others.
  if (tx.engine === 'postgres') await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${share}, 0))`);
  // Alerts belong to who has made them.
  const owner = raw(table === 'alerts' ? 'created_by' : 'share_of');
  const { n } = (await first<{ n: number }>(tx, sql`select count(*) as n from ${raw(table)} where ${owner} = ${share}`)) ?? { n: 0 };
  if (n < most) return;
  const { words, setting } = BOUNDED[table];
  throw new AppError('CONFLICT', `This key has ${n} ${words}, and a key may have ${most}. Delete some, or raise ${setting}.`, {
    reason: `a key may have ${most} ${words} (${setting})`,
  });
}
