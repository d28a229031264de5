import type { CheckReport } from '../contract.ts';
import { countedTables } from '../counted-tables.ts';
import { CHECK_TIMEOUT } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { Link } from './wire/link.ts';
import type { PostgresConfig } from './manifest.ts';
import { ownRelations } from './catalogue/own-relations.ts';

const OLDEST = 140_000;

/** What was reached and what does not fully work. */
export async function check(link: Link, config: PostgresConfig): Promise<CheckReport> {
  const schemas = config.schemas ?? [];
  await link.run(`set statement_timeout = '${CHECK_TIMEOUT - 1000}ms'`);
  const [server] = await link.query<Record<string, string | null>>(`
    select current_setting('server_version') as version, current_setting('server_version_num') as number, current_database() as database,
      pg_is_in_recovery()::text as standby, has_database_privilege(current_database(), 'create')::text as can_create,
      coalesce((select s.setting from pg_catalog.pg_settings s where s.name = 'default_transaction_read_only' and s.reset_val = 'on'), '') as read_only`);
  const [tables] = await link.query<Record<string, string | null>>(
    `select count(*)::text as all, count(*) filter (where has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select'))::text as readable,
       (select string_agg(wanted, ', ') from json_array_elements_text($1::json) wanted where not exists (select from pg_catalog.pg_namespace where nspname = wanted)) as missing
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition and n.nspname not in ('information_schema', 'pg_catalog') and n.nspname !~ '^pg_(toast|temp)'
       and c.relname !~* '^_syncline_' and not c.oid = any(array(select json_array_elements_text($2::json)::oid))
       and (json_array_length($1::json) = 0 or n.nspname = any(array(select json_array_elements_text($1::json))))`,
    [JSON.stringify(schemas), JSON.stringify([...(await ownRelations(link))])],
  );
  const number = Number(server?.['number'] ?? 0);
  if (number < OLDEST)
    throw new OutsideError('config', 'VERSION_TOO_OLD', `The server is PostgreSQL ${server?.['version']}; version 14 or newer is needed.`);
  if (tables?.['missing'])
    throw new OutsideError('config', 'SCHEMA_MISSING', `The database has no schema ${tables['missing']}.`, {
      field: 'schemas',
      hint: 'Check the spelling; names are case-sensitive.',
    });
  const [all, readable] = [Number(tables?.['all'] ?? 0), Number(tables?.['readable'] ?? 0)];
  if (all > 0 && readable === 0)
    throw new OutsideError('auth', 'PERMISSION_MISSING', `The user "${config.user}" may read none of the ${all} tables.`, {
      field: 'user',
      hint: `Grant it the right, for example: GRANT SELECT ON ALL TABLES IN SCHEMA ${schemas[0] ?? 'public'} TO ...; and USAGE on the schema.`,
    });
  const warnings: string[] = [];
  if (readable < all) warnings.push(`${all - readable} of ${all} tables cannot be read by the user "${config.user}".`);
  if (server?.['standby'] === 'true')
    warnings.push(
      'The server is a standby: only reading is possible, and incremental reading does not see transactions that run on the primary without having written yet.',
    );
  else if (server?.['read_only']) warnings.push('Only reading is possible: default_transaction_read_only is on.');
  return {
    message: `PostgreSQL ${(server?.['version'] ?? '').split(' ')[0]}, database ${server?.['database']}, ${countedTables(all)}.`,
    warnings,
  };
}
