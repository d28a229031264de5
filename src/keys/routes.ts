import { Type } from '../lib/schema.ts';
import { pageAnswer, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { ListOf, Named, Nullable, OneOf, PAGING, Strict, Success, Time } from '../http/schemas.ts';
import { SCOPES } from '../http/scopes.ts';
import { isoTime, parseTime } from '../lib/clock.ts';
import { invalidParam, notFound } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { createKey, type KeyWithSecret, revokeKey, rotateKey } from './commands.ts';
import { findKey, type KeyRow, listKeys } from './queries.ts';
import { NewKeyBody } from './schemas.ts';
import { type SessionOptions, sessionRoutes } from './sessions/routes.ts';

const DAY = 24 * 60 * 60;

const keyFields = {
  id: Type.String({ examples: ['key_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  name: Type.String({ examples: ['web shop'] }),
  scopes: Type.Array(OneOf(SCOPES)),
  status: OneOf(['active', 'expired', 'revoked']),
  rate_limit: Nullable(
    Type.Integer({ description: 'Requests a second on each node; null leaves it to the configuration, 0 means no limit.' }),
  ),
  created_at: Time(),
  expires_at: Nullable(Time()),
  revoked_at: Nullable(Time()),
  last_used_at: Nullable(Time('Exact to about ten seconds.')),
};
const Key = Named('Key', keyFields);
const KeyShown = Named('KeyWithSecret', {
  ...keyFields,
  key: Type.String({ description: 'The key itself. It is shown this once and cannot be shown again.' }),
});
const KeyId = Strict({ id: Type.String({ description: 'The id of the key.' }) });

const Me = Named('Me', {
  id: Type.String({ description: 'The id of the key; of a token its issuer and subject; `operator` for the key of `SYNCLINE_ADMIN_KEY`.' }),
  name: Type.String({ description: 'What the key is for.', examples: ['web shop'] }),
  scopes: Type.Array(OneOf(SCOPES), { description: 'What it may do. `admin` may do everything.' }),
  expires_at: Nullable(Time('From when the key is refused; null when it has no end, or when its issuer alone knows it.')),
});

const EXAMPLE_KEY = {
  id: 'key_01kfa0v2m3f8rb4v3k7m2t9xqe',
  name: 'web shop',
  scopes: ['orders:write', 'products:read'],
  status: 'active',
  rate_limit: null,
  created_at: '2026-11-01T09:30:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};
const EXAMPLE_SHOWN = { ...EXAMPLE_KEY, key: 'slk_01kfa0v2m3f8rb4v3k7m2t9xqe_…' };

const RotateBody = Strict({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * DAY,
      default: DAY,
      description: 'How long the old secret stays valid, in seconds; 0 ends it at once.',
    }),
  ),
});

export function keyRoutes({ db, clock, ...sessions }: SessionOptions): Route[] {
  const shown = (row: KeyRow) => ({
    ...row,
    scopes: JSON.parse(row.scopes) as (typeof SCOPES)[number][],
    status: statusOf(row, isoTime(clock())),
  });
  const withSecret = (row: KeyWithSecret) => ({ ...shown(row), key: row.key });

  return [
    route({
      method: 'GET',
      path: '/api/v1/me',
      scope: SCOPES,
      tag: 'Keys',
      summary: 'Tell whose key this is',
      description: 'What the key of this request is called and what it may do.',
      answer: Success(Me),
      examples: {
        answer: {
          success: true,
          data: { id: EXAMPLE_KEY.id, name: EXAMPLE_KEY.name, scopes: EXAMPLE_KEY.scopes, expires_at: null },
        },
      },
      handle: async ({ principal }) => {
        // A token and the operator's own key are not in the table: they are called what they are.
        const row = await findKey(db.read, principal.id);
        return {
          success: true as const,
          data: {
            id: principal.id,
            name: row?.name ?? principal.id,
            scopes: SCOPES.filter((scope) => principal.scopes.has(scope)),
            expires_at: row?.expires_at ?? null,
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/keys',
      scope: 'admin',
      tag: 'Keys',
      summary: 'List keys, newest first',
      query: Strict(PAGING),
      answer: ListOf(Key),
      examples: { answer: { success: true, data: [EXAMPLE_KEY], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('key', key));
        const { rows, total } = await listKeys(db.read, page);
        return pageAnswer(rows.map(shown), total, page);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/keys',
      scope: 'admin',
      tag: 'Keys',
      summary: 'Create a key',
      description: 'The answer is the only place where the key itself is shown.',
      body: NewKeyBody,
      answer: Success(KeyShown),
      errors: ['CONFLICT'],
      examples: {
        body: { name: 'web shop', scopes: ['orders:write', 'products:read'] },
        answer: { success: true, data: EXAMPLE_SHOWN },
      },
      handle: async ({ body, principal }) => {
        const expires_at = body.expires_at === undefined ? null : futureTime(body.expires_at, clock());
        const row = await db.write(createKey, {
          actor: principal.actor(),
          now: clock(),
          name: body.name,
          scopes: body.scopes,
          rate_limit: body.rate_limit ?? null,
          expires_at,
        });
        return { success: true as const, data: withSecret(row) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/keys/{id}',
      scope: 'admin',
      tag: 'Keys',
      summary: 'Read one key',
      params: KeyId,
      answer: Success(Key),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_KEY } },
      handle: async ({ params }) => {
        const row = await findKey(db.read, params.id);
        if (!row) throw notFound('key', params.id);
        return { success: true as const, data: shown(row) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/keys/{id}',
      scope: 'admin',
      tag: 'Keys',
      summary: 'Revoke a key',
      description: 'It is refused at once on this node and within a second on every other. The key stays in the list as revoked.',
      params: KeyId,
      answer: Success(Key),
      errors: ['NOT_FOUND'],
      examples: {
        answer: { success: true, data: { ...EXAMPLE_KEY, status: 'revoked', revoked_at: '2026-11-02T12:00:00.000Z' } },
      },
      handle: async ({ params, principal }) => {
        const row = await db.write(revokeKey, { actor: principal.actor(), now: clock(), id: params.id });
        return { success: true as const, data: shown(row) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/keys/{id}/rotate',
      scope: 'admin',
      tag: 'Keys',
      summary: 'Rotate a key',
      description: 'Id, scopes and limits stay. The old secret stays valid for the overlap, 24 hours unless said otherwise.',
      params: KeyId,
      body: RotateBody,
      bodyOptional: true,
      answer: Success(KeyShown),
      errors: ['NOT_FOUND'],
      examples: { body: { overlap_seconds: 3600 }, answer: { success: true, data: EXAMPLE_SHOWN } },
      handle: async ({ params, body, principal }) => {
        const overlapSeconds = body?.overlap_seconds ?? DAY;
        const row = await db.write(rotateKey, { actor: principal.actor(), now: clock(), id: params.id, overlapSeconds });
        return { success: true as const, data: withSecret(row) };
      },
    }),
    ...sessionRoutes({ db, clock, ...sessions }),
  ];
}

function statusOf(row: KeyRow, now: string): 'active' | 'expired' | 'revoked' {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active';
}

function futureTime(text: string, now: number): string {
  const time = parseTime(text);
  if (!time) throw invalidParam('expires_at', 'must be a time such as 2027-01-31T00:00:00Z');
  if (time.milliseconds <= now) throw invalidParam('expires_at', 'must be in the future');
  return isoTime(time.milliseconds);
}
