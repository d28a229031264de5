import type { Route } from '../../src/http/route.ts';
import { requestBytes } from './raw-http.ts';
import type { Parts } from './valid-requests.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: Buffer | string;
}

export function wireOf(route: Route, parts: Parts, key: string): WireRequest {
  const body = bodyText(parts);
  return {
    method: route.method,
    target: targetOf(route, parts),
    headers: {
      Authorization: `Bearer ${key}`,
      ...parts.headers,
      ...(body !== undefined && { 'Content-Type': parts.asLines ? 'application/x-ndjson' : 'application/json' }),
    },
    ...(body !== undefined && { body }),
  };
}

export function targetOf(route: Route, { params, query }: Pick<Parts, 'params' | 'query'>): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

export function bodyText({ body, asLines }: Pick<Parts, 'body' | 'asLines'>): string | undefined {
  if (body === undefined) return undefined;
  return asLines ? (body as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body);
}

export function bytesOf({ method, target, headers, body }: WireRequest): Buffer {
  return requestBytes(method, target, headers, body);
}
