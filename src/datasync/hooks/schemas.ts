import { JsonText, Named, Nullable, OneOf, Time } from '../../http/schemas.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { SCHEMES, SECRET_HEADER } from './schemes.ts';

const DAY = 24 * 3600;

const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.', examples: ['orders of the web shop'] });
const Scheme = OneOf(SCHEMES, {
  description:
    'How the sender proves that it is the sender: `standard` (Standard Webhooks), `shopify`, `woocommerce`, `stripe`, `github`, `secret` (a shared secret in a header), `token` (nothing but the address).',
});
const Secret = Type.String({
  minLength: 8,
  maxLength: 500,
  description:
    'What the sender signs with. For `shopify` and `stripe` it comes from there; elsewhere one is made when it is left out. Shown as `********`; sent back so, it stays.',
});
const Header = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  description: `Of \`secret\` alone: the header that carries it; \`${SECRET_HEADER}\` when left out.`,
  examples: [SECRET_HEADER],
});
const SyncId = Nullable(
  Type.String({ maxLength: 100, description: 'The synchronization that a call starts.', examples: ['syn_01kf9zzz5tf3sv8q0d1h6c2w7m'] }),
);

export const NewHook = Named('NewHook', {
  name: Name,
  scheme: Scheme,
  secret: Type.Optional(Secret),
  header: Type.Optional(Header),
  sync_id: Type.Optional(SyncId),
});
export type NewHook = Static<typeof NewHook>;

export const ChangedHook = Named('ChangedHook', {
  name: Type.Optional(Name),
  scheme: Type.Optional(Scheme),
  secret: Type.Optional(Secret),
  header: Type.Optional(Header),
  sync_id: Type.Optional(SyncId),
});
export type ChangedHook = Static<typeof ChangedHook>;

export const RotateHook = Named('RotateHook', {
  overlap_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 30 * DAY, default: DAY, description: 'For how long what is replaced works on.' }),
  ),
  secret: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 500,
      description: 'A new secret: it is replaced, and the address stays. Without it, the address is replaced.',
    }),
  ),
});

const HOOK = {
  id: Type.String({ examples: ['hok_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  name: Type.String(),
  scheme: OneOf(SCHEMES),
  secret: Nullable(Type.String({ description: '`********`, or null when there is none.' })),
  header: Nullable(Type.String({ description: 'Of `secret` alone: the header that carries it.' })),
  sync_id: Nullable(Type.String({ description: 'The synchronization that a call starts.' })),
  calls: Type.Integer({ description: 'How many calls were taken, ever.' }),
  last_call_at: Nullable(Time()),
  refused: Type.Integer({ description: 'How many calls were refused, ever; exact to a second.' }),
  refused_at: Nullable(Time()),
  refused_reason: Nullable(Type.String({ description: 'Why the last one was refused, in words.' })),
  version: Type.Integer(),
  created_at: Time(),
  updated_at: Time(),
};

export const Hook = Named('Hook', HOOK);

/** A hook with what is shown once. */
export const HookWithToken = Named('HookWithToken', {
  ...HOOK,
  secret: Nullable(
    Type.String({ description: 'The secret itself when it was made here, to be given to the sender. It is not shown again.' }),
  ),
  token: Nullable(Type.String({ description: 'The token of the address. It is not shown again. Null when it stays.' })),
  url: Nullable(
    Type.String({
      description:
        'The address to give to the sender: it begins with `SYNCLINE_PUBLIC_URL`, or as the caller of this request has reached us.',
    }),
  ),
});

export const Call = Named('HookCall', {
  id: Type.String({ examples: ['hok_01kfa0v2m3f8rb4v3k7m2t9xqe.17'] }),
  sequence: Type.Integer({ description: 'Counts 1, 2, 3 … without gaps.' }),
  sender_id: Nullable(Type.String({ description: 'What the sender calls the message.' })),
  received_at: Time(),
  headers: JsonText(Type.Object({}, { additionalProperties: true, description: 'What was sent; secrets and signatures as `********`.' })),
  body: Type.String({ description: 'As it was sent.' }),
  encoding: OneOf(['utf8', 'base64'], { description: 'How `body` is written here: as text, or as base64 when it is none.' }),
});

export const EXAMPLE_HOOK = {
  id: 'hok_01kfa0v2m3f8rb4v3k7m2t9xqe',
  name: 'orders of the web shop',
  scheme: 'shopify',
  secret: '********',
  header: null,
  sync_id: 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m',
  calls: 17,
  last_call_at: '2026-11-01T09:30:00.000Z',
  refused: 1,
  refused_at: '2026-11-01T09:10:00.000Z',
  refused_reason: 'The signature is wrong: another secret, or a changed body.',
  version: 1,
  created_at: '2026-11-01T09:00:00.000Z',
  updated_at: '2026-11-01T09:00:00.000Z',
};

export const EXAMPLE_NEW = {
  ...EXAMPLE_HOOK,
  calls: 0,
  last_call_at: null,
  refused: 0,
  refused_at: null,
  refused_reason: null,
  token: 'slh_3k7m2t9xqe0v2m3f8rb4v3k7m2t9xqe01kfa0v2',
  url: 'https://syncline.example/api/v1/hooks/slh_3k7m2t9xqe0v2m3f8rb4v3k7m2t9xqe01kfa0v2',
};

export const EXAMPLE_CALL = {
  id: 'hok_01kfa0v2m3f8rb4v3k7m2t9xqe.17',
  sequence: 17,
  sender_id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
  received_at: '2026-11-01T09:30:00.000Z',
  headers: { 'content-type': 'application/json', 'x-shopify-topic': 'orders/create', 'x-shopify-hmac-sha256': '********' },
  body: '{"id":820982911946154508}',
  encoding: 'utf8',
};
