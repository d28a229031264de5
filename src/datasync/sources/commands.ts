import { recordAudit } from '../../audit/record.ts';
import { command, type Connection } from '../../db/database.ts';
import { demandFreeName } from '../../db/free-names.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import type { Actor } from '../../http/caller.ts';
import { appendEvents } from '../../events/append.ts';
import type { EventType } from '../../events/event-types.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Scope } from '../../http/scopes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { demandForSource } from '../access/demand.ts';
import { demandRoom } from '../access/share.ts';
import { type SourceRow, syncsOf } from './queries.ts';
import { sourceJson } from './render.ts';

interface Change {
  /** Who asks for it. */
  actor: Actor;
  now: number;
}

/** The time in `id` is the time of creation. The id is made before, as the secrets are bound to it. */
export interface NewSource extends Change {
  /** The key whose share it counts for, and how many that may have. */
  share: string | null;
  most: number;
  id: string;
  name: string;
  type: string;
  config: string;
  secrets: string | null;
}

export const createSource = command(import.meta.url, 'createSource', async (tx, input: NewSource): Promise<SourceRow> => {
  await demandRoom(tx, 'sources', input.share, input.most);
  await demandFreeName(tx, 'sources', input.name, input.id);
  const at = isoTime(input.now);
  const row: SourceRow = {
    id: input.id,
    name: input.name,
    type: input.type,
    config: input.config,
    secrets: input.secrets,
    status: 'unchecked',
    status_message: null,
    checked_at: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  await tx.all(sql`
    insert into sources (id, name, type, config, secrets, status, version, created_at, updated_at, share_of)
    values (${row.id}, ${row.name}, ${row.type}, ${row.config}, ${row.secrets}, ${row.status}, 1, ${at}, ${at},
      ${input.share})`);
  await note(tx, input, row, 'source.created', { name: row.name, type: row.type });
  return row;
});

export interface SourceUpdate extends Change {
  /** What who asks for it may do. */
  scopes: ReadonlySet<Scope>;
  id: string;
  /** The version that the change was made from, and its secrets; undefined is answered when they are no longer that. */
  version: number;
  known: string | null;
  name: string;
  config: string;
  secrets: string | null;
  /** What was sent, for the audit. */
  fields: string[];
  /** Whether the connection may have changed, so that the last check says nothing any more. */
  unchecked: boolean;
}

/** Changes a source, in a transaction of the caller; `pointed` is what follows when it may lead elsewhere, before anybody is told. */
export async function changeSource(
  tx: Connection,
  input: SourceUpdate,
  pointed: (before: SourceRow) => Promise<unknown>,
): Promise<SourceRow | undefined> {
  const before = await locked(tx, input.id);
  if (before.version !== input.version || before.secrets !== input.known) return undefined;
  // A transaction that makes a synchronization locks its sources too: none that uses this one can come in between.
  if (input.unchecked) await demandForSource(tx, input, input.id);
  if (input.name !== before.name) await demandFreeName(tx, 'sources', input.name, input.id);
  const row: SourceRow = {
    ...before,
    name: input.name,
    config: input.config,
    secrets: input.secrets,
    ...(input.unchecked && { status: 'unchecked' as const, status_message: null, checked_at: null }),
    version: before.version + 1,
    updated_at: isoTime(input.now),
  };
  await tx.all(sql`
      update sources set name = ${row.name}, config = ${row.config}, secrets = ${row.secrets}, status = ${row.status},
        status_message = ${row.status_message}, checked_at = ${row.checked_at}, version = ${row.version}, updated_at = ${row.updated_at}
      where id = ${row.id}`);
  if (input.unchecked) await pointed(before);
  await note(tx, input, row, 'source.updated', { name: row.name, fields: input.fields });
  return row;
}

export const deleteSource = command(import.meta.url, 'deleteSource', async (tx, input: Change & { id: string }): Promise<SourceRow> => {
  const row = await locked(tx, input.id);
  const users = await syncsOf(tx, input.id);
  if (users.length > 0) {
    const names = users.map(({ id, name }) => `"${name}" (${id})`).join(', ');
    throw new AppError(
      'IN_USE',
      `The source "${row.name}" is used by ${names}. Delete or change ${users.length === 1 ? 'it' : 'them'} first.`,
      {
        reason: `used by ${users.map(({ id }) => id).join(', ')}`,
      },
    );
  }
  await tx.all(sql`delete from sources where id = ${input.id}`);
  await note(tx, input, row, 'source.deleted', { name: row.name });
  return row;
});

/** What a check has found. It says nothing about a source that was changed while it was checked. */
export const recordCheck = command(
  import.meta.url,
  'recordCheck',
  async (tx, input: { id: string; version: number; now: number; status: 'ok' | 'failing'; message: string }): Promise<SourceRow> => {
    const before = await locked(tx, input.id);
    if (before.version !== input.version) return before;
    const row: SourceRow = { ...before, status: input.status, status_message: input.message, checked_at: isoTime(input.now) };
    await tx.all(sql`
      update sources set status = ${row.status}, status_message = ${row.status_message}, checked_at = ${row.checked_at} where id = ${row.id}`);
    if (before.status !== row.status) await tellOf(tx, row, 'source.status_changed', input.now);
    return row;
  },
);

/** Secrets that were encrypted anew, or that were in the open before; nothing else about the source changes, unless another request did. */
export const replaceSecrets = command(
  import.meta.url,
  'replaceSecrets',
  async (tx, input: { id: string; version: number; config: string; secrets: string | null }): Promise<void> => {
    await tx.all(
      sql`update sources set config = ${input.config}, secrets = ${input.secrets} where id = ${input.id} and version = ${input.version}`,
    );
  },
);

/** A secret that its system has changed. It is another source to nobody: neither its version nor the last check change. False when the secrets are others by now. */
export const exchangeSecrets = command(
  import.meta.url,
  'exchangeSecrets',
  async (tx, input: { id: string; before: string; secrets: string }): Promise<boolean> => {
    const changed = await tx.all(
      sql`update sources set secrets = ${input.secrets} where id = ${input.id} and secrets = ${input.before} returning id`,
    );
    return changed.length > 0;
  },
);

async function locked(tx: Connection, id: string): Promise<SourceRow> {
  const [row] = await tx.all<SourceRow>(sql`select * from sources where id = ${id} ${forUpdate}`);
  if (!row) throw notFound('source', id);
  return row;
}

async function note(
  tx: Connection,
  { actor, now }: Change,
  row: SourceRow,
  action: EventType,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, now, { actor, action, object_id: row.id, details });
  await tellOf(tx, row, action, now);
}

async function tellOf(tx: Connection, row: SourceRow, type: EventType, now: number): Promise<void> {
  await appendEvents(tx, 'sources', [{ type, objectId: row.id, at: isoTime(now), data: sourceJson(row) }], {});
}
