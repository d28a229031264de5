import { recordAudit } from '../audit/record.ts';
import { demandRoom } from '../datasync/access/share.ts';
import { list } from '../db/bulk.ts';
import { command, type Connection, first } from '../db/database.ts';
import { demandFreeName } from '../db/free-names.ts';
import { forUpdate, type Sql, sql } from '../db/sql.ts';
import { appendEvents } from '../events/append.ts';
import type { EventType } from '../events/event-types.ts';
import type { Actor } from '../http/caller.ts';
import { intervalOf } from '../jobs/schedule.ts';
import { isoTime } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { isOfSyncs, type Rule, RULES, type RuleType } from './alert.ts';
import { type AlertRow, type AlertView, findAlert } from './queries.ts';
import { alertJson } from './render.ts';

interface Change {
  /** Who asks for it. */
  actor: Actor;
  now: number;
  id: string;
}

/** What is saved of an alert; all but its name is JSON or sealed. */
type Saved = Pick<
  AlertRow,
  'name' | 'channel_type' | 'channel' | 'secrets' | 'rules' | 'sync_ids' | 'remind_every' | 'quiet_hours' | 'scopes'
>;

export interface AlertToCreate extends Change, Saved {
  /** The key whose share it counts for, and how many that may have. */
  share: string | null;
  most: number;
}

/** The time in `id` is the time of creation. The id is made before, as the secrets are bound to it. */
export const createAlert = command(import.meta.url, 'createAlert', async (tx, input: AlertToCreate): Promise<AlertView> => {
  await demandRoom(tx, 'alerts', input.share, input.most);
  await demandFreeName(tx, 'alerts', input.name, input.id);
  const { id, actor, now, name, channel_type, channel, secrets, rules, sync_ids, remind_every, quiet_hours, scopes } = input;
  const at = isoTime(now);
  const saved: Saved = { name, channel_type, channel, secrets, rules, sync_ids, remind_every, quiet_hours, scopes };
  await tx.all(sql`
    insert into alerts (id, name, channel_type, channel, secrets, rules, sync_ids, remind_every, quiet_hours, scopes, version, created_at,
      updated_at, created_by)
    values (${id}, ${name}, ${channel_type}, ${channel}, ${secrets}, ${rules}, ${sync_ids}, ${remind_every}, ${quiet_hours}, ${scopes}, 1,
      ${at}, ${at}, ${actor.id})`);
  const unused = { sent_at: null, error: null, error_at: null, waiting: 0 };
  const row: AlertView = { id, ...saved, version: 1, created_at: at, updated_at: at, created_by: actor.id, ...unused };
  await note(tx, input, row, 'alert.created', { name, channel: channel_type });
  return row;
});

export interface AlertUpdate extends Change, Saved {
  /** The version that the change was made from; undefined is answered when it is no longer that. */
  version: number;
  /** What was sent, for the audit. */
  fields: string[];
  /** What the caller may hear of. */
  hears: readonly RuleType[];
}

export const updateAlert = command(import.meta.url, 'updateAlert', async (tx, input: AlertUpdate): Promise<AlertView | undefined> => {
  const before = await locked(tx, input.id);
  if (before.version !== input.version) return undefined;
  if (input.name !== before.name) await demandFreeName(tx, 'alerts', input.name, input.id);
  const { name, channel_type, channel, secrets, rules, sync_ids, remind_every, quiet_hours, scopes } = input;
  const saved: Saved = { name, channel_type, channel, secrets, rules, sync_ids, remind_every, quiet_hours, scopes };
  const row: AlertView = { ...before, ...saved, version: before.version + 1, updated_at: isoTime(input.now) };
  await tx.all(sql`
    update alerts set name = ${name}, channel_type = ${channel_type}, channel = ${channel}, secrets = ${secrets}, rules = ${rules},
      sync_ids = ${sync_ids}, remind_every = ${remind_every}, quiet_hours = ${quiet_hours}, scopes = ${scopes}, version = ${row.version},
      updated_at = ${row.updated_at}
    where id = ${row.id}`);
  await forgo(tx, input);
  // What waits may get through now, and is held to the new quiet hours.
  await tx.all(sql`
    update alert_messages set next_at = ${row.updated_at} where alert_id = ${row.id} and next_at is not null and next_at > ${row.updated_at}`);
  if (remind_every !== before.remind_every) {
    const every = remind_every === null ? undefined : intervalOf(remind_every);
    const next = every === undefined ? null : isoTime(input.now + every);
    await tx.all(sql`update alert_incidents set remind_at = ${next} where alert_id = ${row.id}`);
  }
  await note(tx, input, row, 'alert.updated', { name, fields: input.fields });
  return findAlert(tx, row.id);
});

/**
 * What waits to be told by a rule that is no longer there is not told. Nor is what the caller may not hear of, when that one says where messages
 * go: an alert must be no way around a scope.
 */
async function forgo(tx: Connection, { id, rules, sync_ids, fields, hears }: AlertUpdate): Promise<void> {
  const skip = async (incidents: Sql): Promise<void> =>
    void (await tx.all(sql`
      update alert_messages set status = 'skipped', next_at = null
      where alert_id = ${id} and next_at is not null and incident_id in (select id from incidents where ${incidents})`));
  const told = (JSON.parse(rules) as Rule[]).map(({ type }) => type).filter((type) => !fields.includes('channel') || hears.includes(type));
  await skip(sql`rule not in ${list(told)}`);
  if (sync_ids !== null)
    await skip(sql`rule in ${list(RULES.filter(isOfSyncs))} and object_id not in ${list(JSON.parse(sync_ids) as string[])}`);
}

/** Its messages go with it. */
export const deleteAlert = command(import.meta.url, 'deleteAlert', async (tx, input: Change): Promise<AlertView> => {
  const row = await locked(tx, input.id);
  await tx.all(sql`delete from alerts where id = ${row.id}`);
  await note(tx, input, row, 'alert.deleted', { name: row.name });
  return row;
});

/** Secrets that were encrypted anew; nothing else changes, unless another request did. */
export const replaceAlertSecrets = command(
  import.meta.url,
  'replaceAlertSecrets',
  async (tx, { id, version, secrets }: Pick<AlertRow, 'id' | 'version' | 'secrets'>): Promise<void> => {
    await tx.all(sql`update alerts set secrets = ${secrets} where id = ${id} and version = ${version}`);
  },
);

async function locked(tx: Connection, id: string): Promise<AlertView> {
  await first(tx, sql`select 1 from alerts where id = ${id} ${forUpdate}`);
  const row = await findAlert(tx, id);
  if (!row) throw notFound('alert', id);
  return row;
}

async function note(
  tx: Connection,
  { actor, now }: Change,
  row: AlertView,
  action: EventType,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, now, { actor, action, object_id: row.id, details });
  await appendEvents(tx, 'webhooks', [{ type: action, objectId: row.id, at: isoTime(now), data: alertJson(row) }], {});
}
