import { aborted, OutsideError } from '../../../outside/errors.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Link } from '../wire/link.ts';
import { sqlState } from '../wire/sql-errors.ts';
import { inWords, oldestTransactions } from './old-transactions.ts';
import { slotGone, slotInvalid, slotMoved } from './gaps.ts';
import { endOfRecord, parseLsn } from './position.ts';

interface ReplicationSlot {
  readonly database: string;
  /** The process that has it at the moment. */
  readonly reader: string | null;
  /** From where the server keeps its log. */
  readonly restart: bigint | undefined;
  /** Up to where it was told that we have everything. */
  readonly confirmed: bigint | undefined;
  /** Why it is of no use any more. */
  readonly invalid: string | undefined;
}

// Newer servers have more columns: by way of JSON, one that is missing is null.
const FIND = `
  select s.database, s.active_pid::text as reader, s.restart_lsn::text as restart, s.confirmed_flush_lsn::text as confirmed, s.wal_status as status,
    to_jsonb(s)->>'invalidation_reason' as reason, to_jsonb(s)->>'conflicting' as conflicting
  from pg_catalog.pg_replication_slots s where s.slot_name = $1`;

export async function findSlot(link: Link, name: string): Promise<ReplicationSlot | undefined> {
  const [row] = await link.query(FIND, [name]);
  if (!row) return undefined;
  const isLost = row['status'] === 'lost' || row['reason'] != null || row['conflicting'] === 'true';
  return {
    database: row['database'] ?? '',
    reader: row['reader'] ?? null,
    restart: row['restart'] ? parseLsn(row['restart']) : undefined,
    confirmed: row['confirmed'] ? parseLsn(row['confirmed']) : undefined,
    invalid: isLost ? (row['reason'] ?? 'wal_removed').replaceAll('_', ' ') : undefined,
  };
}

interface KeptNow {
  /** From where the log is kept for each slot that is there. */
  readonly restarts: ReadonlyMap<string, bigint>;
  /** Where it ends. */
  readonly lsn: bigint;
}

/** What is kept for slots, by their names. This is asked all the time. */
export async function keptNow(link: Link, names: readonly string[]): Promise<KeptNow> {
  const [row] = await link.query(
    `select (select json_agg(json_build_array(s.slot_name, s.restart_lsn::text)) from pg_catalog.pg_replication_slots s
      where s.restart_lsn is not null and s.slot_name = any(array(select json_array_elements_text($1::json))))::text as restarts, pg_current_wal_insert_lsn()::text as lsn`,
    [JSON.stringify(names)],
  );
  const restarts = JSON.parse(row?.['restarts'] ?? '[]') as [string, string][];
  return {
    restarts: new Map(restarts.map(([name, lsn]) => [name, parseLsn(lsn)])),
    lsn: endOfRecord(parseLsn(row?.['lsn'] ?? '')),
  };
}

/** The slot, when everything behind the position is still there. */
export async function demandSlot(link: Link, name: string, after: bigint): Promise<ReplicationSlot> {
  const slot = await findSlot(link, name);
  if (!slot) throw slotGone(name);
  if (slot.invalid) throw slotInvalid(name, slot.invalid);
  // Nothing is confirmed but what the target has: who is further was not us.
  if (slot.confirmed !== undefined && slot.confirmed > after) throw slotMoved(name);
  return slot;
}

/** How long we wait for transactions that are older than the slot. All of them have to end before it can be. */
const PATIENCE = 20_000;
const FAILOVER_SINCE = 170_000;

/** Makes a slot, and answers from where it keeps the log. */
export async function makeSlot(link: Link, name: string, version: number, patience = PATIENCE): Promise<bigint> {
  await link.run(`begin; set local lock_timeout = '${patience}ms'`);
  try {
    // One that a standby keeps, too, where there are such: it is then found again after a failover.
    const more = version >= FAILOVER_SINCE ? ', failover => true' : '';
    const [made] = await link.query(
      `select lsn::text from pg_catalog.pg_create_logical_replication_slot($1::name, 'pgoutput', false, false${more})`,
      [name],
    );
    await link.run('commit');
    return parseLsn(made?.['lsn'] ?? '');
  } catch (error) {
    if (!link.isBroken) await link.run('rollback');
    throw sqlState(error) === '55P03' ? await waitsFor(link, patience, error) : error;
  }
}

async function waitsFor(link: Link, patience: number, cause: unknown): Promise<OutsideError> {
  const oldest = await oldestTransactions(link);
  return new OutsideError(
    'transient',
    'OLD_TRANSACTION',
    `A replication slot could not be made within ${patience / 1000} seconds, as transactions that began before it have not ended${oldest.length > 0 ? `: ${oldest.map(inWords).join(', ')}` : ''}.`,
    {
      hint: 'Wait until they have ended, or end them: SELECT pg_terminate_backend(<process>); a prepared one by ROLLBACK PREPARED.',
      cause,
    },
  );
}

/** How long a reader that was ended may take to let go of its slot. */
const LETS_GO_WITHIN = 15_000;

/** Sees to it that nobody reads from the slot: it has one reader, and that is to be us. */
export async function endReader(link: Link, name: string, signal?: AbortSignal): Promise<ReplicationSlot | undefined> {
  const deadline = performance.now() + LETS_GO_WITHIN;
  for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
    const slot = await findSlot(link, name);
    if (!slot?.reader) return slot;
    if (signal?.aborted) throw aborted();
    if (performance.now() > deadline)
      throw new OutsideError(
        'transient',
        'SLOT_BUSY',
        `The replication slot "${name}" is in use by process ${slot.reader}, which does not end.`,
        {
          hint: 'End it: SELECT pg_terminate_backend(<process>).',
        },
      );
    await link.query('select pg_catalog.pg_terminate_backend($1::int)::text', [slot.reader]);
    await pause(wait);
  }
}

/** Drops the slot, also when it is in use, and when there is none. */
export async function dropSlot(link: Link, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (!(await endReader(link, name))) return;
    try {
      await link.query('select pg_catalog.pg_drop_replication_slot($1)::text', [name]);
      return;
    } catch (error) {
      // Another one has dropped it (42704), or has begun to read (55006).
      if (sqlState(error) === '42704') return;
      if (sqlState(error) !== '55006' || attempt === 5) throw error;
    }
  }
}
