import type { Database } from '../../../db/database.ts';
import type { Caller } from '../../../http/caller.ts';
import { pageAnswer, pageOf } from '../../../http/paging.ts';
import { type Route, route } from '../../../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../../../http/schemas.ts';
import type { Clock } from '../../../lib/clock.ts';
import { notFound } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { Type } from '../../../lib/schema.ts';
import { demandShopRows } from '../../access/demand.ts';
import type { Asking } from '../../access/rules.ts';
import { listRejects, type RejectPage, type RejectRow, shopRowsOfSync } from '../rows/queries.ts';
import { retryRejects, retryRejectsOfSync } from './rejects.ts';
import type { RenderedRun, RunRow } from '../rows/run-row.ts';
import { EXAMPLE_QUEUED, EXAMPLE_REJECT, Reject, Run } from '../schemas.ts';

const BASE = '/api/v1/datasync';
const TAG = 'Runs';
const SyncId = Strict({ id: Type.String({ description: 'The id of the synchronization.' }) });
const RunId = Strict({ id: Type.String({ description: 'The id of the run.' }) });
const Stream = Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Only rows of this stream of the source.' }));
const SHOP = 'Where the shop is at an end, or was, the key needs the scopes to read its rows too.';
const LIST_EXAMPLE = { answer: { success: true, data: [EXAMPLE_REJECT], total: 1, next_cursor: null } };
const RETRY_EXAMPLE = { answer: { success: true, data: { ...EXAMPLE_QUEUED, trigger: 'retry', mode: 'rejects' } } };
const RETRY_HEADERS = { Location: 'Where the run is that tries again.' };

interface Options {
  db: Database;
  clock: Clock;
  /** The run of this id, or a 404. */
  found: (id: string) => Promise<RunRow>;
  /** Tells all nodes of a run, and answers it. */
  changed: (asking: Asking, row: RunRow) => { success: true; data: RenderedRun };
}

/** Rows that were rejected: of a synchronization, whichever run it was, and of one run. */
export function rejectRoutes({ db, clock, found, changed }: Options): Route[] {
  const list = async (caller: Caller, page: RejectPage) => {
    const found = await shopRowsOfSync(db.read, page.syncId);
    if (!found) throw notFound('synchronization', page.syncId);
    demandShopRows(caller, found.shop);
    const { rows, total, limit } = await db.query(listRejects, page);
    if (rows.length > 0) caller.tellRead({ action: 'rejects.read', objectId: page.syncId, rows: Math.min(rows.length, limit) });
    return pageAnswer(rows.map(renderReject), total, { limit });
  };
  const isRejectId = (key: string): boolean => isId('rej', key);

  return [
    route({
      method: 'GET',
      path: `${BASE}/sync/{id}/rejects`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List the rejected rows of a synchronization',
      description: `With the reason and the row as it was read, oldest first. Open ones, unless \`status\` says otherwise. ${SHOP}`,
      params: SyncId,
      query: Strict({
        ...PAGING,
        stream: Stream,
        status: Type.Optional(
          OneOf(['open', 'resolved', 'all'], {
            default: 'open',
            description: 'Only open ones, only resolved ones, or both.',
          }),
        ),
      }),
      answer: ListOf(Reject),
      errors: ['NOT_FOUND'],
      examples: LIST_EXAMPLE,
      handle: async ({ params: { id }, query: { stream, status = 'open', ...place }, principal }) => {
        const page = pageOf(place, isRejectId);
        if (!isId('syn', id)) throw notFound('synchronization', id);
        return list(principal, { ...page, syncId: id, stream, status: status === 'all' ? undefined : status });
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/sync/{id}/rejects/retry`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Retry the rejected rows of a synchronization',
      description:
        'Starts a run with the mode `rejects` for the streams that have open rejects, whichever run has rejected them. What can be written now is resolved; what cannot stays.',
      params: SyncId,
      answer: Success(Run),
      answerHeaders: RETRY_HEADERS,
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: RETRY_EXAMPLE,
      handle: async ({ params: { id }, principal, reply }) => {
        if (!isId('syn', id)) throw notFound('synchronization', id);
        const row = await db.write(retryRejectsOfSync, { now: clock(), actor: principal.actor(), scopes: principal.scopes, id });
        void reply.header('location', `${BASE}/runs/${row.id}`);
        return changed(principal, row);
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/runs/{id}/rejects`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List the rejected rows of a run',
      description: `With the reason and the row as it was read, oldest first. A row that later runs find refused again is the same reject: it is listed with each of them. ${SHOP}`,
      params: RunId,
      query: Strict({
        ...PAGING,
        stream: Stream,
        status: Type.Optional(OneOf(['open', 'resolved'], { description: 'Only open ones, or only resolved ones.' })),
      }),
      answer: ListOf(Reject),
      errors: ['NOT_FOUND'],
      examples: LIST_EXAMPLE,
      handle: async ({ params, query: { stream, status, ...place }, principal }) => {
        const page = pageOf(place, isRejectId);
        const { id, sync_id } = await found(params.id);
        return list(principal, { ...page, syncId: sync_id, runId: id, stream, status });
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/runs/{id}/rejects/retry`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Retry the rejected rows of a run',
      description:
        'Starts a run with the mode `rejects` for the streams of this run that have open rejects. What can be written now is resolved; what cannot stays.',
      params: RunId,
      answer: Success(Run),
      answerHeaders: RETRY_HEADERS,
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: RETRY_EXAMPLE,
      handle: async ({ params, principal, reply }) => {
        const { id } = await found(params.id);
        const row = await db.write(retryRejects, { now: clock(), actor: principal.actor(), scopes: principal.scopes, id });
        void reply.header('location', `${BASE}/runs/${row.id}`);
        return changed(principal, row);
      },
    }),
  ];
}

function renderReject(row: RejectRow) {
  return { ...row, status: row.resolved_at === null ? ('open' as const) : ('resolved' as const) };
}
