import type { Database } from '../db/database.ts';
import { pageAnswer, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../http/schemas.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { Type } from '../lib/schema.ts';
import { findCountedWebhook, listWebhooks } from './queries.ts';
import { renderWebhook } from './render.ts';
import {
  ChangedWebhook,
  EXAMPLE_NEW_WEBHOOK,
  EXAMPLE_WEBHOOK,
  EXAMPLE_WEBHOOK_SHOWN,
  NewWebhook,
  STATUSES,
  Webhook,
  WebhookId,
  WebhookShown,
} from './schemas.ts';
import type { WebhookService } from './service.ts';

export const WEBHOOKS = '/api/v1/webhooks';
export const TAG = 'Webhooks';

export function webhookRoutes({ db, clock, webhooks }: { db: Database; clock: Clock; webhooks: WebhookService }): Route[] {
  const now = (): string => isoTime(clock());
  return [
    route({
      method: 'GET',
      path: WEBHOOKS,
      scope: 'webhooks',
      tag: TAG,
      summary: 'List endpoints, newest first',
      query: Strict({ ...PAGING, status: Type.Optional(OneOf(STATUSES, { description: 'Only those with this status.' })) }),
      answer: ListOf(Webhook),
      examples: { answer: { success: true, data: [EXAMPLE_WEBHOOK], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('whk', key));
        const { rows, total } = await db.query(listWebhooks, { page, status: query.status });
        return pageAnswer(
          rows.map((row) => renderWebhook(row, now())),
          total,
          page,
        );
      },
    }),
    route({
      method: 'POST',
      path: WEBHOOKS,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Add an endpoint',
      description:
        'Events are posted to it as Standard Webhooks 1.0 says, from now on or from a place of the feed. It is told of what this key may read and of nothing else: ' +
        'to name a type in `types` needs the scope to read it. The answer is the only place where the signing secret is shown; with ed25519 there is none to show, only `public_key`.',
      body: NewWebhook,
      answer: Success(WebhookShown),
      answerHeaders: { Location: 'Where the endpoint is.' },
      errors: ['CONFLICT'],
      examples: { body: EXAMPLE_NEW_WEBHOOK, answer: { success: true, data: EXAMPLE_WEBHOOK_SHOWN } },
      handle: async ({ body, principal, reply }) => {
        const { row, secret } = await webhooks.create(principal, body);
        void reply.header('location', `${WEBHOOKS}/${row.id}`);
        return { success: true as const, data: { ...renderWebhook(row, now()), secret } };
      },
    }),
    route({
      method: 'GET',
      path: `${WEBHOOKS}/{id}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Read one endpoint',
      params: WebhookId,
      answer: Success(Webhook),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_WEBHOOK } },
      handle: async ({ params }) => {
        const row = await findCountedWebhook(db.read, params.id);
        if (!row) throw notFound('endpoint', params.id);
        return { success: true as const, data: renderWebhook(row, now()) };
      },
    }),
    route({
      method: 'PUT',
      path: `${WEBHOOKS}/{id}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Update an endpoint',
      description:
        'Changes the fields that are sent. `headers` are replaced as a whole; `"********"` keeps a value. What waits to be sent goes to the new address. ' +
        'The key needs the scopes of all that the endpoint is told of (`scopes`); where `types` are sent, they are made anew from what this key may read.',
      params: WebhookId,
      body: ChangedWebhook,
      answer: Success(Webhook),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: {
        body: { url: 'https://shop.example/v2/syncline' },
        answer: { success: true, data: { ...EXAMPLE_WEBHOOK, url: 'https://shop.example/v2/syncline', version: 2 } },
      },
      handle: async ({ params, body, principal }) => ({
        success: true as const,
        data: renderWebhook(await webhooks.update(principal, params.id, body), now()),
      }),
    }),
    route({
      method: 'DELETE',
      path: `${WEBHOOKS}/{id}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Delete an endpoint',
      description: 'Nothing more is sent to it, and its deliveries are forgotten. To keep what it misses, pause it.',
      params: WebhookId,
      answer: Success(Webhook),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_WEBHOOK } },
      handle: async ({ params, principal }) => ({
        success: true as const,
        data: renderWebhook(await webhooks.remove(principal, params.id), now()),
      }),
    }),
  ];
}
