import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../db/database.ts';
import { cookieValue, type SessionCookies, sessionTokenOf } from '../../http/callers/session-cookie.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Keyring } from '../../lib/secrets.ts';
import { hashOf } from '../format.ts';
import type { Oidc } from '../oidc.ts';
import { createSession } from '../sessions/commands.ts';
import { SignInFault, type SignInOutcome } from './fault.ts';
import { CALLBACK_PATH, issuerSignIn, type SignInSettings } from './issuer-sign-in.ts';
import { newPending, openPending, ownPath, PENDING_SECONDS, type Pending, sealPending, isSameText } from './pending.ts';

const BEGIN_PATH = '/sign-in/oidc';
const HOUR = 3_600_000;
/** Strangers may begin sign-ins, and each has the issuer asked: no more than so many at a time. */
const MOST_AT_A_TIME = 32;

/** How many sign-ins of this node ended how. */
export type SignInFigures = Readonly<Record<SignInOutcome, number>>;

export interface SignInPages {
  /** Undefined where nobody can sign in at an issuer. */
  readonly figures: SignInFigures | undefined;
  addTo(fastify: FastifyInstance): void;
}

export interface SignInPagesOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  cookies: SessionCookies;
  sessionHours: number;
  publicUrl: string | undefined;
  oidc: Oidc | undefined;
  settings: SignInSettings | undefined;
}

/** What browsers are told before they have signed in, and the way of people to the issuer and back. */
export function signInPages(options: SignInPagesOptions): SignInPages {
  const { oidc, settings, publicUrl } = options;
  const way = oidc && settings && publicUrl !== undefined ? { oidc, settings, publicUrl } : undefined;
  const shown = way ? { name: way.settings.name, url: way.publicUrl + BEGIN_PATH } : null;
  const journey = way && createJourney({ ...options, ...way });
  return {
    figures: journey?.figures,
    addTo: (fastify) => {
      fastify.get('/sign-in/ways', () => ({ success: true, data: { oidc: shown } }));
      if (!journey) return;
      // A browser or a chat that only looks whether the page is there must not use up a code.
      fastify.get(BEGIN_PATH, { exposeHeadRoute: false }, (request, reply) => journey.begin(request, reply));
      fastify.get(CALLBACK_PATH, { exposeHeadRoute: false }, (request, reply) => journey.end(request, reply));
    },
  };
}

interface JourneyOptions extends SignInPagesOptions {
  oidc: Oidc;
  settings: SignInSettings;
  publicUrl: string;
}

function createJourney({ db, clock, log, keyring, cookies, sessionHours, publicUrl, oidc, settings }: JourneyOptions) {
  const way = issuerSignIn(oidc, settings, publicUrl);
  const figures: Record<SignInOutcome, number> = {
    done: 0,
    cancelled: 0,
    stale: 0,
    refused: 0,
    no_access: 0,
    unavailable: 0,
    busy: 0,
    failed: 0,
  };
  const cookie = pendingCookie(publicUrl);
  let underWay = 0;

  /** Back to the page, which says what happened. In the fragment: no log of a proxy has it, and no other site is told. */
  function goBack(request: FastifyRequest, reply: FastifyReply, to: string, error: unknown): FastifyReply {
    const outcome = error instanceof SignInFault ? error.outcome : 'failed';
    figures[outcome]++;
    const where = { request_id: request.id, address: request.clientAddress, outcome };
    if (!(error instanceof SignInFault)) log.error({ err: error, ...where }, 'a sign-in at the OIDC issuer failed by our fault');
    else if (outcome === 'cancelled' || outcome === 'stale')
      log.info({ reason: error.message, ...where }, 'a sign-in at the OIDC issuer ended early');
    else log.warn({ reason: error.message, ...where }, 'a sign-in at the OIDC issuer failed');
    return reply.redirect(`${to}#sign-in=${outcome}&request=${encodeURIComponent(request.id)}`, 303);
  }

  async function bounded<Result>(work: () => Promise<Result>): Promise<Result> {
    if (underWay >= MOST_AT_A_TIME) throw new SignInFault('busy', 'Too many people sign in at the same time.');
    underWay++;
    try {
      return await work();
    } finally {
      underWay--;
    }
  }

  async function open(pending: Pending, request: FastifyRequest): Promise<string> {
    const { id, scopes } = await way.conclude(pending, request.query as Record<string, unknown>);
    const now = clock();
    const made = await db.write(createSession, {
      actor: { id, address: request.clientAddress, request_id: request.id },
      now,
      key_hash: null,
      scopes: JSON.stringify([...scopes]),
      expires: now + sessionHours * HOUR,
      replaces: pending.replaces,
      way: 'oidc',
    });
    return cookies.keptAtPublicUrl(made.token, sessionHours * 3600);
  }

  return {
    figures,
    begin: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const returnTo = ownPath((request.query as { return_to?: unknown }).return_to);
      const credential = cookies.credentialOf(request);
      const token = credential === undefined ? undefined : sessionTokenOf(credential);
      const pending = newPending(clock(), returnTo, token === undefined ? undefined : hashOf(token));
      try {
        const address = await bounded(() => way.addressFor(pending));
        reply.header('set-cookie', cookie.kept(sealPending(keyring, pending)));
        return reply.redirect(address, 303);
      } catch (error) {
        return goBack(request, reply, returnTo, error);
      }
    },
    end: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const pending = openPending(keyring, cookie.valueIn(request), clock());
      const isOwn = pending !== undefined && isSameText(pending.state, (request.query as { state?: unknown }).state);
      // Of a sign-in that is under way in this browser a stranger's address must not make an end.
      if (!isOwn) return goBack(request, reply, '/', new SignInFault('stale', 'The sign-in was not begun in this browser, or is over.'));
      reply.header('set-cookie', cookie.forgotten());
      try {
        const session = await bounded(() => open(pending, request));
        figures.done++;
        return reply
          .removeHeader('set-cookie')
          .header('set-cookie', [session, cookie.forgotten()])
          .redirect(`${pending.returnTo}#signed-in`, 303);
      } catch (error) {
        return goBack(request, reply, pending.returnTo, error);
      }
    },
  };
}

/** It comes back from another site, so it cannot be `Strict` as that of the session is; it opens nothing. */
function pendingCookie(publicUrl: string) {
  const { protocol, port } = new URL(publicUrl);
  const secure = protocol === 'https:';
  const name = `${secure ? '__Host-' : ''}syncline-sign-in${port === '' ? '' : `-${port}`}`;
  const header = (value: string, seconds: number): string =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    kept: (value: string) => header(value, PENDING_SECONDS),
    forgotten: () => header('', 0),
    valueIn: ({ headers }: FastifyRequest) => cookieValue(headers.cookie ?? '', name),
  };
}
