import type { Database } from '../db/database.ts';
import type { WholeEvents } from '../events/left-out.ts';
import type { VeilEvents } from '../events/routes.ts';
import type { Caller } from '../http/caller.ts';
import { cursorOf, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../http/schemas.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime, parseTime } from '../lib/clock.ts';
import { invalidParam, notFound } from '../lib/errors.ts';
import { numberIn } from '../lib/ids.ts';
import { Type } from '../lib/schema.ts';
import type { Keyring } from '../lib/secrets.ts';
import { demandAll } from './access.ts';
import { DELIVERY_STATUSES, type DeliveryRow, findDelivery, findEvent, listDeliveries } from './deliveries.ts';
import {
  Delivery,
  DeliveryInFull,
  EXAMPLE_DELIVERY,
  EXAMPLE_DELIVERY_IN_FULL,
  Replay,
  type ReplayBody,
  Tested,
} from './delivery-schemas.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { bodyOf, messageIdOf } from './message.ts';
import { findWebhook } from './queries.ts';
import type { ReplayWish } from './replay.ts';
import { TAG, WEBHOOKS } from './routes.ts';
import { WebhookId } from './schemas.ts';
import { maskedHeaders } from './sealed.ts';
import type { WebhookService } from './service.ts';
import { signatureHeaders } from './signature.ts';
import type { TestEndpoint } from './test-endpoint.ts';

interface Options {
  db: Database;
  keyring: Keyring;
  webhooks: WebhookService;
  whole: WholeEvents;
  /** What an endpoint may see of events that belong to its topics. */
  veil: VeilEvents;
  testEndpoint: TestEndpoint;
}

const NEEDS_ALL = 'The key needs the scopes of all that the endpoint is told of (its `scopes`).';

