import { parseExactly } from '../../../lib/exact-json.ts';
import type { Call, Client } from '../client/client.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import { type PageStart, pageParameters, type RequestParameter } from './paging.ts';
import { fillPath, parsePath, placeholders } from '../answer/paths.ts';

/** The request for a page of a stream. */
export function pageRequest(
  client: Client,
  stream: HttpStreamConfig,
  { page, since, signal }: { page: PageStart | undefined; since: RequestParameter | undefined; signal: AbortSignal },
): Call {
  const { method, paging } = stream;
  const hasAddress = page !== undefined && (paging.type === 'next_url' || paging.type === 'link_header');
  if (hasAddress) return { method, url: new URL(String(page)), body: bodyOf(stream, []), signal };
  const given = new Map(stream.params.map(({ name, value }) => [name, value]));
  const inPath = placeholders(stream.path ?? '');
  const url = client.urlOf(fillPath(stream.path ?? '/', (name) => given.get(name)) ?? '/');
  for (const { name, value } of stream.params) if (!inPath.includes(name)) url.searchParams.append(name, value);
  const parameters = [...pageParameters(paging, page), ...(since ? [since] : [])];
  if (stream.params_in === 'body') return { method, url, body: bodyOf(stream, parameters), signal };
  for (const [name, value] of parameters) url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return { method, url, body: bodyOf(stream, []), signal };
}

function bodyOf(stream: HttpStreamConfig, parameters: readonly RequestParameter[]): string | undefined {
  if (stream.method === 'GET') return undefined;
  const body = parseExactly(stream.body ?? '{}') as Record<string, unknown>;
  for (const [name, value] of parameters) put(body, parsePath(name), value);
  return JSON.stringify(body);
}

/** Sets a value at a place, making the objects on the way. */
export function put(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [step = '', ...rest] = path;
  if (rest.length === 0) {
    define(object, step, value);
    return;
  }
  const member = Object.hasOwn(object, step) ? object[step] : undefined;
  const inner: Record<string, unknown> = typeof member === 'object' && member !== null ? (member as Record<string, unknown>) : {};
  if (inner !== member) define(object, step, inner);
  put(inner, rest, value);
}

/** Like an assignment, but also for a name such as `__proto__`. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
