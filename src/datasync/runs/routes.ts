import { EventStream } from '../../http/event-stream.ts';
import { type PageRequest, pageAnswer, pageOf } from '../../http/paging.ts';
import { type Route, route } from '../../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success, TimeInput } from '../../http/schemas.ts';
import { firstMillisecond, isoTime, parseTime } from '../../lib/clock.ts';
import { invalidParam, notFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { Type } from '../../lib/schema.ts';
import type { Asking } from '../access/rules.ts';
import { approveRun, cancelRun, LIVE_CANCELLED } from './ask.ts';
import { enqueueRun } from './queue/enqueue.ts';
import { findRun, isQuickPage, listRuns, type RunFilter, syncExists } from './rows/queries.ts';
import { rejectRoutes } from './rejects/routes.ts';
import { runEvents } from './told/run-events.ts';
import { renderRun, type RunRow } from './rows/run-row.ts';
import { ended } from './told/story.ts';
import { EXAMPLE_QUEUED, EXAMPLE_RUN, NewRun, Run } from './schemas.ts';
import { RUN_STATUSES } from './rows/transitions.ts';
import { runFor } from './told/veil.ts';
import type { RunWatch } from './told/watch.ts';
import { undoRoutes } from './undo/routes.ts';
import type { UndoOptions } from './undo/service.ts';

const BASE = '/api/v1/datasync';
const TAG = 'Runs';
const SyncId = Strict({ id: Type.String({ description: 'The id of the synchronization.' }) });
const RunId = Strict({ id: Type.String({ description: 'The id of the run.' }) });
const Status = Type.Optional(OneOf(RUN_STATUSES, { description: 'Only runs in this state.' }));

export interface RunRoutesOptions extends UndoOptions {
  watch: RunWatch;
}

export function runRoutes(options: RunRoutesOptions): Route[] {
  const { db, clock, watch, logs } = options;
  const found = async (id: string): Promise<RunRow> => {
    const row = isId('run', id) ? await findRun(db.read, id) : undefined;
    if (!row) throw notFound('run', id);
    return row;
  };
  const list = async (asking: Asking, page: PageRequest, filter: RunFilter) => {
    const wanted = { ...page, filter };
    const { rows, total, limit } = await (isQuickPage(wanted) ? listRuns.run(db.read, wanted) : db.query(listRuns, wanted));
    return pageAnswer(
      rows.map((row) => renderRun(runFor(asking, row))),
      total,
      { limit },
    );
  };
  /** The clients that watch the run learn of it at once. */
  const changed = (asking: Asking, row: RunRow) => {
    watch.changed(row.id);
    return { success: true as const, data: renderRun(runFor(asking, row)) };
  };

  return [
    route({
      method: 'POST',
      path: `${BASE}/sync/{id}/runs`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Start a run',
      description:
        'Puts it in the queue; it begins at once when there is room. A synchronization has one run at a time: while one is under way, the answer is a 409 that names it. A live one runs all the time: `full` has its run load the streams anew, which is answered; a `preview` shows what loading them would change, and a `verify` compares both ends, beside it; for a `repair` it stands aside. A repair is under the guard, as a mirror is. Where the shop is at an end, the key needs the scopes of the shop too: to read what is read there and to write what is written there; for a preview, a verify and a preview of a repair, to read both.',
      params: SyncId,
      body: NewRun,
      bodyOptional: true,
      answer: Success(Run),
      answerHeaders: { Location: 'Where the run is.' },
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { body: { mode: 'full', streams: ['public.customers'] }, answer: { success: true, data: EXAMPLE_QUEUED } },
      handle: async ({ params, body, principal, reply }) => {
        const { mode = 'run', streams = null } = body ?? {};
        if (!isId('syn', params.id)) throw notFound('synchronization', params.id);
        const by = { now: clock(), actor: principal.actor(), scopes: principal.scopes };
        const row = await db.write(enqueueRun, { ...by, syncId: params.id, trigger: 'manual', mode, streams });
        void reply.header('location', `${BASE}/runs/${row.id}`);
        return changed(principal, row);
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/sync/{id}/runs`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List the runs of a synchronization, newest first',
      params: SyncId,
      description:
        'The history of proofs is among them, for as long as runs are kept: with `proofs=true`, only runs that compared both ends, each stream with its `proof` (verdict, rows, digest, position, and rows that differ with both values).',
      query: Strict({
        ...PAGING,
        status: Status,
        proofs: Type.Optional(
          OneOf(['true', 'false'], { description: '`true`: only runs that compared both ends: `verify`, `repair` and `repair_preview`.' }),
        ),
      }),
      answer: ListOf(Run),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: [EXAMPLE_RUN], total: 1, next_cursor: null } },
      handle: async ({ params, query, principal }) => {
        const page = pageOf(query, isRunId);
        if (!isId('syn', params.id) || !(await syncExists(db.read, params.id))) throw notFound('synchronization', params.id);
        return list(principal, page, { sync_id: params.id, status: query.status, proofs: query.proofs === 'true' });
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/runs`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List the runs of all synchronizations, newest first',
      query: Strict({
        ...PAGING,
        status: Status,
        sync_id: Type.Optional(Type.String({ pattern: '^syn_[0-9a-z]{1,40}$', description: 'Only runs of this synchronization.' })),
        ended_from: Type.Optional(TimeInput('Only runs that ended at this time or later.')),
        ended_to: Type.Optional(TimeInput('Only runs that ended before this time.')),
        writing: Type.Optional(
          OneOf(['true', 'false'], { description: '`true`: only runs that metrics count, so neither previews nor verifies.' }),
        ),
      }),
      answer: ListOf(Run),
      examples: { answer: { success: true, data: [EXAMPLE_RUN], total: 1, next_cursor: null } },
      handle: ({ query, principal }) =>
        list(principal, pageOf(query, isRunId), {
          sync_id: query.sync_id,
          status: query.status,
          ended_from: moment('ended_from', query.ended_from),
          ended_to: moment('ended_to', query.ended_to),
          writing: query.writing === 'true',
        }),
    }),
    route({
      method: 'GET',
      path: `${BASE}/runs/{id}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Read one run',
      description:
        'Of a run that is under way, the counts are at most a few seconds old; its events are newer. Of a synchronization with the shop at an end, a key without the scopes to read those rows sees the figures, but no samples, positions and words of errors.',
      params: RunId,
      answer: Success(Run),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_RUN } },
      handle: async ({ params, principal }) => ({ success: true as const, data: renderRun(runFor(principal, await found(params.id))) }),
    }),
    route({
      method: 'GET',
      path: `${BASE}/runs/{id}/events`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Follow a run',
      description:
        'Server-sent events. `run` carries the whole run, at once and then with every change, at most four times a second; `end` comes when the run is over, and the connection is closed. A comment every 15 seconds is a sign of life. When the connection is lost, connect again: the first event tells all.',
      params: RunId,
      streamsEvents: true,
      answer: Type.String({ description: 'Events `run` and `end`, with JSON as their data.' }),
      errors: ['NOT_FOUND'],
      examples: {
        answer: `event: run\ndata: ${JSON.stringify(EXAMPLE_RUN)}\n\nevent: end\ndata: {"id":"${EXAMPLE_RUN.id}","status":"partial"}\n\n`,
      },
      handle: async ({ params, principal }) => {
        const row = await found(params.id);
        return new EventStream((signal) => runEvents(db.read, watch, row, signal, (one) => runFor(principal, one)));
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/runs/{id}/cancel`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Cancel a run',
      description:
        'A run that waits (`queued`, `retrying`, `needs_approval`) is cancelled at once. One that is `running` is told to stop: it still is `running` in the answer, with `cancel_requested`, and ends within seconds. What is written already stays; the next run goes on from there. A live synchronization has a run at all times: when its run is cancelled, it is paused with it, and `message` says so; resume it, and it goes on from its checkpoint.',
      params: RunId,
      answer: Strict({
        success: Type.Literal(true),
        data: Run,
        message: Type.Optional(
          Type.String({ description: 'What else follows from it: of a live run that its synchronization is paused.' }),
        ),
      }),
      errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
      examples: { answer: { success: true, data: { ...EXAMPLE_QUEUED, status: 'cancelled', cancel_requested: true } } },
      handle: async ({ params, principal }) => {
        const { id } = await found(params.id);
        const row = await db.write(cancelRun, { now: clock(), actor: principal.actor(), id });
        // When it is running, its worker tells how it ended.
        if (row.status === 'cancelled') logs.add(ended(row));
        return { ...changed(principal, row), ...(row.live !== 0 && { message: LIVE_CANCELLED }) };
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/runs/{id}/approve`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Agree to what a run would change',
      description:
        'A run that `needs_approval` goes back into the queue and does what it was stopped from doing. When the definition is changed before it begins, the guard looks again.',
      params: RunId,
      answer: Success(Run),
      errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
      examples: { answer: { success: true, data: EXAMPLE_QUEUED } },
      handle: async ({ params, principal }) => {
        const { id } = await found(params.id);
        return changed(principal, await db.write(approveRun, { now: clock(), actor: principal.actor(), scopes: principal.scopes, id }));
      },
    }),
    ...rejectRoutes({ db, clock, found, changed }),
    ...undoRoutes(options),
  ];
}

function isRunId(text: string): boolean {
  return isId('run', text);
}

function moment(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time) throw invalidParam(field, 'must be a time such as 2026-11-01T00:00:00Z');
  return isoTime(firstMillisecond(time));
}
