import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from '../lib/schema.ts';
import type { ErrorCode } from '../lib/errors.ts';
import type { EventStream } from './event-stream.ts';
import type { Caller } from './caller.ts';
import type { Scope } from './scopes.ts';

/** JSON that is rendered already and goes out as it is. */
export class Rendered {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A stream of newline-delimited JSON. */
export class NdjsonLines {
  readonly lines: AsyncIterable<string>;

  constructor(lines: AsyncIterable<string>) {
    this.lines = lines;
  }
}

/** A file that is made while it is sent. */
export class SentFile {
  readonly type: string;
  readonly name: string;
  readonly chunks: AsyncIterable<string | Buffer>;

  constructor(type: string, name: string, chunks: AsyncIterable<string | Buffer>) {
    this.type = type;
    this.name = name;
    this.chunks = chunks;
  }
}

/** Text of another media type than JSON. */
export class PlainText {
  readonly type: string;
  readonly text: string;

  constructor(type: string, text: string) {
    this.type = type;
    this.text = text;
  }
}

interface RouteCall<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  principal: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface RouteDefinition<Params extends TSchema, Query extends TSchema, Body extends TSchema, Answer extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for parameters, as in the documentation. */
  path: string;
  /** The scope that a caller needs; of several, any one. */
  scope: Scope | readonly Scope[];
  tag: string;
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Of a body that is a list: what each entry has to be. The handler checks them one by one, so that a bad one stops no other. */
  entry?: TSchema;
  /** Whether a request without a body is fine. */
  bodyOptional?: boolean;
  /** Bytes; 1 MiB unless said otherwise. */
  bodyLimit?: number;
  /** Also takes newline-delimited JSON: the handler finds the stream in `request.body`, and answers with NdjsonLines. */
  takesLines?: boolean;
  /** Answers with a SentFile and never with JSON, unless it is an error: of this type, or one that `answersAlso` tells of. */
  fileType?: string;
  /** Answers with an EventStream, whose events `answer` describes; errors are JSON as everywhere. */
  streamsEvents?: boolean;
  /** Request headers beyond the common ones, with their descriptions. */
  headers?: Record<string, string>;
  answer: Answer;
  /** Media types beside JSON that it answers with when asked to, with their descriptions. */
  answersAlso?: Readonly<Record<string, string>>;
  /** Headers of the answer beyond the common ones, with their descriptions. */
  answerHeaders?: Record<string, string>;
  /** Codes beyond those that every route may answer with. */
  errors?: readonly ErrorCode[];
  examples?: { body?: unknown; answer?: unknown };
  handle: (
    call: RouteCall<Static<Params>, Static<Query>, Static<Body>>,
  ) => Promise<Static<Answer> | Rendered | NdjsonLines | SentFile | PlainText | EventStream>;
}

// oxlint-disable-next-line no-explicit-any -- a table of routes holds routes of every shape
export type Route = RouteDefinition<any, any, any, any>;

/** Keeps the types of a route's schemas together with its handler. */
export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema, Answer extends TSchema>(
  definition: RouteDefinition<Params, Query, Body, Answer>,
): Route {
  return definition;
}
