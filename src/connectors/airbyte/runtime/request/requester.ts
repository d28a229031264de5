import { isJsonObject } from '../../../../lib/exact-json.ts';
import { authenticatorOf } from '../auth/authenticator.ts';
import { handlerOf } from '../errors/handler.ts';
import { evaluate, evaluateMap, evaluateNested, evaluateText, type TemplateScope, scopeOf, type Variables } from '../evaluate.ts';
import { type Part, partOf, textAt, typeOf, unknownPart } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import type { AirbyteSession } from '../session.ts';
import { type Slice, sliceVariables } from '../slices/slice.ts';
import { addressOf, joinUrl } from './address.ts';
import { combined, encoded, type Options } from './options.ts';
import type { Prepared } from './prepared.ts';
import type { Requester } from './request.ts';
import { ask } from './sender.ts';

const METHODS_WITH_BODY = new Set(['GET', 'POST', 'PUT', 'PATCH']);

export function requesterOf(session: AirbyteSession, part: Part | undefined, isParent = false): Requester {
  if (!part || (typeOf(part) !== 'HttpRequester' && typeOf(part) !== '')) throw unknownPart(part, 'requester');
  const scope = scopeOf(session.config, part);
  const handler = handlerOf(session, partOf(part['error_handler']));
  const authentication = partOf(part['authenticator']);
  // The oldest way to log in is told the base of the addresses by the requester.
  const base = part['url'] ?? part['url_base'];
  const authenticator = authenticatorOf(session, authentication && { api_url: base, ...authentication }, (inner) =>
    requesterOf(session, inner),
  );
  const method = (textAt(part, 'http_method') ?? 'GET').toUpperCase();
  const properties = propertiesIn(part);
  return {
    properties,
    send: async ({ slice, token, path, options = [], streams = false, signal }) => {
      const variables = sliceVariables(slice, token);
      const credentials = await authenticator.options(signal);
      const own = ownOptions(part, scope, variables, slice, properties?.parameter);
      const all = combined([own, credentials, ...options]);
      const url = addressOf(urlOf(part, scope, variables, path), all.params);
      const request = prepared(method, url, all);
      return ask(session, request, {
        handler,
        signal,
        streams,
        cached: method === 'GET' && (isParent || part['use_cache'] === true),
        authorize: async () => headersOf((await authenticator.options(signal)).headers),
        renew: () => authenticator.renew(signal),
      });
    },
  };
}

function urlOf(part: Part, scope: TemplateScope, variables: Variables, path: string | undefined): string {
  const url = evaluateText(part['url'], scope, variables);
  const base = evaluateText(part['url_base'], scope, variables);
  const own = path ?? evaluateText(part['path'], scope, variables).replace(/^\/+/, '');
  return base === '' && own === '' ? url : joinUrl(base === '' ? url : base, own);
}

/** What the requester itself puts into a request. */
function ownOptions(
  part: Part,
  scope: TemplateScope,
  variables: Variables,
  slice: Slice,
  propertiesParameter: string | undefined,
): Options {
  const written = part['request_parameters'];
  const params = evaluateMap(isJsonObject(written) ? withoutParts(written) : written, scope, variables, ['string', 'list']);
  const chosen = slice.extra['query_properties'];
  if (propertiesParameter !== undefined && Array.isArray(chosen)) params[propertiesParameter] = chosen.join(',');
  const body = bodyOf(part);
  return {
    params,
    headers: evaluateMap(part['request_headers'], scope, variables),
    data:
      typeof body.data === 'string' ? dataText(body.data, scope, variables) : evaluateMap(body.data, scope, variables, ['string', 'list']),
    json: jsonBody(body.json, scope, variables),
  };
}

/** The body, in whichever way the manifest gives it. */
function bodyOf(part: Part): { data: unknown; json: unknown } {
  const body = partOf(part['request_body']);
  switch (typeOf(body)) {
    case 'RequestBodyUrlEncodedForm':
    case 'RequestBodyPlainText':
      return { data: body?.['value'], json: undefined };
    case 'RequestBodyJsonObject':
    case 'RequestBodyGraphQL':
      return { data: undefined, json: body?.['value'] };
    default:
      return { data: part['request_body_data'], json: part['request_body_json'] };
  }
}

function dataText(template: string, scope: TemplateScope, variables: Variables): string | Record<string, unknown> {
  const value = evaluate(template, scope, variables);
  return isJsonObject(value) ? { ...value } : pythonText(value);
}

function jsonBody(written: unknown, scope: TemplateScope, variables: Variables): Record<string, unknown> {
  const value = evaluateNested(written ?? {}, scope, variables);
  if (isJsonObject(value)) return { ...value };
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function prepared(method: string, url: URL, { headers, data, json }: Options): Prepared {
  const all: Record<string, string> = { accept: '*/*', 'accept-encoding': 'gzip, br, zstd', 'user-agent': 'Syncline' };
  let body: Buffer | undefined;
  let type: string | undefined;
  if (METHODS_WITH_BODY.has(method)) {
    if (Object.keys(json).length > 0) [body, type] = [Buffer.from(JSON.stringify(json)), 'application/json'];
    else if (typeof data === 'string') body = data === '' ? undefined : Buffer.from(data);
    else if (Object.keys(data).length > 0) [body, type] = [Buffer.from(encoded(data)), 'application/x-www-form-urlencoded'];
  }
  if (type !== undefined) all['content-type'] = type;
  return { method, url, headers: { ...all, ...headersOf(headers) }, body };
}

/** Values that no header can have are cut at their first line: nothing may be smuggled in behind it. */
function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.trim().toLowerCase(),
      pythonText(value)
        .split(/[\r\n\0]/)[0]
        ?.trim() ?? '',
    ]),
  );
}

function withoutParts(parameters: Part): Part {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => typeOf(partOf(value)) !== 'QueryProperties'));
}

function propertiesIn(part: Part): Requester['properties'] {
  const parameters = partOf(part['request_parameters']) ?? {};
  for (const [parameter, value] of Object.entries(parameters)) {
    const properties = partOf(value);
    if (properties && typeOf(properties) === 'QueryProperties') return { parameter, part: properties };
  }
  const fetched = partOf(part['fetch_properties_from_endpoint']);
  if (fetched) return { parameter: undefined, part: { type: 'QueryProperties', property_list: fetched } };
  const properties = partOf(part['query_properties']);
  return properties && { parameter: undefined, part: properties };
}
