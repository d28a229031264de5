import { parseExactly, scalarText } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Call, Client } from '../client/client.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import { type PageStart, pageParameters, type RequestParameter } from './paging.ts';
import { fillPath, parsePath, placeholders, put } from '../answer/paths.ts';

/** GraphQL is asked by POST. */
export function methodOf({ method, graphql }: HttpStreamConfig): 'GET' | 'POST' {
  return graphql ? 'POST' : method;
}

interface PageRequest {
  page: PageStart | undefined;
  since: RequestParameter | undefined;
  signal: AbortSignal;
  /** What it is asked for with besides, for the path or as parameters. */
  given?: ReadonlyMap<string, unknown>;
}

/** The request for a page of a stream. */
export function pageRequest(client: Client, stream: HttpStreamConfig, { page, since, signal, given: more }: PageRequest): Call {
  const { paging } = stream;
  const method = methodOf(stream);
  const hasAddress = page !== undefined && (paging.type === 'next_url' || paging.type === 'link_header');
  if (hasAddress) return { method, url: new URL(String(page)), body: bodyOf(stream, []), signal };
  const given = new Map<string, string | null | undefined>(stream.params.map(({ name, value }) => [name, value]));
  for (const [name, value] of more ?? []) given.set(name, scalarText(value));
  const inPath = placeholders(stream.path ?? '');
  const path = fillPath(stream.path ?? '/', (name) => given.get(name));
  if (path === undefined) throw cannotName(stream);
  const url = client.urlOf(path);
  for (const { name, value } of stream.params) if (!inPath.includes(name)) url.searchParams.append(name, value);
  const rest = [...(more ?? [])].filter(([name, value]) => !inPath.includes(name) && value !== undefined);
  const parameters = [...rest, ...pageParameters(paging, page), ...(since ? [since] : [])];
  if (stream.params_in === 'body' || stream.graphql) return { method, url, body: bodyOf(stream, parameters), signal };
  for (const [name, value] of parameters) url.searchParams.set(name, scalarText(value) ?? JSON.stringify(value));
  return { method, url, body: bodyOf(stream, []), signal };
}

function bodyOf(stream: HttpStreamConfig, parameters: readonly RequestParameter[]): string | undefined {
  if (methodOf(stream) === 'GET') return undefined;
  const { graphql } = stream;
  const object = parseExactly((graphql ? graphql.variables : stream.body) ?? '{}') as Record<string, unknown>;
  for (const [name, value] of parameters) put(object, parsePath(name), value);
  return JSON.stringify(graphql ? { query: graphql.query, variables: object } : object);
}

function cannotName({ path, from }: HttpStreamConfig): OutsideError {
  return new OutsideError('config', 'FIELD_MISSING', `A record of "${from?.stream}" has nothing that can stand in the path ${path}.`, {
    hint: 'Check `from.params`: where the record holds what the path needs.',
  });
}
