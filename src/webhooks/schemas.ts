import { JsonText, Named, Nullable, OneOf, Strict, Time } from '../http/schemas.ts';
import { SCOPES } from '../http/scopes.ts';
import { type Static, Type } from '../lib/schema.ts';
import { PAYLOADS } from './message.ts';
import { SIGNATURES } from './signature.ts';

export const STATUSES = ['active', 'paused', 'disabled'] as const;
export const DAY = 24 * 60 * 60;

const EventPattern = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[a-z0-9_.*]+$',
  'x-pattern-words': 'must be a type of event such as order.created, with * for any text: order.*',
});
const types = Type.Array(EventPattern, {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description:
    'Which events are sent: types of the feed, with `*` for any text, such as `order.*`. All that the key may read, when left out.',
  examples: [['order.*', 'product.updated']],
});
const condition = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'An expression (CEL) over `type`, `object_id` and `data`: only events for which it is true are sent.',
    examples: ['data.total > 100'],
  }),
);
const headers = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: true,
  description:
    'Headers that are sent along, by name. Their values are secrets: they come back as `"********"`, which sent again keeps them.',
  examples: [{ 'X-Api-Key': '********' }],
});
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$',
  'x-pattern-words': 'must be an address that begins with https:// or http://',
  description: 'Where events are posted to: https or http. Users and passwords belong into `headers`.',
  examples: ['https://shop.example/syncline'],
});
const name = Type.String({ minLength: 1, maxLength: 200, description: 'What the endpoint is for.' });
const payload = OneOf(PAYLOADS, {
  description: '`full`: `data` is the object as it was after the change; `thin`: `data` is its `id` alone.',
});
const signature = OneOf(SIGNATURES, {
  description: '`symmetric`: HMAC-SHA256 by a shared secret (`v1`); `ed25519`: a signature that the public key verifies (`v1a`).',
});
const maxInFlight = Type.Integer({ minimum: 1, maximum: 64, description: 'How many events are under way to it at the same time.' });
const rate = Nullable(
  Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many attempts a second at most; null for any number.' }),
);

const webhookFields = {
  id: Type.String({ examples: ['whk_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  name: Type.String({ examples: ['ERP'] }),
  url: Type.String({ examples: ['https://shop.example/syncline'] }),
  types: Type.Array(Type.String()),
  condition: Nullable(Type.String()),
  payload: OneOf(PAYLOADS),
  signature: OneOf(SIGNATURES),
  headers: JsonText(Type.Object({}, { additionalProperties: true, description: 'Each value as `"********"`.' })),
  max_in_flight: Type.Integer(),
  rate: Nullable(Type.Integer()),
  scopes: Type.Array(OneOf(SCOPES), {
    description:
      'What it is told of: what the keys that saved its `types` may read of them. To change it, have something sent again or look at its deliveries, a key needs all of these.',
  }),
  status: OneOf(STATUSES),
  status_reason: Nullable(Type.String({ description: 'Why it is paused or disabled, in words.' })),
  status_at: Time(),
  position: Type.Integer({ description: 'The sequence of the feed up to which events were sent, or are among `waiting` or `failed`.' }),
  waiting: Type.Integer({ description: 'Deliveries that wait for another attempt, or behind such a one of the same object.' }),
  failed: Type.Integer({ description: 'Deliveries given up after the last attempt. They can be replayed.' }),
  failing_since: Nullable(Time('The first failure that no success has followed.')),
  next_attempt_at: Nullable(Time('When the next of those that wait is tried.')),
  last_delivered_at: Nullable(Time()),
  public_key: Nullable(Type.String({ description: 'Of ed25519: what verifies its signatures.', examples: ['whpk_…'] })),
  secrets: Type.Array(
    Named('WebhookSecret', {
      id: Type.String({ examples: ['sec_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
      created_at: Time(),
      expires_at: Nullable(Time('From when it signs no more; null for the one in use.')),
    }),
    { description: 'The secrets that sign at present: several after a rotation.' },
  ),
  version: Type.Integer(),
  created_at: Time(),
  updated_at: Time(),
};
export const Webhook = Named('Webhook', webhookFields);
export const WebhookShown = Named('WebhookWithSecret', {
  ...webhookFields,
  secret: Nullable(
    Type.String({
      description:
        'The signing secret. It is shown this once and cannot be shown again. Null for ed25519: receivers need `public_key`, and the private key never leaves the service.',
      examples: ['whsec_…'],
    }),
  ),
});
export const WebhookId = Strict({ id: Type.String({ description: 'The id of the endpoint.' }) });

export const NewWebhook = Named('NewWebhook', {
  name,
  url,
  types: Type.Optional(types),
  condition: Type.Optional(condition),
  payload: Type.Optional(payload),
  signature: Type.Optional(signature),
  headers: Type.Optional(headers),
  max_in_flight: Type.Optional(maxInFlight),
  rate: Type.Optional(rate),
  from: Type.Optional(
    Type.Unsafe<'start' | number>({
      anyOf: [OneOf(['start']), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })],
      description:
        'Which event is the first: the one after this sequence of the feed, or the first there is (`start`). From now on, when left out.',
    }),
  ),
});
export const ChangedWebhook = Named('ChangedWebhook', {
  name: Type.Optional(name),
  url: Type.Optional(url),
  types: Type.Optional(types),
  condition: Type.Optional(condition),
  payload: Type.Optional(payload),
  signature: Type.Optional(signature),
  headers: Type.Optional(headers),
  max_in_flight: Type.Optional(maxInFlight),
  rate: Type.Optional(rate),
});
export type NewWebhookBody = Static<typeof NewWebhook>;
export type ChangedWebhookBody = Static<typeof ChangedWebhook>;

export const RotateWebhook = Named('RotateWebhook', {
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * DAY,
      default: DAY,
      description: 'How long the secrets before sign along, in seconds; 0 ends them at once.',
    }),
  ),
  signature: Type.Optional(OneOf(SIGNATURES, { description: 'The kind of the new secret; the same as before, when left out.' })),
});

export const EXAMPLE_NEW_WEBHOOK = {
  name: 'ERP',
  url: 'https://shop.example/syncline',
  types: ['order.*'],
  headers: { 'X-Api-Key': 'k-7f3' },
};
export const EXAMPLE_WEBHOOK = {
  id: 'whk_01kfa0v2m3f8rb4v3k7m2t9xqe',
  name: 'ERP',
  url: 'https://shop.example/syncline',
  types: ['order.*'],
  condition: null,
  payload: 'full',
  signature: 'symmetric',
  headers: { 'X-Api-Key': '********' },
  max_in_flight: 8,
  rate: null,
  scopes: ['orders:read'],
  status: 'active',
  status_reason: null,
  status_at: '2026-11-01T09:30:00.000Z',
  position: 812,
  waiting: 0,
  failed: 0,
  failing_since: null,
  next_attempt_at: null,
  last_delivered_at: '2026-11-01T09:41:12.031Z',
  public_key: null,
  secrets: [{ id: 'sec_01kfa0v2m3f8rb4v3k7m2t9xqe', created_at: '2026-11-01T09:30:00.000Z', expires_at: null }],
  version: 1,
  created_at: '2026-11-01T09:30:00.000Z',
  updated_at: '2026-11-01T09:30:00.000Z',
};
export const EXAMPLE_WEBHOOK_SHOWN = { ...EXAMPLE_WEBHOOK, last_delivered_at: null, secret: 'whsec_…' };
