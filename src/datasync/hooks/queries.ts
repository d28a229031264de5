import { command, type Connection, first } from '../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../db/page-bytes.ts';
import { integer, sql } from '../../db/sql.ts';
import type { PageRequest } from '../../http/paging.ts';
import type { SchemeName } from './schemes.ts';

/** An address that other systems call, with a row in `hooks`. */
export interface HookRow {
  id: string;
  name: string;
  scheme: SchemeName;
  /** Where a shared secret is sent. */
  header: string | null;
  /** Sealed: a list of HookSecret. */
  secrets: string | null;
  sync_id: string | null;
  /** How many calls were taken, which is the sequence of the last one. */
  calls: number;
  last_call_at: string | null;
  refused: number;
  refused_at: string | null;
  refused_reason: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  created_by: string;
}

/** What the sender signs with; the ones before the last work until they expire. */
export interface HookSecret {
  secret: string;
  created_at: string;
  expires_at: string | null;
}

export function findHook(db: Connection, id: string): Promise<HookRow | undefined> {
  return first<HookRow>(db, sql`select * from hooks where id = ${id}`);
}

export function allHooks(db: Connection): Promise<HookRow[]> {
  return db.all<HookRow>(sql`select * from hooks order by id`);
}

/** The hook that a token leads to, if it still does. */
export function findHookByToken(db: Connection, hash: string, now: string): Promise<HookRow | undefined> {
  return first<HookRow>(
    db,
    sql`select hooks.* from hook_tokens join hooks on hooks.id = hook_tokens.hook_id
    where hash = ${hash} and (expires_at is null or expires_at > ${now})`,
  );
}

/** Hooks, newest first, and how many there are in all. On one snapshot. */
export const listHooks = command(
  import.meta.url,
  'listHooks',
  async (db, { limit, offset, after }: PageRequest): Promise<{ rows: HookRow[]; total: number; limit: number }> => {
    const place = after === undefined ? sql`true` : sql`id < ${after}`;
    const [rows, counted] = await Promise.all([
      db.all<HookRow>(sql`select * from hooks where ${place} order by id desc limit ${integer(limit + 1)} offset ${offset}`),
      first<{ n: number }>(db, sql`select count(*) as n from hooks`),
    ]);
    return { rows, total: counted?.n ?? 0, limit };
  },
);

/** A call that was taken. `encoding` tells how `body` is written. */
export interface CallRow {
  seq: number;
  sender_id: string | null;
  received_at: string;
  headers: string;
  body: string;
  encoding: 'utf8' | 'base64';
}

const CALL_BYTES = bytesOf('body', 'headers');

/** Calls of a hook, newest first, as many as fit into a page and one more when there are more; and how many there are. On one snapshot. */
export const listCalls = command(
  import.meta.url,
  'listCalls',
  async (
    db,
    { hookId, limit: most, offset, after }: PageRequest & { hookId: string },
  ): Promise<{ rows: CallRow[]; total: number; limit: number }> => {
    const place = after === undefined ? sql`true` : sql`seq < ${Number(after.slice(after.lastIndexOf('.') + 1))}`;
    const page = (count: number) => sql`where hook_id = ${hookId} and ${place} order by seq desc limit ${integer(count)} offset ${offset}`;
    const limit = await rowsThatFit(db, sql`select ${CALL_BYTES} as bytes from hook_calls ${page(most)}`, most);
    const [rows, counted] = await Promise.all([
      db.all<CallRow>(sql`select seq, sender_id, received_at, headers, body, encoding from hook_calls ${page(limit + 1)}`),
      first<{ n: number }>(db, sql`select count(*) as n from hook_calls where hook_id = ${hookId}`),
    ]);
    return { rows, total: counted?.n ?? 0, limit };
  },
);

/** Calls behind a sequence, in their order, as many as fit into a page. */
export const readCalls = command(
  import.meta.url,
  'readCalls',
  async (db, { hookId, after, most }: { hookId: string; after: number; most: number }): Promise<CallRow[]> => {
    const page = (count: number) => sql`where hook_id = ${hookId} and seq > ${after} order by seq limit ${integer(count)}`;
    const limit = await rowsThatFit(db, sql`select ${CALL_BYTES} as bytes from hook_calls ${page(most)}`, most);
    return db.all<CallRow>(sql`select seq, sender_id, received_at, headers, body, encoding from hook_calls ${page(limit)}`);
  },
);

/** What a call is called. */
export function callId(hookId: string, seq: number): string {
  return `${hookId}.${seq}`;
}
