import type { Operations } from '../api-types.ts';
import { brokenOff, errorOf, unreachable } from './errors.ts';
import { currentSession, endSession } from './session.ts';

export type OperationName = keyof Operations;

type Part<Name extends OperationName, Place extends 'params' | 'query' | 'body'> = Operations[Name][Place];
type WithParams<Name extends OperationName> = keyof Part<Name, 'params'> extends never
  ? { params?: undefined }
  : { params: Part<Name, 'params'> };
type WithQuery<Name extends OperationName> = keyof Part<Name, 'query'> extends never
  ? { query?: undefined }
  : { query?: Given<Part<Name, 'query'>> };
type WithBody<Name extends OperationName> =
  undefined extends Part<Name, 'body'> ? { body?: Part<Name, 'body'> } : { body: Part<Name, 'body'> };
/** A filter that is not set may be said to be undefined. */
type Given<Query> = { [Member in keyof Query]?: Query[Member] | undefined };

/** What an operation takes. */
export type Input<Name extends OperationName> = WithParams<Name> & WithQuery<Name> & WithBody<Name>;
export type Answer<Name extends OperationName> = Operations[Name]['answer'];
/** What an operation answers with, without the wrapping. */
export type Data<Name extends OperationName> = Answer<Name> extends { data: infer Inner } ? Inner : never;

interface PlainInput {
  params?: object | undefined;
  query?: object | undefined;
  body?: unknown;
}

export interface PlainRequest {
  method: string;
  path: string;
  body: unknown;
}

/** The request that an operation stands for. */
export function requestOf<Name extends OperationName>(name: Name, input: Input<Name>): PlainRequest {
  const { params = {}, query = {}, body } = input as PlainInput;
  const [method = '', template = ''] = name.split(' ');
  const values = params as Record<string, unknown>;
  const path = template.replace(/\{(\w+)\}/g, (_, member: string) => encodeURIComponent(String(values[member])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([member, value]) => [member, String(value)])).toString();
  return { method, path: search === '' ? path : `${path}?${search}`, body };
}

/**
 * Calls the service in the name of who has signed in. Throws an ApiError whose message is a sentence for people. `once` is an `Idempotency-Key`: what is
 * sent again with it, as no answer came, is done once.
 */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { signal, once }: { signal?: AbortSignal; once?: string | undefined } = {},
): Promise<Answer<Name>> {
  const { method, path, body } = requestOf(name, input);
  const response = await send(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(once !== undefined && { headers: { 'idempotency-key': once } }),
    ...(signal && { signal }),
  });
  return (await response.json().catch((error: unknown) => {
    throw signal?.aborted ? error : brokenOff(method);
  })) as Answer<Name>;
}

/** A request in the name of who has signed in, for answers that are not one JSON value. */
export async function send(path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }): Promise<Response> {
  const session = currentSession();
  const headers: Record<string, string> = { accept: 'application/json', ...init.headers };
  if (init.body !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'same-origin' }).catch((error: unknown) => {
    throw init.signal?.aborted ? error : unreachable();
  });
  if (response.ok) return response;
  if (response.status === 401) endSession(session);
  throw await errorOf(response);
}
