import type { FastifyRequest } from 'fastify';
import type { Database } from '../../db/database.ts';
import { bearerToken } from '../../http/callers/auth.ts';
import { type SessionCookies, sessionTokenOf } from '../../http/callers/session-cookie.ts';
import { type Route, route } from '../../http/route.ts';
import { Named, Nullable, Strict, Success, Time } from '../../http/schemas.ts';
import { SCOPES } from '../../http/scopes.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { Type } from '../../lib/schema.ts';
import { hashOf } from '../format.ts';
import { createSession, endSession, endSessions } from './commands.ts';
import { IDLE_TIME, type SessionRow, sessionsOf, type SessionTimes } from './queries.ts';

const PATH = '/api/v1/sessions';
const HOUR = 3_600_000;

const SignInSession = Named('SignInSession', {
  id: Type.String({ examples: ['ses_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  current: Type.Boolean({ description: 'Whether it is the one that this request came by.' }),
  address: Nullable(Type.String({ description: 'Where the sign-in came from.', examples: ['192.0.2.7'] })),
  created_at: Time(),
  last_used_at: Time('Exact to about five minutes.'),
  expires_at: Time('The latest end. It ends earlier without a request for 24 hours, or with its key.'),
});
const Ended = Strict({ ended: Type.Integer({ description: 'How many were open until now.' }) });
const EXAMPLE = {
  id: 'ses_01kfa0v2m3f8rb4v3k7m2t9xqe',
  current: true,
  address: '192.0.2.7',
  created_at: '2026-11-01T09:30:00.000Z',
  last_used_at: '2026-11-01T09:30:00.000Z',
  expires_at: '2026-11-08T09:30:00.000Z',
};
const SetCookie = { 'Set-Cookie': 'The cookie that stands for the key; scripts cannot read it.' };

export interface SessionOptions {
  db: Database;
  clock: Clock;
  cookies: SessionCookies;
  /** How long a session lasts at most. */
  sessionHours: number;
}

/** Sign-ins of browsers: a cookie in the place of a key, for the page. */
export function sessionRoutes({ db, clock, cookies, sessionHours }: SessionOptions): Route[] {
  const times = (): SessionTimes => ({ now: isoTime(clock()), idleSince: isoTime(clock() - IDLE_TIME) });
  const shown = (row: SessionRow, current: string | undefined) => ({
    id: row.id,
    current: row.id === current,
    address: row.address,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  });

  return [
    route({
      method: 'POST',
      path: PATH,
      scope: SCOPES,
      tag: 'Sessions',
      summary: 'Sign in',
      description:
        'Makes a session for the key of this request, which must be in `Authorization`. The browser gets a cookie that stands for the key: `HttpOnly`, `SameSite=Strict`, and `Secure` over TLS. It works for requests of the page itself only.',
      answer: Success(SignInSession),
      answerHeaders: SetCookie,
      examples: { answer: { success: true, data: EXAMPLE } },
      handle: async ({ principal, request, reply }) => {
        if (principal.session !== undefined) throw needsKey();
        const now = clock();
        const isToken = principal.until !== undefined;
        const made = await db.write(createSession, {
          actor: principal.actor(),
          now,
          key_hash: isToken ? null : hashOf(bearerToken(request.headers.authorization) as string),
          scopes: isToken ? JSON.stringify([...principal.scopes]) : null,
          expires: Math.min(now + sessionHours * HOUR, principal.until ?? Number.POSITIVE_INFINITY),
          replaces: presentHash(cookies, request),
        });
        const seconds = Math.max(1, Math.floor((Date.parse(made.expires_at) - now) / 1000));
        reply.header('set-cookie', cookies.kept(request, made.token, seconds));
        return { success: true as const, data: shown(made, made.id) };
      },
    }),
    route({
      method: 'GET',
      path: PATH,
      scope: SCOPES,
      tag: 'Sessions',
      summary: 'List the open sessions of this key, newest first',
      description: 'At most 100: one more ends the oldest.',
      answer: Success(Type.Array(SignInSession)),
      examples: { answer: { success: true, data: [EXAMPLE] } },
      handle: async ({ principal }) => {
        const rows = await sessionsOf(db.read, principal.id, times());
        return { success: true as const, data: rows.map((row) => shown(row, principal.session)) };
      },
    }),
    route({
      method: 'DELETE',
      path: PATH,
      scope: SCOPES,
      tag: 'Sessions',
      summary: 'Sign out everywhere',
      description: 'Ends all sessions of this key, on all nodes. The key itself goes on working.',
      answer: Success(Ended),
      answerHeaders: SetCookie,
      examples: { answer: { success: true, data: { ended: 3 } } },
      handle: async ({ principal, request, reply }) => {
        const ended = await db.write(endSessions, { actor: principal.actor(), now: clock() });
        if (principal.session !== undefined) reply.header('set-cookie', cookies.forgotten(request));
        return { success: true as const, data: { ended } };
      },
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/{id}`,
      scope: SCOPES,
      tag: 'Sessions',
      summary: 'Sign out',
      description:
        'Ends one session, on all nodes. That of this request may be over already, or a key may have been sent in its place: then none is ended.',
      params: Strict({ id: Type.String({ description: 'The id of a session of this key, or `current` for that of this request.' }) }),
      answer: Success(Ended),
      answerHeaders: SetCookie,
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: { ended: 1 } } },
      handle: async ({ params, principal, request, reply }) => {
        const id = params.id === 'current' ? (principal.session ?? '') : params.id;
        const ended = await db.write(endSession, { actor: principal.actor(), now: clock(), id });
        if (ended === 0 && params.id !== 'current') throw notFound('session', params.id);
        if (id === principal.session) reply.header('set-cookie', cookies.forgotten(request));
        return { success: true as const, data: { ended } };
      },
    }),
  ];
}

function presentHash(cookies: SessionCookies, request: FastifyRequest): string | undefined {
  const credential = cookies.credentialOf(request);
  const token = credential === undefined ? undefined : sessionTokenOf(credential);
  return token === undefined ? undefined : hashOf(token);
}

function needsKey(): AppError {
  return new AppError('FORBIDDEN', 'A session is made with a key: send it as "Authorization: Bearer <key>".', {
    field: 'Authorization',
    reason: 'must carry a valid key',
  });
}
