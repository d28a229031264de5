import { OutsideError } from '../../../outside/errors.ts';
import type { MysqlConfig } from '../manifest.ts';
import type { Wire } from '../wire/connection.ts';

/** What a server says of itself and of its log. */
export interface LogServer {
  /** Tells it from every other: MySQL's UUID, MariaDB's number. */
  readonly identity: string;
  /** Whether events have checksums, as the server is set now. */
  readonly hasChecksums: boolean;
  /** Upper and lower case are one name of a table. */
  readonly foldsCase: boolean;
  /** What is committed, where transactions are numbered. */
  readonly gtid: string | undefined;
  readonly settings: ReadonlyMap<string, string>;
}

const SETTINGS = [
  'log_bin',
  'binlog_format',
  'binlog_row_image',
  'binlog_row_value_options',
  'binlog_checksum',
  'server_id',
  'server_uuid',
  'lower_case_table_names',
  'gtid_mode',
  'gtid_executed',
  'gtid_binlog_pos',
  'log_slave_updates',
  'log_replica_updates',
];

export async function lookAtServer(wire: Wire): Promise<LogServer> {
  const rows = await wire.rows(`show global variables where variable_name in (${SETTINGS.map((name) => `'${name}'`).join(', ')})`);
  const settings = new Map(rows.map(([name, value]) => [(name ?? '').toLowerCase(), value ?? '']));
  const get = (name: string): string => settings.get(name) ?? '';
  const isNumbered = wire.isMariaDb || get('gtid_mode') === 'ON';
  return {
    identity: wire.isMariaDb ? `mariadb:${get('server_id')}` : get('server_uuid'),
    hasChecksums: get('binlog_checksum') !== '' && get('binlog_checksum') !== 'NONE',
    foldsCase: get('lower_case_table_names') !== '0',
    gtid: isNumbered ? get(wire.isMariaDb ? 'gtid_binlog_pos' : 'gtid_executed').replaceAll(/\s/g, '') : undefined,
    settings,
  };
}

export interface LogEnd {
  readonly file: string;
  readonly at: number;
  /** The databases that are written to the log alone, or are left out. */
  readonly only: readonly string[];
  readonly ignored: readonly string[];
}

/** Where the log ends now. */
export async function logEnd(wire: Wire): Promise<LogEnd> {
  const [major = 0, minor = 0] = wire.version.split('.').map(Number);
  const isNew = !wire.isMariaDb && (major > 8 || (major === 8 && minor >= 4));
  const [[file, at, only, ignored] = []] = await wire.rows(isNew ? 'show binary log status' : 'show master status');
  if (!file) throw new OutsideError('config', 'LOG_OFF', LOG_OFF, { field: 'host' });
  const list = (text: string | null | undefined): string[] => (text ?? '').split(',').filter((name) => name !== '');
  return { file, at: Number(at), only: list(only), ignored: list(ignored) };
}

/** The files of the log that are there, the oldest first. */
export async function logFiles(wire: Wire): Promise<{ file: string; size: number }[]> {
  return (await wire.rows('show binary logs')).map(([file, size]) => ({ file: file ?? '', size: Number(size) }));
}

const LOG_OFF = 'The server writes no binary log. Set log_bin (and server_id) in its configuration, and restart it.';

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly kind?: 'auth';
}

/** What is missing for the log to be followed, each in a sentence that says what to do. */
export async function faultsOf(wire: Wire, config: MysqlConfig, { settings }: LogServer): Promise<Fault[]> {
  const get = (name: string): string => (settings.get(name) ?? '').toUpperCase();
  if (get('log_bin') !== 'ON') return [{ code: 'LOG_OFF', message: LOG_OFF }];
  const faults: Fault[] = [];
  if (get('binlog_format') !== 'ROW')
    faults.push({
      code: 'LOG_FORMAT',
      message: `The server logs statements rather than rows: binlog_format is ${get('binlog_format')}. Run SET GLOBAL binlog_format = 'ROW', put it into the configuration, and let applications connect anew.`,
    });
  const image = get('binlog_row_image');
  if (image !== '' && image !== 'FULL' && image !== 'FULL_NODUP')
    faults.push({
      code: 'LOG_IMAGE',
      message: `The server logs rows in part: binlog_row_image is ${image}. Run SET GLOBAL binlog_row_image = 'FULL', put it into the configuration, and let applications connect anew.`,
    });
  if (get('binlog_row_value_options').includes('PARTIAL_JSON'))
    faults.push({
      code: 'LOG_IMAGE',
      message: "The server logs JSON in part: binlog_row_value_options is PARTIAL_JSON. Run SET GLOBAL binlog_row_value_options = ''.",
    });
  if (get('server_id') === '0')
    faults.push({
      code: 'SERVER_ID',
      message: 'The server has no number, and sends its log to nobody: set server_id to another number than 0.',
    });
  const end = await logEnd(wire).catch((error: unknown) => denied(error));
  if (end === undefined) faults.push(MISSING_RIGHT);
  else if ((end.only.length > 0 && !end.only.includes(config.database)) || end.ignored.includes(config.database))
    faults.push({
      code: 'LOG_FILTERED',
      message: `The server leaves the database "${config.database}" out of its log (binlog_do_db, binlog_ignore_db). Change that in its configuration, and restart it.`,
    });
  if ((get('log_slave_updates') || get('log_replica_updates')) === 'OFF' && (await isReplica(wire)))
    faults.push({
      code: 'REPLICA_SILENT',
      message:
        'The server is a replica and does not log what it gets from its primary. Switch log_slave_updates (log_replica_updates) on, or follow the primary.',
    });
  return faults;
}

export const MISSING_RIGHT: Fault = {
  kind: 'auth',
  code: 'PERMISSION_MISSING',
  message: 'The user may not read the log. Run: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO the user.',
};

/** Throws the first of what is missing. */
export function demandNone(faults: readonly Fault[]): void {
  const [fault] = faults;
  if (fault) throw new OutsideError(fault.kind ?? 'config', fault.code, fault.message, { field: fault.kind === 'auth' ? 'user' : 'host' });
}

function denied(error: unknown): undefined {
  if (error instanceof OutsideError && error.kind === 'auth') return undefined;
  throw error;
}

async function isReplica(wire: Wire): Promise<boolean> {
  try {
    return (await wire.rows(wire.isMariaDb ? 'show all slaves status' : 'show replica status')).length > 0;
  } catch {
    // Older ones have another word for it, and some users may not ask: then it is not known.
    return false;
  }
}
