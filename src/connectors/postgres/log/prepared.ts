import { OutsideError } from '../../../outside/errors.ts';
import type { Link } from '../wire/link.ts';

// What a server needs so that its log can be followed, and in which words it is said.

const STATE = `
  select current_setting('wal_level') as wal_level, current_setting('max_wal_senders') as senders, current_setting('max_replication_slots') as slots,
    (select count(*) from pg_catalog.pg_replication_slots)::text as used, pg_is_in_recovery()::text as standby, current_user as role,
    (select (r.rolreplication or r.rolsuper or exists (select from pg_catalog.pg_roles g where g.rolname in ('rds_replication', 'rds_superuser')
      and pg_has_role(current_user, g.oid, 'member')))::text from pg_catalog.pg_roles r where r.rolname = current_user) as may_replicate,
    exists (select from pg_catalog.pg_replication_slots s where s.slot_name = $1)::text as has_slot`;

/** What is missing, each in a sentence that says what to do. A slot that we have already needs no other. */
export async function missingForLog(link: Link, slot = ''): Promise<string[]> {
  const [state = {}] = await link.query(STATE, [slot]);
  const missing: string[] = [];
  if (state['standby'] === 'true') missing.push('The server is a standby: connect to the primary server to follow its changes.');
  if (state['wal_level'] !== 'logical')
    missing.push(
      `wal_level is "${state['wal_level']}" and has to be "logical": set it in postgresql.conf (wal_level = logical), or as a parameter of the managed service (rds.logical_replication, cloudsql.logical_decoding), and restart the server.`,
    );
  if (state['may_replicate'] !== 'true')
    missing.push(
      `The user "${state['role']}" may not follow the log: ALTER ROLE ${state['role']} REPLICATION, on Amazon RDS: GRANT rds_replication TO ${state['role']}.`,
    );
  if (Number(state['used']) >= Number(state['slots']) && state['has_slot'] !== 'true')
    missing.push(
      `All ${state['slots']} replication slots of the server are in use: drop one that nobody needs (SELECT pg_drop_replication_slot(…)), or raise max_replication_slots and restart the server.`,
    );
  if (Number(state['senders']) === 0) missing.push('max_wal_senders is 0: raise it and restart the server.');
  return missing;
}

export async function demandPrepared(link: Link, slot: string): Promise<void> {
  const [first, ...others] = await missingForLog(link, slot);
  if (first === undefined) return;
  throw new OutsideError('config', 'LOG_NOT_READY', `Changes of this server cannot be followed yet. ${first}`, {
    ...(others.length > 0 && { hint: others.join(' ') }),
  });
}

/** A standby may be about to take over: until then nothing that it lacks is lost. */
export async function demandPrimary(link: Link): Promise<void> {
  const [state] = await link.query('select pg_is_in_recovery()::text as standby');
  if (state?.['standby'] !== 'true') return;
  throw new OutsideError('transient', 'STANDBY', 'The server is a standby now, and has no log of its own that could be followed.', {
    hint: 'When it takes over, it is gone on with. Otherwise connect to the primary server.',
    field: 'host',
  });
}
