import { evaluateText, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { type Part, partOf, textAt, typeOf } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { stepsOf, valueAt } from '../../../src/connectors/airbyte/runtime/records/dpath.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import type { Received } from '../api-server.ts';

/** What the simulated API gives to those who log in. */
const ACCESS_TOKEN = 'simulated-access-token';

/** What is wrong with the credentials of a request. */
export function credentialFault(session: AirbyteSession, part: Part | undefined, request: Received): string | undefined {
  const scope = scopeOf(session.config, part);
  const text = (name: string): string => evaluateText(part?.[name], scope);
  switch (typeOf(part)) {
    case 'ApiKeyAuthenticator': {
      const option = partOf(part?.['inject_into']) ?? { inject_into: 'header', field_name: part?.['header'] };
      return faultAt(session, option, text('api_token'), request);
    }
    case 'BearerAuthenticator':
      return authorizationFault(`Bearer ${text('api_token')}`, request);
    case 'BasicHttpAuthenticator':
      return authorizationFault(`Basic ${Buffer.from(`${text('username')}:${text('password')}`).toString('base64')}`, request);
    case 'JwtAuthenticator':
      return /^\S* ?[\w-]+\.[\w-]+\.[\w-]+$/.test(request.headers.authorization ?? '') ? undefined : 'no signed token';
    case 'OAuthAuthenticator': {
      const given = text('access_token_value');
      const isFixed = part?.['token_refresh_endpoint'] === undefined && given !== '';
      return authorizationFault(`Bearer ${isFixed ? given : ACCESS_TOKEN}`, request);
    }
    case 'SessionTokenAuthenticator': {
      const way = partOf(part?.['request_authentication']);
      if (typeOf(way) === 'Bearer') return authorizationFault(`Bearer ${ACCESS_TOKEN}`, request);
      return faultAt(session, partOf(way?.['inject_into']) ?? {}, ACCESS_TOKEN, request);
    }
    case 'SelectiveAuthenticator': {
      const chosen = valueAt(session.config, stepsOf(part?.['authenticator_selection_path']));
      return credentialFault(session, partOf(partOf(part?.['authenticators'])?.[textOf(chosen)]), request);
    }
    default:
      return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function authorizationFault(expected: string, { headers }: Received): string | undefined {
  return headers.authorization === expected.trim() ? undefined : `authorization is "${headers.authorization}" instead of "${expected}"`;
}

function faultAt(session: AirbyteSession, option: Part, expected: string, { url, headers, body }: Received): string | undefined {
  const name = evaluateText(option['field_name'], scopeOf(session.config, option));
  const where = textAt(option, 'inject_into') ?? 'header';
  const found = where === 'request_parameter' ? url.searchParams.get(name) : where === 'header' ? headers[name.toLowerCase()] : body;
  const isRight = where.startsWith('body') ? body.includes(expected) : found === expected.trim() || found === expected;
  return isRight ? undefined : `${where} ${name} is "${String(found)}" instead of "${expected}"`;
}

/** The answer to a request for a token, with all names by which a manifest may look for it. */
export function tokenAnswer(session: AirbyteSession, authenticators: readonly Part[]): object {
  const answer: Record<string, unknown> = { access_token: ACCESS_TOKEN, token: ACCESS_TOKEN, token_type: 'Bearer', expires_in: 3600 };
  for (const part of authenticators) {
    const scope = scopeOf(session.config, part);
    if (part['access_token_name']) answer[evaluateText(part['access_token_name'], scope)] = ACCESS_TOKEN;
    if (part['expires_in_name']) answer[evaluateText(part['expires_in_name'], scope)] = 3600;
    const path = Array.isArray(part['session_token_path']) ? part['session_token_path'].map((step) => evaluateText(step, scope)) : [];
    let holder = answer;
    for (const step of path.slice(0, -1)) holder = (holder[step] ??= {}) as Record<string, unknown>;
    if (path.length > 0) holder[path.at(-1) as string] = ACCESS_TOKEN;
  }
  return answer;
}
