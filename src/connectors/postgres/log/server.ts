import type { Link } from '../wire/link.ts';
import { serverChanged } from './gaps.ts';
import { endOfRecord, type WalPosition, parseLsn } from './position.ts';
import type { Walsender } from './walsender.ts';

/** Which server it is, and where its log ends. */
export interface WalServer extends WalPosition {
  readonly version: number;
  /** How many digits money has behind the point. */
  readonly moneyDigits: number;
}

export async function logServer(link: Link): Promise<WalServer> {
  // The name of the file begins with the timeline; that of the last checkpoint may be one behind.
  const [row] = await link.query(`
    select current_setting('server_version_num') as version, (select s.system_identifier::text from pg_catalog.pg_control_system() s) as system,
      ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int::text as timeline, pg_current_wal_insert_lsn()::text as lsn,
      1::money::numeric::text as money`);
  return {
    version: Number(row?.['version']),
    system: row?.['system'] ?? '',
    timeline: Number(row?.['timeline']),
    lsn: endOfRecord(parseLsn(row?.['lsn'] ?? '')),
    moneyDigits: (row?.['money'] ?? '').split('.')[1]?.length ?? 0,
  };
}

/** Which server this is, and which of its databases. A copy of it is called the same, but was not started in the same microsecond. */
export async function runningServer(link: Link): Promise<string> {
  const [row] = await link.query(`
    select (select s.system_identifier::text from pg_catalog.pg_control_system() s) as system,
      extract(epoch from pg_catalog.pg_postmaster_start_time())::text as started, pg_catalog.current_database()::text as name`);
  return `${row?.['system']} ${row?.['started']} ${row?.['name']}`;
}

/** Whether what lies behind a position is the log of this server: it may be another, a copy, or a standby that has not seen all. */
export async function demandServer(server: WalServer, after: WalPosition, walsender: Walsender): Promise<void> {
  if (server.system !== after.system) throw serverChanged('Another server answers than before.');
  if (server.timeline < after.timeline) throw serverChanged('The server was put back to a state before a failover.');
  if (server.timeline > after.timeline) {
    const [history] = await walsender.query(`TIMELINE_HISTORY ${server.timeline}`);
    const end = endOfTimeline(history?.['content'] ?? '', after.timeline);
    if (end === undefined || end < after.lsn)
      throw serverChanged('Another server has taken over, or a backup was put back, and it lacks changes that the target has already.');
    return;
  }
  if (server.lsn < after.lsn)
    throw serverChanged('The log of the server ends before the place that was reached: it was put back to an earlier state.');
}

/** Where a timeline was left, by the history of a later one. */
export function endOfTimeline(history: string, timeline: number): bigint | undefined {
  for (const line of history.split('\n')) {
    const [, number, lsn] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/.exec(line) ?? [];
    if (Number(number) === timeline && lsn) return parseLsn(lsn);
  }
  return undefined;
}
