import type { Link } from '../wire/link.ts';

/** A transaction that others wait for. */
interface OldTransaction {
  readonly who: string;
  readonly seconds: number;
}

const OLDEST = `
  select 'process ' || a.pid || coalesce(' of the user "' || a.usename || '"', '') || coalesce(' in the database "' || a.datname || '"', '')
      || case when a.application_name <> '' then ' ("' || a.application_name || '")' else '' end as who,
    extract(epoch from clock_timestamp() - a.xact_start)::bigint::text as seconds
  from pg_catalog.pg_stat_activity a where a.backend_xid is not null and a.pid <> pg_backend_pid()
  union all
  select 'the prepared transaction "' || p.gid || '"', extract(epoch from clock_timestamp() - p.prepared)::bigint::text from pg_catalog.pg_prepared_xacts p
  limit 100`;

/** Those that have written and have not ended, the oldest first. */
export async function oldestTransactions(link: Link): Promise<OldTransaction[]> {
  const rows = await link.query(OLDEST);
  return rows
    .map((row) => ({ who: row['who'] ?? '', seconds: Number(row['seconds'] ?? 0) }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 3);
}

/** `process 4711 of the user "shop", since 3 hours`. */
export function inWords({ who, seconds }: OldTransaction): string {
  return `${who}, for ${describeTime(seconds)}`;
}

/** `3 hours`: a stretch of time in one unit. */
function describeTime(seconds: number): string {
  const [count, unit] =
    seconds < 120
      ? [seconds, 'second']
      : seconds < 7200
        ? [seconds / 60, 'minute']
        : seconds < 172_800
          ? [seconds / 3600, 'hour']
          : [seconds / 86_400, 'day'];
  const whole = Math.floor(count);
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
