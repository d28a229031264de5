import type { PostgresConfig } from '../manifest.ts';

export type Purpose = 'read' | 'write';

// The spelling of values is that of the canonical types, whatever the server, the database or the role has set.
const SETTINGS = [
  "set client_encoding = 'UTF8'",
  "set datestyle = 'ISO, YMD'",
  "set timezone = 'UTC'",
  "set intervalstyle = 'iso_8601'",
  "set bytea_output = 'hex'",
  'set extra_float_digits = 1',
  'set standard_conforming_strings = on',
  "set xmloption = 'content'",
  // Rows without a key come in the same order when they are read again.
  'set synchronize_seqscans = off',
  'set max_parallel_workers_per_gather = 0',
  "set idle_in_transaction_session_timeout = '5min'",
];

/** Takes back what the previous user of a connection has left on it. */
export const AS_NEW = 'reset all; discard temp; select pg_advisory_unlock_all()';

const PURPOSES: Readonly<Record<Purpose, string>> = {
  read: 'set default_transaction_read_only = on',
  // A writer that falls asleep in a transaction holds up others. It waits for our own database at most, and not for so long.
  write: "set default_transaction_read_only = default; set synchronous_commit = on; set idle_in_transaction_session_timeout = '15s'",
};

/** Statements that make a connection fit for a purpose, when it is new or was made new again by `AS_NEW`. */
export function settingsFor(purpose: Purpose, config: PostgresConfig): string {
  return [
    ...SETTINGS,
    `set statement_timeout = '${config.statement_timeout ?? 3600}s'`,
    `set lock_timeout = '${config.lock_timeout ?? 60}s'`,
    PURPOSES[purpose],
    // Newer servers notice that we are gone also while they sort or wait.
    `do $$ begin perform set_config('client_connection_check_interval', '5s', false); exception when others then null; end $$`,
  ].join('; ');
}
