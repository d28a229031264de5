import type { ServerResponse } from 'node:http';
import type { OpenSpan } from '../../traces/span.ts';
import type { RouteTally } from './request-tally.ts';
import type { Holder } from './shares.ts';

/** Carries what is needed to count the request when it is over. */
export interface CountedResponse extends ServerResponse {
  since?: number;
  tally?: RouteTally;
  /** In whose name its costs are counted; known as soon as the key is. */
  holder?: Holder;
  /** Where traces are wanted, and this one is among them. */
  span?: OpenSpan;
  requestId?: string;
}
