import type { Database } from '../db/database.ts';
import { type Route, route } from '../http/route.ts';
import { Success } from '../http/schemas.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { renderWebhook } from './render.ts';
import { TAG, WEBHOOKS } from './routes.ts';
import { DAY, EXAMPLE_WEBHOOK, EXAMPLE_WEBHOOK_SHOWN, RotateWebhook, Webhook, WebhookId, WebhookShown } from './schemas.ts';
import type { WebhookService } from './service.ts';
import { resumeWebhook } from './state-commands.ts';

export function webhookStateRoutes({ db, clock, webhooks }: { db: Database; clock: Clock; webhooks: WebhookService }): Route[] {
  return [
    route({
      method: 'POST',
      path: `${WEBHOOKS}/{id}/pause`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Pause an endpoint',
      description: 'Nothing is sent to it until it is resumed. What happens meanwhile is kept for it, and follows then.',
      params: WebhookId,
      answer: Success(Webhook),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: { ...EXAMPLE_WEBHOOK, status: 'paused', status_reason: 'It was paused by hand.' } } },
      handle: async ({ params, principal }) => {
        const row = await webhooks.pause(principal, params.id);
        return { success: true as const, data: renderWebhook(row, isoTime(clock())) };
      },
    }),
    route({
      method: 'POST',
      path: `${WEBHOOKS}/{id}/resume`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Resume an endpoint',
      description:
        'One that was paused, by hand or because it kept failing, or disabled, as it answered 410. What it has missed follows in order: what waits, what was given up since it began to ' +
        'fail, and all events since. The key needs the scopes of all that the endpoint is told of (its `scopes`).',
      params: WebhookId,
      answer: Success(Webhook),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_WEBHOOK } },
      handle: async ({ params, principal }) => {
        const by = { actor: principal.actor(), scopes: principal.scopes, now: clock() };
        return { success: true as const, data: renderWebhook(await db.write(resumeWebhook, { ...by, id: params.id }), isoTime(clock())) };
      },
    }),
    route({
      method: 'POST',
      path: `${WEBHOOKS}/{id}/rotate`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Rotate the signing secret',
      description:
        'A new secret signs from now on, and those before sign along for the overlap, 24 hours unless said otherwise: each message carries several signatures, of which the receiver needs one. Of ed25519 the answer has the new `public_key`, and no secret. ' +
        'An overlap can be shortened by rotating again, not extended. The key needs the scopes of all that the endpoint is told of (its `scopes`).',
      params: WebhookId,
      body: RotateWebhook,
      bodyOptional: true,
      answer: Success(WebhookShown),
      errors: ['NOT_FOUND'],
      examples: { body: { overlap_seconds: 3600 }, answer: { success: true, data: EXAMPLE_WEBHOOK_SHOWN } },
      handle: async ({ params, body, principal }) => {
        const wish = { overlapSeconds: body?.overlap_seconds ?? DAY, signature: body?.signature };
        const { row, secret } = await webhooks.rotate(principal, params.id, wish);
        return { success: true as const, data: { ...renderWebhook(row, isoTime(clock())), secret } };
      },
    }),
  ];
}