export function deliveryRoutes({ db, keyring, webhooks, whole, veil, testEndpoint }: Options): Route[] {
  /** Throws unless the caller may read all that the endpoint is told of. */
  const endpointFor = async (caller: Caller, id: string): Promise<Endpoint> => {
    const row = await findWebhook(db.read, id);
    if (!row) throw notFound('endpoint', id);
    demandAll(caller, JSON.parse(row.scopes) as Scope[]);
    return endpointOf(row, keyring);
  };

  return [
    route({
      method: 'POST',
      path: `${WEBHOOKS}/{id}/test`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Send a test to an endpoint',
      description:
        'Posts an event `webhook.test`, signed like all others, and tells what came back. It is sent once, at once, whatever the status of the endpoint, and is not among its ' +
        `deliveries. The answer is 200 whether it works or not: look at \`delivered\`. ${NEEDS_ALL}`,
      params: WebhookId,
      answer: Success(Tested),
      errors: ['NOT_FOUND'],
      examples: {
        answer: { success: true, data: { delivered: true, status: 200, duration_ms: 41, error: null, response: 'ok' } },
      },
      handle: async ({ params, principal }) => ({
        success: true as const,
        data: await testEndpoint(principal, await endpointFor(principal, params.id)),
      }),
    }),
    route({
      method: 'GET',
      path: `${WEBHOOKS}/{id}/deliveries`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'List deliveries, newest first',
      description: `Events that were sent to the endpoint, or wait to be. They are kept for 30 days after they are over. ${NEEDS_ALL}`,
      params: WebhookId,
      query: Strict({
        ...PAGING,
        status: Type.Optional(OneOf(DELIVERY_STATUSES, { description: 'Only those with this status.' })),
        type: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only events of this type.' })),
        object_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Only events of this object.' })),
      }),
      answer: ListOf(Delivery),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: [EXAMPLE_DELIVERY], total: 1, next_cursor: null } },
      handle: async ({ params, query, principal }) => {
        const page = pageOf(query, (key) => /^\d{1,15}$/.test(key));
        const { id } = await endpointFor(principal, params.id);
        const { status, type, object_id } = query;
        const { rows, total } = await db.query(listDeliveries, { id, page, filter: { status, type, object_id } });
        const data = rows.slice(0, page.limit).map(rendered);
        const next_cursor = rows.length > page.limit ? cursorOf(String(data.at(-1)?.sequence)) : null;
        return { success: true as const, data, total, next_cursor };
      },
    }),
    route({
      method: 'GET',
      path: `${WEBHOOKS}/{id}/deliveries/{sequence}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Read one delivery',
      description: `With the request as it would be sent now, and the last attempts with what came back. ${NEEDS_ALL}`,
      params: Strict({
        id: WebhookId.properties?.['id'] as ReturnType<typeof Type.String>,
        sequence: Type.String({ description: 'The sequence of the event.', examples: ['812'] }),
      }),
      answer: Success(DeliveryInFull),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_DELIVERY_IN_FULL } },
      handle: async ({ params, principal }) => {
        const endpoint = await endpointFor(principal, params.id);
        const seq = /^\d{1,15}$/.test(params.sequence) ? Number(params.sequence) : 0;
        const [row, event] = await Promise.all([findDelivery(db.read, params.id, seq), findEvent(db.read, seq)]);
        if (!row || !event) throw notFound('delivery', params.sequence);
        const [veiled = event] = await veil(db.read, { scopes: new Set(endpoint.scopes) }, await whole(db.read, [event]));
        principal.tellRead({ action: 'webhook.delivery_read', objectId: params.id, rows: 1 });
        const log = (row.log === null ? [] : JSON.parse(row.log)) as Attempt[];
        return {
          success: true as const,
          data: { ...rendered(row), request: requestOf(endpoint, row, bodyOf(veiled, endpoint.payload), log.at(-1)?.at), log },
        };
      },
    }),
    route({
      method: 'POST',
      path: `${WEBHOOKS}/{id}/replay`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Send deliveries again',
      description:
        'One event (`message_id`), those of a range of time (`from`, `to`), or all that were given up (`failed`); exactly one of the three. Each is sent with the `webhook-id` of the first time, in ' +
        'order for each object, when the endpoint is active. What waits for its next attempt is due now too, unless only those that were given up are meant. An endpoint that is held back, ' +
        `as the receiver has asked for time or only fails, keeps its wait, unless one event is asked for: then it is tried at once. ${NEEDS_ALL}`,
      params: WebhookId,
      body: Replay,
      answer: Success(
        Strict({
          queued: Type.Integer({ description: 'How many are sent: now, when the wait of the endpoint is over, or when it is resumed.' }),
        }),
      ),
      errors: ['NOT_FOUND'],
      examples: { body: { failed: true }, answer: { success: true, data: { queued: 17 } } },
      handle: async ({ params, body, principal }) => {
        const wish = wishOf(body);
        const { id } = await endpointFor(principal, params.id);
        if ('seq' in wish && !(await wasSent(id, wish.seq, body.message_id)))
          throw invalidParam('message_id', 'is no event that was sent to this endpoint within the last 30 days');
        return { success: true as const, data: { queued: await webhooks.replay(principal, id, wish) } };
      },
    }),
  ];

  async function wasSent(id: string, seq: number, messageId: string | undefined): Promise<boolean> {
    const row = await findDelivery(db.read, id, seq);
    return row !== undefined && messageIdOf(row) === messageId;
  }
}

interface Attempt {
  at: string;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
}

function rendered({ seq, type, object_id, status, attempts, created_at, ...row }: Omit<DeliveryRow, 'log'>) {
  const { updated_at, next_at, response_status, duration_ms, error } = row;
  const message_id = messageIdOf({ seq, created_at });
  const last = { updated_at, next_at, response_status, duration_ms, error };
  return { sequence: seq, message_id, type, object_id, status, attempts, created_at, ...last };
}

function requestOf(endpoint: Endpoint, row: DeliveryRow, body: string, at: string | undefined): { headers: string; body: string } {
  const timestamp = Math.floor(Date.parse(at ?? row.updated_at) / 1000);
  const signed = signatureHeaders(endpoint, messageIdOf(row), timestamp, body);
  return { headers: JSON.stringify({ 'content-type': 'application/json', ...maskedHeaders(endpoint.headers), ...signed }), body };
}

/** What is to be sent again: one thing is said, and an end only of a time. */
function wishOf({ message_id, from, to, failed }: ReplayBody): ReplayWish {
  if (to !== undefined && from === undefined) throw invalidParam('to', 'goes with from only');
  if (message_id !== undefined) return { seq: numberIn(message_id) };
  if (failed) return { failed };
  const range = { from: timeOf('from', from), to: timeOf('to', to) };
  if (range.from >= range.to) throw invalidParam('to', 'must be later than from');
  return range;
}

function timeOf(field: string, text: string | undefined): string {
  const time = text === undefined ? undefined : parseTime(text);
  if (!time) throw invalidParam(field, text === undefined ? 'is mandatory here' : 'must be a time such as 2026-11-01T00:00:00Z');
  return isoTime(time.milliseconds);
}
