import { OutsideError } from '../../../../outside/errors.ts';
import { scopeOf } from '../evaluate.ts';
import { type Part, partOf, textAt, typeOf } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { bodiesOf, decoderOf } from '../decode/decoder.ts';
import { stepsOf, valueAt } from '../records/dpath.ts';
import { WHOLE } from '../slices/slice.ts';
import { parseDuration } from '../time/moment.ts';
import type { AirbyteSession } from '../session.ts';
import { type RequestAuth, authorization, injected, type MakeRequester, tokenOf } from './credentials.ts';

/** Logs in by a request, and puts the token of the answer into the others. */
export function sessionTokens(session: AirbyteSession, part: Part, makeRequester: MakeRequester): RequestAuth {
  const login = partOf(part['login_requester']) ?? {};
  const path = stepsOf(part['session_token_path']);
  const written = textAt(part, 'expiration_duration');
  const duration = written === undefined ? undefined : parseDuration(written);
  const decoder = decoderOf(session, partOf(part['decoder']));
  let pending: Promise<string> | undefined;
  let current: { token: string; until: number } | undefined;
  const logIn = async (signal: AbortSignal): Promise<string> => {
    const reply = await makeRequester(login).send({ slice: WHOLE, signal });
    const [body] = await bodiesOf(decoder, reply);
    const token = valueAt(body, path);
    if (token === undefined || token === null || !reply.isGood)
      throw new OutsideError('auth', 'TOKEN_MISSING', `${reply.url.host} gave no "${path.join('.')}" when logging in.`, {
        field: 'settings',
        hint: 'Check the credentials in the settings.',
      });
    const text = pythonText(token);
    session.vault.keep('session token', text);
    current = {
      token: text,
      until: session.clock.now() + (duration ? Number(duration.micros / 1000n) + duration.months * 30 * 86_400_000 : 0),
    };
    return text;
  };
  const get = (signal: AbortSignal): Promise<string> => {
    if (current && session.clock.now() < current.until) return Promise.resolve(current.token);
    pending ??= logIn(signal).finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const authentication = partOf(part['request_authentication']) ?? {};
  return {
    options: async (signal) => {
      const token = await get(signal);
      if (typeOf(authentication) === 'Bearer') return authorization(`Bearer ${token}`);
      const scope = scopeOf(session.config, part);
      const template = textAt(authentication, 'api_token') || '{{ session_token }}';
      const option = partOf(authentication['inject_into']) ?? {};
      return injected(option, template === '{{ session_token }}' ? token : tokenOf(template, scope, { session_token: token }), scope);
    },
    renew: async () => {
      const had = current !== undefined;
      current = undefined;
      return had;
    },
  };
}
