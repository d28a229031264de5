import { CliError } from '../errors.ts';
import type { KitEnd } from './kit-end.ts';
import { mysqlClient, type MysqlPlace } from './plain-client.ts';

/** Seconds for which the lock of another is waited for; the server's own patience is fifty. */
const LOCK_PATIENCE = 3;
/** What `tls` of the connector is, by what other programs call it. */
const TLS: Readonly<Record<string, string>> = { disabled: 'disable', preferred: 'prefer', required: 'require', verify_identity: 'verify' };

export async function makeMysqlEnd(url: URL, database: string): Promise<KitEnd> {
  const place = placeOf(url);
  const own = { ...place, database };
  const first = await mysqlClient(place);
  let version: string;
  try {
    if ((await first.rows(`select 1 from information_schema.schemata where schema_name = '${database}'`)).length > 0)
      throw new CliError(
        `The server ${url.host} has a database ${database} already. If it is left from an earlier proof and nobody needs it, drop it: drop database ${database}.`,
      );
    await first.run(`create database ${database} character set utf8mb4`);
    version = (await first.rows('select version()'))[0]?.[0] ?? '';
  } finally {
    await first.close();
  }
  const { ssl: _ssl, ...reached } = own;
  const tls = tlsOf(url);
  return {
    type: 'mysql',
    config: { ...reached, ...(tls && { tls }) },
    title: `${/mariadb/i.test(version) ? 'MariaDB' : 'MySQL'} ${version.split('-')[0]} at ${url.host}, database ${database}`,
    dialect: {
      types: { time: 'datetime(6)', decimal: 'decimal(12,2)', text: 'longtext' },
      insertNew: ['insert ignore into', ''],
      quote: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
      begin: 'begin',
      now: () => 'utc_timestamp(6)',
    },
    manyWriters: true,
    named: (table) => table,
    connect: async () => {
      const client = await mysqlClient(own);
      await client.run(`set session innodb_lock_wait_timeout = ${LOCK_PATIENCE}, session sql_mode = 'STRICT_ALL_TABLES'`);
      return client;
    },
    cannotFollow: () => whyNotFollowed(own),
    remove: async () => {
      const client = await mysqlClient(place);
      await client.run(`drop database if exists ${database}`);
      await client.close();
    },
  };
}

function placeOf(url: URL): MysqlPlace {
  const tls = tlsOf(url);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...((tls === 'require' || tls === 'verify') && { ssl: { rejectUnauthorized: tls === 'verify' } }),
  };
}

function tlsOf(url: URL): string | undefined {
  const given = url.searchParams.get('ssl-mode')?.toLowerCase();
  return given === undefined ? undefined : (TLS[given] ?? given);
}

async function whyNotFollowed(place: MysqlPlace): Promise<string | undefined> {
  const client = await mysqlClient(place);
  try {
    const rows = await client.rows(`show global variables where variable_name in ('log_bin', 'binlog_format', 'binlog_row_image')`);
    const settings = new Map(rows.map(([name, value]) => [name?.toLowerCase(), value?.toUpperCase()]));
    if (settings.get('log_bin') !== 'ON') return 'the source keeps no binary log (log_bin)';
    const format = settings.get('binlog_format');
    if (format !== 'ROW') return `binlog_format of the source is ${format} and not ROW`;
    const image = settings.get('binlog_row_image');
    return image === 'FULL' ? undefined : `binlog_row_image of the source is ${image} and not FULL`;
  } finally {
    await client.close();
  }
}
