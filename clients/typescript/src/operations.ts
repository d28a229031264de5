import type { Operations } from './api-types.ts';

/** An operation of the interface, as `/openapi.json` lists it: method and path. */
export type OperationName = keyof Operations;

type Part<Name extends OperationName, Place extends 'params' | 'query' | 'body'> = Operations[Name][Place];
type WithParams<Name extends OperationName> = keyof Part<Name, 'params'> extends never
  ? { params?: undefined }
  : { params: Part<Name, 'params'> };
type WithQuery<Name extends OperationName> = keyof Part<Name, 'query'> extends never
  ? { query?: undefined }
  : { query?: { [Member in keyof Part<Name, 'query'>]?: Part<Name, 'query'>[Member] | undefined } };
type WithBody<Name extends OperationName> =
  undefined extends Part<Name, 'body'> ? { body?: Part<Name, 'body'> | undefined } : { body: Part<Name, 'body'> };

/** What an operation takes: the parameters of its path, its query, its body. */
export type Input<Name extends OperationName> = WithParams<Name> & WithQuery<Name> & WithBody<Name>;
/** What an operation answers with. */
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** The operations that answer a page of a list. */
export type ListName = {
  [Name in OperationName]: Operations[Name]['answer'] extends { data: unknown[]; next_cursor: string | null } ? Name : never;
}[OperationName];
/** What such a list holds. */
export type Item<Name extends ListName> = Operations[Name]['answer']['data'][number];

/** Input that may be left out where the operation needs none. */
export type Given<Name extends OperationName, Options> =
  {} extends Input<Name> ? [input?: Input<Name>, options?: Options] : [input: Input<Name>, options?: Options];

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
export function requestOf(name: string, input: object = {}): PlainRequest {
  const { params = {}, query = {}, body } = input as PlainInput;
  const [method = '', template = ''] = name.split(' ');
  const values = params as Record<string, unknown>;
  const path = template.replace(/\{(\w+)\}/g, (_, member: string) => encodeURIComponent(String(values[member])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([member, value]) => [member, String(value)])).toString();
  return { method, path: search === '' ? path : `${path}?${search}`, body };
}
