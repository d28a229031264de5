import type { Part } from '../parts.ts';
import type { Slice } from '../slices/slice.ts';
import type { Options } from './options.ts';
import type { Reply } from './reply.ts';

interface RequestCall {
  readonly slice: Slice;
  /** Of the page; none for the first. */
  readonly token?: unknown;
  /** Where the page before leads to, instead of the path of the manifest. */
  readonly path?: string | undefined;
  /** What the paginator and the slices put into the request. */
  readonly options?: readonly Options[];
  readonly streams?: boolean;
  readonly signal: AbortSignal;
}

/** Makes requests as the manifest says, and sends them. */
export interface Requester {
  send(call: RequestCall): Promise<Reply>;
  /** Members of the parameters that name properties to ask for, and the parameter that they go into. */
  readonly properties: { readonly parameter: string | undefined; readonly part: Part } | undefined;
}
