import { evaluateText, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, typeOf, unknownPart } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { stepsOf, valueAt } from '../records/dpath.ts';
import { noOptions, type Options } from '../request/options.ts';
import type { AirbyteSession } from '../session.ts';
import { authorization, type RequestAuth, headerOption, injected, type MakeRequester, tokenOf } from './credentials.ts';
import { jwtOf } from './jwt.ts';
import { legacySession } from './legacy-session.ts';
import { OAuthTokens } from './oauth.ts';
import { sessionTokens } from './session-token.ts';

export function authenticatorOf(session: AirbyteSession, part: Part | undefined, makeRequester: MakeRequester): RequestAuth {
  if (!part) return fixed(noOptions);
  const key = `authenticator ${JSON.stringify(part)}`;
  const known = session.shared.get(key) as RequestAuth | undefined;
  if (known) return known;
  const made = makeAuthenticator(session, part, makeRequester);
  session.shared.set(key, made);
  return made;
}

function makeAuthenticator(session: AirbyteSession, part: Part, makeRequester: MakeRequester): RequestAuth {
  const scope = scopeOf(session.config, part);
  switch (typeOf(part)) {
    case 'NoAuth':
      return fixed(noOptions);
    case 'ApiKeyAuthenticator':
      return fixed(() => injected(partOf(part['inject_into']) ?? headerOption(part['header']), tokenOf(part['api_token'], scope), scope));
    case 'BearerAuthenticator':
      return fixed(() => authorization(`Bearer ${tokenOf(part['api_token'], scope)}`));
    case 'BasicHttpAuthenticator':
      return fixed(() => {
        const pair = `${evaluateText(part['username'], scope)}:${evaluateText(part['password'], scope)}`;
        const token = Buffer.from(pair).toString('base64');
        session.vault.keep('basic authentication', token);
        return authorization(`Basic ${token}`);
      });
    case 'JwtAuthenticator':
      return fixed(() => {
        const prefix = evaluateText(part['header_prefix'], scope);
        const token = jwtOf(part, scope, session.clock.now());
        session.vault.keep('jwt', token);
        return injected(
          partOf(part['request_option']) ?? headerOption('Authorization'),
          prefix === '' ? token : `${prefix} ${token}`,
          scope,
        );
      });
    case 'OAuthAuthenticator': {
      const assertion = partOf(part['profile_assertion']);
      const tokens = new OAuthTokens(
        session,
        part,
        assertion && (() => jwtOf(assertion, scopeOf(session.config, assertion), session.clock.now())),
      );
      return {
        options: async (signal) => authorization(`Bearer ${await tokens.get(signal)}`),
        renew: (signal) => tokens.renew(signal),
      };
    }
    case 'SessionTokenAuthenticator':
      return sessionTokens(session, part, makeRequester);
    case 'LegacySessionTokenAuthenticator':
    case 'LegacySessionTokenAuth':
      return legacySession(session, part);
    case 'SelectiveAuthenticator':
      return selected(session, part, makeRequester);
    default:
      throw unknownPart(part, 'authenticator');
  }
}

function fixed(make: () => Options): RequestAuth {
  return { options: async () => make(), renew: async () => false };
}

function selected(session: AirbyteSession, part: Part, makeRequester: MakeRequester): RequestAuth {
  const path = stepsOf(part['authenticator_selection_path']);
  const chosen = valueAt(session.config, path);
  const all = partOf(part['authenticators']) ?? {};
  const inner = chosen === undefined ? undefined : partOf(all[pythonText(chosen)]);
  if (!inner)
    throw manifestFault(
      'AUTHENTICATION_UNKNOWN',
      chosen === undefined
        ? `The settings have no "${path.join('.')}", by which the way to authenticate is chosen.`
        : `"${path.join('.')}" of the settings names no way to authenticate that the manifest has.`,
      `Set it to one of: ${Object.keys(all).join(', ')}.`,
    );
  return authenticatorOf(session, inner, makeRequester);
}
