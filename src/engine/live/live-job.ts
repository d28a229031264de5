import type { OpenEnds } from '../ends.ts';
import type { RunOrder, RunPorts, StreamReport, StreamState } from '../run.ts';

/** What a live run is to follow, and with what. */
export interface LiveJob {
  readonly order: RunOrder;
  readonly ports: RunPorts;
  readonly ends: OpenEnds;
  readonly jobs: readonly { readonly state: StreamState; readonly report: StreamReport }[];
  readonly signal: AbortSignal;
}
