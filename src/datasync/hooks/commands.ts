import { recordAudit } from '../../audit/record.ts';
import { command, type Connection } from '../../db/database.ts';
import { demandFreeName } from '../../db/free-names.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import { appendEvents } from '../../events/append.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Actor } from '../../http/caller.ts';
import type { Scope } from '../../http/scopes.ts';
import { isoTime } from '../../lib/clock.ts';
import { AppError, invalidParam, notFound } from '../../lib/errors.ts';
import { demandForHook, demandForSync } from '../access/demand.ts';
import { sourcesOfHook } from '../access/hook-sources.ts';
import { list } from '../../db/bulk.ts';
import { readSyncs } from '../runs/rows/sync-state.ts';
import { definitionOf } from '../runs/rows/stored-definition.ts';
import type { HookRow } from './queries.ts';
import { hookJson } from './render.ts';
import type { SchemeName } from './schemes.ts';

/** The most sources that a message names. */
const MOST_NAMED = 10;

interface Change {
  /** Who asks for it. */
  actor: Actor;
  scopes: ReadonlySet<Scope>;
  now: number;
  id: string;
}

interface HookFields {
  name: string;
  scheme: SchemeName;
  header: string | null;
  /** Sealed. */
  secrets: string | null;
  syncId: string | null;
}

export type HookToCreate = Change & HookFields & { tokenHash: string };

/** The time in `id` is the time of creation. The id is made before, as the secrets are bound to it. */
export const createHook = command(import.meta.url, 'createHook', async (tx, input: HookToCreate): Promise<HookRow> => {
  await demandStart(tx, input, input.syncId);
  await demandFreeName(tx, 'hooks', input.name, input.id);
  const at = isoTime(input.now);
  const row: HookRow = {
    id: input.id,
    name: input.name,
    scheme: input.scheme,
    header: input.header,
    secrets: input.secrets,
    sync_id: input.syncId,
    calls: 0,
    last_call_at: null,
    refused: 0,
    refused_at: null,
    refused_reason: null,
    version: 1,
    created_at: at,
    updated_at: at,
    created_by: input.actor.id,
  };
  await tx.all(sql`
      insert into hooks (id, name, scheme, header, secrets, sync_id, calls, refused, version, created_at, updated_at, created_by)
      values (${row.id}, ${row.name}, ${row.scheme}, ${row.header}, ${row.secrets}, ${row.sync_id}, 0, 0, 1, ${at}, ${at}, ${row.created_by})`);
  await addToken(tx, row.id, input.tokenHash, at);
  await note(tx, input, row, 'hook.created', { name: row.name, scheme: row.scheme, sync_id: row.sync_id });
  return row;
});

export interface HookUpdate extends Change, HookFields {
  /** The version that the change was made from; undefined is answered when it is no longer that. */
  version: number;
  /** What was sent, for the audit. */
  fields: string[];
}

export const updateHook = command(import.meta.url, 'updateHook', async (tx, input: HookUpdate): Promise<HookRow | undefined> => {
  const before = await locked(tx, input.id);
  if (before.version !== input.version) return undefined;
  const isOpened = input.scheme !== before.scheme || input.secrets !== before.secrets || input.header !== before.header;
  if (isOpened) await demandCalls(tx, input, input.syncId);
  else if (input.syncId !== before.sync_id) await demandStart(tx, input, input.syncId);
  if (input.name !== before.name) await demandFreeName(tx, 'hooks', input.name, input.id);
  const row: HookRow = {
    ...before,
    name: input.name,
    scheme: input.scheme,
    header: input.header,
    secrets: input.secrets,
    sync_id: input.syncId,
    version: before.version + 1,
    updated_at: isoTime(input.now),
  };
  await tx.all(sql`
    update hooks set name = ${row.name}, scheme = ${row.scheme}, header = ${row.header}, secrets = ${row.secrets}, sync_id = ${row.sync_id},
      version = ${row.version}, updated_at = ${row.updated_at} where id = ${row.id}`);
  await note(tx, input, row, 'hook.updated', { name: row.name, fields: input.fields });
  return row;
});

