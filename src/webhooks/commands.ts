import { recordAudit } from '../audit/record.ts';
import { demandRoom } from '../datasync/access/share.ts';
import { command, type Connection, first } from '../db/database.ts';
import { demandFreeName } from '../db/free-names.ts';
import { forUpdate, sql } from '../db/sql.ts';
import { appendEvents } from '../events/append.ts';
import type { EventType } from '../events/event-types.ts';
import type { Actor } from '../http/caller.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime } from '../lib/clock.ts';
import { invalidParam, notFound } from '../lib/errors.ts';
import { demandAll } from './access.ts';
import { BY_WAITING, type CountedWebhook, findCountedWebhook, findWebhook, type WebhookRow, type WebhookWithState } from './queries.ts';
import { webhookJson } from './render.ts';

export interface WebhookChange {
  /** Who asks for it. */
  actor: Actor;
  now: number;
}

/** What the caller of a change may read. */
interface Scoped extends WebhookChange {
  scopes: ReadonlySet<Scope>;
  id: string;
}

export type WebhookColumns = Omit<WebhookRow, 'share_of' | 'version' | 'created_at' | 'updated_at'>;

/** The time in `id` is the time of creation. The id is made before, as the secrets are bound to it. */
export interface NewEndpoint extends WebhookChange {
  /** The key whose share it counts for, and how many that may have. */
  share: string | null;
  most: number;
  row: WebhookColumns;
  /** The sequence after which events are sent; null for from now on. */
  from: number | null;
}

export const createWebhook = command(import.meta.url, 'createWebhook', async (tx, input: NewEndpoint): Promise<CountedWebhook> => {
  await demandRoom(tx, 'webhooks', input.share, input.most);
  const at = isoTime(input.now);
  const { row } = input;
  await demandFreeName(tx, 'webhooks', row.name, row.id);
  await tx.all(sql`
    insert into webhooks (id, name, url, types, condition, payload, signature, secrets, headers, max_in_flight, rate, scopes, version,
      created_at, updated_at, share_of)
    values (${row.id}, ${row.name}, ${row.url}, ${row.types}, ${row.condition}, ${row.payload}, ${row.signature}, ${row.secrets},
      ${row.headers}, ${row.max_in_flight}, ${row.rate}, ${row.scopes}, 1, ${at}, ${at}, ${input.share})`);
  await tx.all(sql`
    insert into webhook_state (webhook_id, status, status_at, position, failures) values (${row.id}, 'active', ${at}, 0, 0)`);
  await note(tx, input, row.id, 'webhook.created', { name: row.name, url: row.url, types: JSON.parse(row.types) as string[] });
  // Events have their numbers by now, that of the creation too: "from now on" begins behind it.
  const end = await first<{ n: number }>(tx, sql`select n from counters where name = 'events'`);
  if (input.from !== null && input.from > (end?.n ?? 0)) throw invalidParam('from', 'is beyond the end of the feed');
  await tx.all(sql`update webhook_state set position = ${input.from ?? end?.n ?? 0} where webhook_id = ${row.id}`);
  return counted(tx, row.id);
});

export interface WebhookUpdate extends Scoped {
  /** The version that the change was made from; undefined is answered when it is no longer that. */
  version: number;
  row: WebhookColumns;
  /** What was sent, for the audit. */
  fields: string[];
}

export const updateWebhook = command(
  import.meta.url,
  'updateWebhook',
  async (tx, input: WebhookUpdate): Promise<CountedWebhook | undefined> => {
    const before = await locked(tx, input.id);
    if (before.version !== input.version) return undefined;
    // What it has still to be sent goes where it leads from now on.
    demandAll(input, JSON.parse(before.scopes) as Scope[]);
    const { row } = input;
    if (row.name !== before.name) await demandFreeName(tx, 'webhooks', row.name, input.id);
    await tx.all(sql`
      update webhooks set name = ${row.name}, url = ${row.url}, types = ${row.types}, condition = ${row.condition}, payload = ${row.payload},
        headers = ${row.headers}, max_in_flight = ${row.max_in_flight}, rate = ${row.rate}, scopes = ${row.scopes},
        version = version + 1, updated_at = ${isoTime(input.now)} where id = ${input.id}`);
    if (row.url !== before.url) await leadElsewhere(tx, input.id, isoTime(input.now));
    await note(tx, input, input.id, 'webhook.updated', { name: row.name, fields: input.fields });
    return counted(tx, input.id);
  },
);

/** What waits goes to the new address at once: what the old one asked for or failed at says nothing about it. */
async function leadElsewhere(tx: Connection, id: string, now: string): Promise<void> {
  await tx.all(sql`update webhook_state set failures = 0, failing_since = null, try_at = null where webhook_id = ${id}`);
  await tx.all(sql`update webhook_deliveries ${BY_WAITING} set next_at = ${now} where webhook_id = ${id} and status = 'waiting'`);
}

export const deleteWebhook = command(
  import.meta.url,
  'deleteWebhook',
  async (tx, input: WebhookChange & { id: string }): Promise<CountedWebhook> => {
    const before = await locked(tx, input.id);
    const row = await counted(tx, input.id);
    await tx.all(sql`delete from webhook_deliveries where webhook_id = ${input.id}`);
    await tx.all(sql`delete from webhook_state where webhook_id = ${input.id}`);
    await tx.all(sql`delete from webhooks where id = ${input.id}`);
    await recordAudit(tx, input.now, {
      actor: input.actor,
      action: 'webhook.deleted',
      object_id: input.id,
      details: { name: row.name, url: row.url },
    });
    await tell(tx, before, 'webhook.deleted', input.now);
    return row;
  },
);

/** Secrets that were encrypted anew; nothing else about the endpoint changes, unless another request did. */
export const replaceWebhookSecrets = command(
  import.meta.url,
  'replaceWebhookSecrets',
  async (tx, input: { id: string; version: number; secrets: string; headers: string }): Promise<void> => {
    await tx.all(
      sql`update webhooks set secrets = ${input.secrets}, headers = ${input.headers} where id = ${input.id} and version = ${input.version}`,
    );
  },
);

export async function locked(tx: Connection, id: string): Promise<WebhookWithState> {
  await tx.all(sql`select id from webhooks where id = ${id} ${forUpdate}`);
  const row = await findWebhook(tx, id);
  if (!row) throw notFound('endpoint', id);
  return row;
}

export async function counted(tx: Connection, id: string): Promise<CountedWebhook> {
  const row = await findCountedWebhook(tx, id);
  if (!row) throw notFound('endpoint', id);
  return row;
}

/** Tells the audit and the feed of a change, last in its transaction. `besides`: what the event says beside the endpoint. */
export async function note(
  tx: Connection,
  { actor, now }: WebhookChange,
  id: string,
  action: EventType,
  details: Record<string, unknown>,
  besides: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(tx, now, { actor, action, object_id: id, details });
  const row = await findWebhook(tx, id);
  if (row) await tell(tx, row, action, now, besides);
}

async function tell(tx: Connection, row: WebhookWithState, type: EventType, now: number, besides = {}): Promise<void> {
  const at = isoTime(now);
  await appendEvents(tx, 'webhooks', [{ type, objectId: row.id, at, data: webhookJson(row, at, besides) }], {});
}
