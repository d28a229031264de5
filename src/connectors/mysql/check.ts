import { type CheckReport, CHECK_TIMEOUT, type Context } from '../contract.ts';
import { countedTables } from '../counted-tables.ts';
import { OutsideError } from '../../outside/errors.ts';
import { connect } from './wire/connect.ts';
import { quote } from './catalogue/literals.ts';
import type { MysqlConfig } from './manifest.ts';

/** Signs in, looks around, and says in words what was found. */
export async function check(config: MysqlConfig, context: Context): Promise<CheckReport> {
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT - 500);
  try {
    return await look(config, context, timeout);
  } catch (error) {
    if (!timeout.aborted || context.signal.aborted) throw error;
    throw new OutsideError('transient', 'TIMEOUT', `${config.host}:${config.port ?? 3306} did not answer in time.`, {
      field: 'host',
      hint: 'Check the address, whether a firewall stands between, and whether the server is busy.',
    });
  }
}

async function look(config: MysqlConfig, context: Context, signal: AbortSignal): Promise<CheckReport> {
  const wire = await connect(config, context, { mode: 'read', signal });
  try {
    const [[isReadOnly, local] = []] = await wire.rows('select @@global.read_only, @@global.local_infile');
    const [[tables] = []] = await wire.rows(
      "select count(*) from information_schema.tables where table_schema = database() and table_type in ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')",
    );
    const grants = (await wire.rows('show grants')).map(([grant]) => grant ?? '');
    const warnings: string[] = [];
    const isSuper = grants.some(
      (grant) => /\b(SUPER|READ[_ ]ONLY ADMIN|CONNECTION_ADMIN)\b/i.test(grant) || /GRANT ALL PRIVILEGES ON \*\.\*/i.test(grant),
    );
    if (isReadOnly === '1' && !isSuper) warnings.push('The server is read-only: it can be read, but not written.');
    else if (!mayWrite(grants, config.database)) warnings.push('The user may read, but not write: INSERT is missing.');
    else if (local === '0') warnings.push('local_infile is off on the server: writing is several times slower with single statements.');
    if (tables === '0') warnings.push('The user sees no table in this database: it is empty, or SELECT is missing.');
    if (!wire.isEncrypted && config.tls !== 'disable') warnings.push('The connection is not encrypted: the server does not offer it.');
    const system = wire.isMariaDb ? 'MariaDB' : 'MySQL';
    const version = /^[\d.]+/.exec(wire.version)?.[0] ?? wire.version;
    return { message: `${system} ${version}, database ${config.database}, ${countedTables(Number(tables ?? 0))}.`, warnings };
  } finally {
    wire.end();
  }
}

/** Whether one of the grants lets the user insert somewhere in the database. Roles are not looked into. */
function mayWrite(grants: readonly string[], database: string): boolean {
  const names = ['*', quote(database), quote(database.replaceAll('_', '\\_').replaceAll('%', '\\%'))];
  return grants.some((grant) => {
    const [, rights = '', place = ''] = /^GRANT (.*?) ON (.*?) TO /is.exec(grant) ?? [];
    // A role, which may have any right.
    if (place === '') return /^GRANT .* TO /is.test(grant) && !/ ON /i.test(grant);
    const scope = place.replace(/^(TABLE|FUNCTION|PROCEDURE) /i, '');
    return /\bINSERT\b|ALL PRIVILEGES/i.test(rights) && (names.some((name) => scope.startsWith(`${name}.`)) || /[%]/.test(scope));
  });
}
