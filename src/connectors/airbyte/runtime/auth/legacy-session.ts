import { OutsideError } from '../../../../outside/errors.ts';
import { handlerOf } from '../errors/handler.ts';
import { evaluateText, scopeOf } from '../evaluate.ts';
import type { Part } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { addressOf } from '../request/address.ts';
import type { Reply } from '../request/reply.ts';
import type { Prepared } from '../request/prepared.ts';
import { ask } from '../request/sender.ts';
import type { AirbyteSession } from '../session.ts';
import { type RequestAuth, headerOption, injected } from './credentials.ts';

/** A token of the settings as long as it is valid, else one for user and password. */
export function legacySession(session: AirbyteSession, part: Part): RequestAuth {
  const scope = scopeOf(session.config, part);
  const text = (name: string): string => evaluateText(part[name], scope);
  const api = text('api_url') || text('url_base');
  let token: string | undefined;
  const send = (request: Prepared, signal: AbortSignal): Promise<Reply> => {
    const handler = {
      ...handlerOf(session, undefined),
      judge: (reply: Reply) => ({ action: reply.status >= 500 ? ('RETRY' as const) : ('SUCCESS' as const) }),
    };
    return ask(session, request, { handler, signal, streams: false, cached: false, authorize: async () => ({}), renew: async () => false });
  };
  const logIn = async (signal: AbortSignal): Promise<string> => {
    const given = text('session_token');
    if (given !== '') {
      const url = addressOf(`${api}${text('validate_session_url')}`, {});
      const reply = await send({ method: 'GET', url, headers: { [text('header').toLowerCase()]: given }, body: undefined }, signal);
      if (reply.isGood) return given;
    }
    const [username, password] = [text('username'), text('password')];
    const url = addressOf(`${api}${text('login_url')}`, {});
    const body = Buffer.from(JSON.stringify({ username, password }));
    const reply = await send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body }, signal);
    const key = text('session_token_response_key');
    const made = (reply.json() as Record<string, unknown> | undefined)?.[key];
    if (!reply.isGood || made === undefined || made === null)
      throw new OutsideError('auth', 'TOKEN_REFUSED', `${reply.url.host} does not log us in (${reply.status}).`, {
        field: 'settings',
        hint: 'Check the session token, or the user and the password.',
      });
    return pythonText(made);
  };
  return {
    options: async (signal) => {
      token ??= await logIn(signal);
      session.vault.keep('session token', token);
      return injected(headerOption(part['header']), token, scope);
    },
    renew: async () => {
      const had = token !== undefined;
      token = undefined;
      return had;
    },
  };
}
