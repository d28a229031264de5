import type { Database } from '../../db/database.ts';
import type { Caller } from '../../http/caller.ts';
import { type Route, route } from '../../http/route.ts';
import { JsonText, ListOf, Named, Nullable, Strict, Success, Time } from '../../http/schemas.ts';
import { notFound } from '../../lib/errors.ts';
import { type Static, Type } from '../../lib/schema.ts';
import type { SyncRow } from './queries.ts';
import { EXAMPLE_SYNC, SavedSync } from './schemas.ts';
import type { SyncService } from './service.ts';
import { changeTo, findVersion, listVersions, type VersionRow } from './versions.ts';

const PATH = '/api/v1/datasync/sync/{id}/versions';
const TAG = 'Synchronizations';
const SyncId = Strict({ id: Type.String({ description: 'The id of the synchronization.' }) });
const VersionId = Strict({
  id: Type.String({ description: 'The id of the synchronization.' }),
  version: Type.String({ description: 'The number of the version.', examples: ['3'] }),
});

const members = {
  version: Type.Integer({ description: 'Counts the changes: the first is 1.' }),
  current: Type.Boolean({ description: 'Whether it is what the synchronization does now.' }),
  saved_at: Time(),
  actor: Nullable(
    Type.String({
      description: 'Who saved it, as in the audit; null for what was saved before versions were kept.',
      examples: ['operator'],
    }),
  ),
  fields: Type.Array(Type.String(), { description: 'What was sent; empty for the first.' }),
  restored: Nullable(Type.Integer({ description: 'The version that this one is a copy of, when it was restored.' })),
  name: Type.String({ description: 'What it was called then.' }),
  source_id: Type.String(),
  target_id: Type.String(),
};
const SyncVersion = Named('SynchronizationVersion', members);
const WholeVersion = Named('SynchronizationVersionWhole', {
  ...members,
  definition: JsonText(
    Type.Object({}, { additionalProperties: true, description: 'Everything that it was told, as `PUT` of the synchronization takes it.' }),
  ),
});
const EXAMPLE = {
  version: 3,
  current: true,
  saved_at: '2026-11-01T09:30:00.000Z',
  actor: 'key_01kf9zzz5tf3sv8q0d1h6c2w7m',
  fields: ['schedule'],
  restored: null,
  name: EXAMPLE_SYNC.name,
  source_id: EXAMPLE_SYNC.source_id,
  target_id: EXAMPLE_SYNC.target_id,
};
const EXAMPLE_DEFINITION = {
  name: EXAMPLE_SYNC.name,
  source_id: EXAMPLE_SYNC.source_id,
  target_id: EXAMPLE_SYNC.target_id,
  schedule: EXAMPLE_SYNC.schedule,
  streams: EXAMPLE_SYNC.streams,
};

interface Options {
  db: Database;
  syncs: SyncService;
  /** A synchronization as the caller may see it. */
  saved: (caller: Caller, row: SyncRow) => Promise<{ success: true; data: Static<typeof SavedSync> }>;
}

/** What synchronizations were told to do before, who changed it, and the way back. */
export function versionRoutes({ db, syncs, saved }: Options): Route[] {
  const versionOf = async (id: string, version: string): Promise<VersionRow> => {
    const row = /^\d{1,15}$/.test(version) ? await findVersion(db.read, id, Number(version)) : undefined;
    if (!row) throw notFound('version', version);
    return row;
  };

  return [
    route({
      method: 'GET',
      path: PATH,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List the versions of a synchronization, newest first',
      description: 'Every change of its definition makes one: who changed what, and when. The newest 100 are kept.',
      params: SyncId,
      answer: ListOf(SyncVersion),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: [EXAMPLE], total: 1, next_cursor: null } },
      handle: async ({ params }) => {
        const found = await db.query(listVersions, { id: params.id });
        if (!found) throw notFound('synchronization', params.id);
        const data = found.rows.map((row) => told(row, found.present));
        return { success: true as const, data, total: data.length, next_cursor: null };
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/{version}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Read one version of a synchronization',
      description: 'With its whole definition. There is no secret in it: those belong to sources.',
      params: VersionId,
      answer: Success(WholeVersion),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: { ...EXAMPLE, definition: EXAMPLE_DEFINITION } } },
      handle: async ({ params }) => {
        const row = await versionOf(params.id, params.version);
        const { present } = (await db.query(listVersions, { id: params.id })) ?? { present: 0 };
        return { success: true as const, data: { ...told(row, present), definition: JSON.stringify(changeTo(row)) } };
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/{version}/restore`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Restore a version of a synchronization',
      description:
        'Changes it to what it was told then, its name too: the same as `PUT` with that definition, with its checks and its effects, and it makes another version. Nothing that runs have written is changed; that is what undo is for.',
      params: VersionId,
      answer: Success(SavedSync),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { answer: { success: true, data: { ...EXAMPLE_SYNC, warnings: [] } } },
      handle: async ({ params, principal }) => {
        const row = await versionOf(params.id, params.version);
        return saved(principal, await syncs.update(principal, params.id, changeTo(row), row.version));
      },
    }),
  ];
}

function told(row: Omit<VersionRow, 'definition'>, present: number) {
  const { version, saved_at, actor, restored, name, source_id, target_id } = row;
  const fields = JSON.parse(row.fields) as string[];
  return { version, current: version === present, saved_at, actor, fields, restored, name, source_id, target_id };
}
