import type { FastifyRequest } from 'fastify';
import type { Database } from '../../db/database.ts';
import { pageAnswer, pageOf } from '../../http/paging.ts';
import { type Route, route } from '../../http/route.ts';
import { ListOf, PAGING, Strict, Success } from '../../http/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { Type } from '../../lib/schema.ts';
import { demandForHook } from '../access/demand.ts';
import { deleteHook } from './commands.ts';
import { HOOK_PATH } from './door.ts';
import { callId, findHook, listCalls, listHooks } from './queries.ts';
import { renderCall, renderHook } from './render.ts';
import { Call, ChangedHook, EXAMPLE_CALL, EXAMPLE_HOOK, EXAMPLE_NEW, Hook, HookWithToken, NewHook, RotateHook } from './schemas.ts';
import type { HookService, MadeHook } from './service.ts';

const BASE = '/api/v1/datasync/hooks';
const TAG = 'Hooks';
const DAY_SECONDS = 86_400;
const HookId = Strict({ id: Type.String({ description: 'The id of the hook.' }) });

interface Options {
  db: Database;
  clock: Clock;
  hooks: HookService;
  /** Where this service is found from outside; as the caller of a request has found it when that is not known. */
  publicUrl: string | undefined;
}

export function hookRoutes({ db, clock, hooks, publicUrl }: Options): Route[] {
  const shownOnce = (request: FastifyRequest, { row, token, secret }: MadeHook) => {
    const url = token === null ? null : `${publicUrl ?? `${request.protocol}://${request.host}`}${HOOK_PATH}/${token}`;
    const shown = renderHook(row);
    return { ...shown, secret: secret ?? shown.secret, token, url };
  };
  return [
    route({
      method: 'GET',
      path: BASE,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List hooks, newest first',
      query: Strict(PAGING),
      answer: ListOf(Hook),
      examples: { answer: { success: true, data: [EXAMPLE_HOOK], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const { rows, total, limit } = await db.query(
          listHooks,
          pageOf(query, (key) => isId('hok', key)),
        );
        return pageAnswer(rows.map(renderHook), total, { limit });
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Create a hook',
      description:
        'An address that another system calls when something has changed there. A call starts the synchronization `sync_id`, at most one run at a time and never missing the last call; and the calls of a hook can be a source of their own (type `hook`). `token`, `url` and a secret that is made here are shown now and never again. Where the shop is at an end of the synchronization, the key needs the scopes that it takes to start it.',
      body: NewHook,
      answer: Success(HookWithToken),
      errors: ['CONFLICT'],
      answerHeaders: { Location: 'Where the hook is.' },
      examples: {
        body: { name: EXAMPLE_HOOK.name, scheme: 'shopify', secret: 'the secret that Shopify shows', sync_id: EXAMPLE_HOOK.sync_id },
        answer: { success: true, data: EXAMPLE_NEW },
      },
      handle: async ({ body, principal, request, reply }) => {
        const made = await hooks.create(principal, body);
        void reply.header('location', `${BASE}/${made.row.id}`);
        return { success: true as const, data: shownOnce(request, made) };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Read one hook',
      params: HookId,
      answer: Success(Hook),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_HOOK } },
      handle: async ({ params }) => {
        const row = await findHook(db.read, params.id);
        if (!row) throw notFound('hook', params.id);
        return { success: true as const, data: renderHook(row) };
      },
    }),
    route({
      method: 'PUT',
      path: `${BASE}/{id}`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Update a hook',
      description:
        'Changes the fields that are sent. A `secret` replaces the one before at once; to let both count for a while, see `rotate`. Where a call starts a synchronization with the shop, or is a row that the shop takes, the key needs the scopes for that to change `scheme`, `secret` or `header`.',
      params: HookId,
      body: ChangedHook,
      answer: Success(Hook),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { body: { name: 'orders' }, answer: { success: true, data: { ...EXAMPLE_HOOK, name: 'orders', version: 2 } } },
      handle: async ({ params, body, principal }) => ({
        success: true as const,
        data: renderHook(await hooks.update(principal, params.id, body)),
      }),
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/{id}`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Delete a hook',
      description: 'With its calls. Refused as long as it is a source. From then on its address is unknown.',
      params: HookId,
      answer: Success(Hook),
      errors: ['NOT_FOUND', 'IN_USE'],
      examples: { answer: { success: true, data: EXAMPLE_HOOK } },
      handle: async ({ params, principal }) => {
        const change = { actor: principal.actor(), scopes: principal.scopes, now: clock(), id: params.id };
        return { success: true as const, data: renderHook(await db.write(deleteHook, change)) };
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/{id}/rotate`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Replace the address or the secret of a hook',
      description:
        'Without `secret`, a new address, which is shown now and never again; with it, a new secret. What is replaced works on for `overlap_seconds`, a day unless you say otherwise; of secrets the last three count. Where a call starts a synchronization with the shop, or is a row that the shop takes, the key needs the scopes for that.',
      params: HookId,
      body: RotateHook,
      bodyOptional: true,
      answer: Success(HookWithToken),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { body: { overlap_seconds: 3600 }, answer: { success: true, data: EXAMPLE_NEW } },
      handle: async ({ params, body, principal, request }) => {
        const { overlap_seconds: overlapSeconds = DAY_SECONDS, secret } = (body as typeof body | undefined) ?? {};
        return { success: true as const, data: shownOnce(request, await hooks.rotate(principal, params.id, { overlapSeconds, secret })) };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}/calls`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List the calls of a hook, newest first',
      description:
        'Calls that were taken, as they were sent. They are kept for 30 days (`SYNCLINE_HOOK_DAYS`). The audit tells who has read them. Where the shop takes them as rows, the key needs the scope to read those too.',
      params: HookId,
      query: Strict(PAGING),
      answer: ListOf(Call),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: [EXAMPLE_CALL], total: 1, next_cursor: null } },
      handle: async ({ params: { id: hookId }, query, principal }) => {
        const page = pageOf(query, (key) => isCallOf(hookId, key));
        if (!(await findHook(db.read, hookId))) throw notFound('hook', hookId);
        await demandForHook(db.read, principal, 'look', hookId);
        const { rows, total, limit } = await db.query(listCalls, { ...page, hookId });
        const shown = Math.min(rows.length, limit);
        if (shown > 0) principal.tellRead({ action: 'hook.calls_read', objectId: hookId, rows: shown });
        return pageAnswer(
          rows.map((row) => renderCall(hookId, row)),
          total,
          { limit },
        );
      },
    }),
  ];
}

function isCallOf(hookId: string, key: string): boolean {
  const seq = Number(/\.([1-9]\d{0,15})$/.exec(key)?.[1]);
  return key === callId(hookId, seq);
}