/** A new token; the present ones work until `until`. */
export const rotateToken = command(
  import.meta.url,
  'rotateToken',
  async (tx, input: Change & { tokenHash: string; until: string }): Promise<HookRow> => {
    const before = await locked(tx, input.id);
    await demandCalls(tx, input, before.sync_id);
    const at = isoTime(input.now);
    await tx.all(sql`
      update hook_tokens set expires_at = ${input.until} where hook_id = ${input.id} and (expires_at is null or expires_at > ${input.until})`);
    await addToken(tx, input.id, input.tokenHash, at);
    const row: HookRow = { ...before, version: before.version + 1, updated_at: at };
    await tx.all(sql`update hooks set version = ${row.version}, updated_at = ${at} where id = ${row.id}`);
    await note(tx, input, row, 'hook.updated', { name: row.name, fields: ['token'], previous_valid_until: input.until });
    return row;
  },
);

/** With all its calls. It stops what the calls did, so it takes no scope of the shop. */
export const deleteHook = command(import.meta.url, 'deleteHook', async (tx, input: Change): Promise<HookRow> => {
  const row = await locked(tx, input.id);
  const users = (await sourcesOfHook(tx, input.id)).slice(0, MOST_NAMED);
  if (users.length > 0) {
    const names = users.map(({ id, name }) => `"${name}" (${id})`).join(', ');
    const advice = `Delete or change ${users.length === 1 ? 'it' : 'them'} first.`;
    throw new AppError('IN_USE', `The hook "${row.name}" is the source ${names}. ${advice}`, {
      reason: `used by ${users.map(({ id }) => id).join(', ')}`,
    });
  }
  await tx.all(sql`delete from hooks where id = ${input.id}`);
  await note(tx, input, row, 'hook.deleted', { name: row.name });
  return row;
});

/** Secrets that were encrypted anew; nothing else about the hook changes, unless another request did. */
export const resealHook = command(
  import.meta.url,
  'resealHook',
  async (tx, input: { id: string; version: number; secrets: string | null }): Promise<void> => {
    await tx.all(sql`update hooks set secrets = ${input.secrets} where id = ${input.id} and version = ${input.version}`);
  },
);

/** A call starts the synchronization: the caller that lets it must be one that could start it. */
async function demandStart(tx: Connection, { scopes }: Change, syncId: string | null): Promise<void> {
  if (syncId === null) return;
  const [sync] = await readSyncs(tx, list([syncId]));
  if (!sync) throw invalidParam('sync_id', 'is no synchronization that there is; GET /datasync/sync lists them');
  await demandForSync(tx, { scopes }, 'move', sync, definitionOf(sync).streams);
}

/**
 * Who gets a new address, or says by what a call is known, can call the hook from then on: the caller must be one that may do what calls do.
 * A call starts the synchronization, and is a row of each source that is this hook.
 */
async function demandCalls(tx: Connection, change: Change, syncId: string | null): Promise<void> {
  await demandStart(tx, change, syncId);
  await demandForHook(tx, change, 'move', change.id);
}

async function locked(tx: Connection, id: string): Promise<HookRow> {
  const [row] = await tx.all<HookRow>(sql`select * from hooks where id = ${id} ${forUpdate}`);
  if (!row) throw notFound('hook', id);
  return row;
}

async function addToken(tx: Connection, hookId: string, hash: string, at: string): Promise<void> {
  await tx.all(sql`insert into hook_tokens (hash, hook_id, created_at) values (${hash}, ${hookId}, ${at})`);
}

async function note(
  tx: Connection,
  { actor, now }: Change,
  row: HookRow,
  action: EventType,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, now, { actor, action, object_id: row.id, details });
  await appendEvents(tx, 'hooks', [{ type: action, objectId: row.id, at: isoTime(now), data: hookJson(row) }], {});
}
