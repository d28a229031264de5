import { Type } from '../../lib/schema.ts';
import type { Command, Database } from '../../db/database.ts';
import type { Actor } from '../../http/caller.ts';
import { pageAnswer, pageOf } from '../../http/paging.ts';
import { type Route, route } from '../../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../../http/schemas.ts';
import type { Principal } from '../../http/scopes.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { Asking } from '../access/rules.ts';
import { deleteSync, pauseSync, resetSync, resumeSync } from './commands.ts';
import { findSync, listSyncs, type SyncRow } from './queries.ts';
import { renderSync } from './render.ts';
import { ChangedSync, EXAMPLE_SYNC, NewSync, ResetSync, SavedSync, Sync } from './schemas.ts';
import { trialRoutes } from './trial-routes.ts';
import { versionRoutes } from './version-routes.ts';
import type { SyncService } from './service.ts';

const BASE = '/api/v1/datasync/sync';
const TAG = 'Synchronizations';
const SyncId = Strict({ id: Type.String({ description: 'The id of the synchronization.' }) });

interface Options {
  db: Database;
  clock: Clock;
  syncs: SyncService;
}

export function syncRoutes({ db, clock, syncs }: Options): Route[] {
  const shown = async (asking: Asking, id: string) => {
    const view = await db.query(findSync, { id });
    if (!view) throw notFound('synchronization', id);
    return { success: true as const, data: renderSync(asking, view, isoTime(clock())) };
  };
  const saved = async (asking: Asking, row: SyncRow) => {
    const { success, data } = await shown(asking, row.id);
    return { success, data: { ...data, warnings: await syncs.warningsOf(row) } };
  };
  /** A route that does one thing to a synchronization and shows how it is then. */
  const action = (path: string, work: Command<SyncRequest, SyncRow>, words: Words): Route =>
    route({
      method: 'POST',
      path: `${BASE}/{id}/${path}`,
      scope: 'datasync:write',
      tag: TAG,
      ...words,
      params: SyncId,
      answer: Success(Sync),
      errors: ['NOT_FOUND'],
      handle: async ({ params, principal }) => {
        await db.write(work, { actor: principal.actor(), scopes: principal.scopes, now: clock(), id: params.id });
        return shown(principal, params.id);
      },
    });

  return [
    ...trialRoutes({ clock, syncs }),
    ...versionRoutes({ db, syncs, saved }),
    route({
      method: 'GET',
      path: BASE,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List synchronizations, newest first',
      description: 'The active ones, unless `status` says otherwise.',
      query: Strict({
        ...PAGING,
        status: Type.Optional(OneOf(['active', 'paused', 'all'], { default: 'active', description: 'Which ones.' })),
      }),
      answer: ListOf(Sync),
      examples: { answer: { success: true, data: [EXAMPLE_SYNC], total: 1, next_cursor: null } },
      handle: async ({ query, principal }) => {
        const page = pageOf(query, (key) => isId('syn', key));
        const { rows, total, limit } = await db.query(listSyncs, { ...page, status: query.status ?? 'active' });
        const now = isoTime(clock());
        return pageAnswer(
          rows.map((row) => renderSync(principal, row, now)),
          total,
          { limit },
        );
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Create a synchronization',
      description:
        'It is held against what both systems have at this moment: every fault is named with its place, such as `streams[2].cursor`. What is left out is filled in, so that a name, two sources and the names of the streams are enough. What a system has against being asked is a 409 in words, and nothing is stored. `warnings` names other synchronizations that write the same tables. To read the shop or to write to it, the key needs the scopes of the shop too.',
      body: NewSync,
      answer: Success(SavedSync),
      answerHeaders: { Location: 'Where the synchronization is.' },
      errors: ['CONFLICT'],
      examples: {
        body: {
          name: 'customers to the warehouse',
          source_id: EXAMPLE_SYNC.source_id,
          target_id: EXAMPLE_SYNC.target_id,
          streams: [{ source: 'public.customers' }],
        },
        answer: { success: true, data: { ...EXAMPLE_SYNC, warnings: [] } },
      },
      handle: async ({ body, principal, reply }) => {
        const row = await syncs.create(principal, body);
        void reply.header('location', `${BASE}/${row.id}`);
        return saved(principal, row);
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Read one synchronization',
      params: SyncId,
      answer: Success(Sync),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_SYNC } },
      handle: async ({ params, principal }) => shown(principal, params.id),
    }),
    route({
      method: 'PUT',
      path: `${BASE}/{id}`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Update a synchronization',
      description:
        'Changes the fields that are sent; `streams` is replaced as a whole. A run in progress keeps the definition that it started with; a live one goes on with the new one from its next checkpoint. A stream that gets another source, mode, key, cursor or filter is read again from the start by the next run. Where the shop is at an end, before or after, the key needs the scopes of the shop too.',
      params: SyncId,
      body: ChangedSync,
      answer: Success(SavedSync),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: {
        body: { schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' } },
        answer: {
          success: true,
          data: {
            ...EXAMPLE_SYNC,
            schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' },
            next_run_at: '2026-11-02T05:00:00.000Z',
            warnings: [],
          },
        },
      },
      handle: async ({ params, body, principal }) => saved(principal, await syncs.update(principal, params.id, body)),
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/{id}`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Delete a synchronization',
      description:
        'With its runs and what they have rejected. Refused while one is running, unless it is live, and while others run after it (`IN_USE`, with their names). The data at the target stays. What the source keeps of its log for a live one is released, as soon as the source can be reached.',
      params: SyncId,
      answer: Success(Sync),
      errors: ['NOT_FOUND', 'CONFLICT', 'IN_USE'],
      examples: { answer: { success: true, data: EXAMPLE_SYNC } },
      handle: async ({ params, principal }) => {
        const answer = await shown(principal, params.id);
        await db.write(deleteSync, { actor: principal.actor(), now: clock(), id: params.id });
        return answer;
      },
    }),
    action('pause', pauseSync, {
      summary: 'Pause a synchronization',
      description:
        'Its schedule starts no runs, and no run can be started but a preview. A run in progress goes on; a live one ends at its next checkpoint.',
      examples: {
        answer: {
          success: true,
          data: {
            ...EXAMPLE_SYNC,
            status: 'paused',
            health: 'paused',
            health_code: 'paused',
            health_reason: 'It is paused: nothing runs by itself until it is resumed.',
            next_run_at: null,
          },
        },
      },
    }),
    action('resume', resumeSync, {
      summary: 'Resume a synchronization',
      description:
        'Also one that Syncline paused after many failures. Runs that were due meanwhile are not made up for; one that a hook or the synchronization before it has asked for is started, and a live one goes on from its checkpoint.',
      examples: { answer: { success: true, data: EXAMPLE_SYNC } },
    }),
    route({
      method: 'POST',
      path: `${BASE}/{id}/reset`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Reset a synchronization',
      description:
        'Forgets the positions of its streams: the next run reads everything again. Nothing at the target is deleted. Refused while a run is in progress, unless it is live: then it loads them anew from its next checkpoint on.',
      params: SyncId,
      body: ResetSync,
      bodyOptional: true,
      answer: Success(Sync),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { body: { streams: ['public.customers'] }, answer: { success: true, data: EXAMPLE_SYNC } },
      handle: async ({ params, body, principal }) => {
        // The body may be left out.
        const streams = (body as typeof body | undefined)?.streams ?? null;
        await db.write(resetSync, { actor: principal.actor(), scopes: principal.scopes, now: clock(), id: params.id, streams });
        return shown(principal, params.id);
      },
    }),
  ];
}

type SyncRequest = { actor: Actor; scopes: Principal['scopes']; now: number; id: string };
type Words = Pick<Route, 'summary' | 'description' | 'examples'>;
