import { JsonText, Named, Nullable, OneOf, Strict, Time, TimeInput } from '../http/schemas.ts';
import { oneMember } from '../lib/member-choice.ts';
import { type Static, Type } from '../lib/schema.ts';
import { DELIVERY_STATUSES } from './deliveries.ts';

const deliveryFields = {
  sequence: Type.Integer({ description: 'That of the event in the feed.' }),
  message_id: Type.String({ description: 'The id of the event, sent as `webhook-id`.', examples: ['evt_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  type: Type.String(),
  object_id: Type.String(),
  status: OneOf(DELIVERY_STATUSES),
  attempts: Type.Integer({ description: 'A replay begins to count anew; probes of an endpoint that fails are not counted.' }),
  created_at: Time('When the event happened.'),
  updated_at: Time('The last attempt, or when it began to wait.'),
  next_at: Nullable(Time('When it is tried next; null when it is over, or follows another one of its object.')),
  response_status: Nullable(Type.Integer({ description: 'Of the last attempt; null when there was no answer.' })),
  duration_ms: Nullable(Type.Integer()),
  error: Nullable(Type.String({ description: 'Why the last attempt failed, in words.' })),
};
export const Delivery = Named('WebhookDelivery', deliveryFields);
export const DeliveryInFull = Named('WebhookDeliveryInFull', {
  ...deliveryFields,
  request: Strict(
    {
      headers: JsonText(Type.Object({}, { additionalProperties: true, description: 'Secret values as `"********"`.' })),
      body: Type.String({ description: 'As it is signed.' }),
    },
    { description: 'What would be sent now, by the present settings of the endpoint; the signature is that of the last attempt.' },
  ),
  log: Type.Array(
    Named('WebhookAttempt', {
      at: Time(),
      duration_ms: Type.Integer(),
      response_status: Nullable(Type.Integer()),
      response_body: Nullable(Type.String({ description: 'The first KiB of it.' })),
      error: Nullable(Type.String()),
    }),
    { description: 'The last ten attempts, oldest first.' },
  ),
});

export const Tested = Named('WebhookTest', {
  delivered: Type.Boolean({ description: 'Whether the endpoint answered with 2xx.' }),
  status: Nullable(Type.Integer({ description: 'That of its answer; null when there was none.' })),
  duration_ms: Type.Integer(),
  error: Nullable(Type.String({ description: 'What went wrong, in words.' })),
  response: Nullable(Type.String({ description: 'The first KiB of its answer.' })),
});

export const Replay = Named(
  'WebhookReplay',
  {
    message_id: Type.Optional(
      Type.String({
        maxLength: 100,
        pattern: '^evt_[0-9a-hjkmnp-tv-z]{26}$',
        'x-pattern-words': 'must be the id of an event (evt_…)',
        description: 'One event, by its id.',
        examples: ['evt_01kfa0v2m3f8rb4v3k7m2t9xqe'],
      }),
    ),
    from: Type.Optional(TimeInput('Events that happened then or later; together with `to`.')),
    to: Type.Optional(TimeInput('Events that happened before this time.')),
    failed: Type.Optional(Type.Unsafe<true>({ const: true, description: 'All that were given up.' })),
  },
  oneMember('message_id', 'from', 'failed'),
);
export type ReplayBody = Static<typeof Replay>;

export const EXAMPLE_DELIVERY = {
  sequence: 812,
  message_id: 'evt_01kfa0v2m3f8rb4v3k7m2t9xqe',
  type: 'order.created',
  object_id: 'ord_01kfa0v2m3f8rb4v3k7m2t9xqe',
  status: 'waiting',
  attempts: 2,
  created_at: '2026-11-01T09:30:00.000Z',
  updated_at: '2026-11-01T09:30:05.412Z',
  next_at: '2026-11-01T09:35:09.120Z',
  response_status: 500,
  duration_ms: 38,
  error: 'The receiver answered 500.',
};
export const EXAMPLE_DELIVERY_IN_FULL = {
  ...EXAMPLE_DELIVERY,
  request: {
    headers: {
      'content-type': 'application/json',
      'X-Api-Key': '********',
      'webhook-id': 'evt_01kfa0v2m3f8rb4v3k7m2t9xqe',
      'webhook-timestamp': '1793525405',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    },
    body: '{"type":"order.created","timestamp":"2026-11-01T09:30:00.000Z","data":{}}',
  },
  log: [
    { at: '2026-11-01T09:30:05.412Z', duration_ms: 38, response_status: 500, response_body: 'oops', error: 'The receiver answered 500.' },
  ],
};
