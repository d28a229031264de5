import type { Reach } from '../reach.ts';
import { createAgents, type KeptConnections, type TlsOptions } from './agents.ts';
import { type Answer, exchange, type Outgoing, type ExchangeOptions } from './exchange.ts';

export interface ClientOptions extends Pick<ExchangeOptions, 'bounds' | 'unpacks' | 'explain'> {
  reach: Reach;
  tls?: TlsOptions | undefined;
  /** The trace that its requests belong to, which they tell in a header of this name. */
  traceparent?: string | undefined;
  /** Whether connections are used again for the next request. Then the caller has to close the client. */
  keepsConnections: boolean | KeptConnections;
}

// More would be a burden to the other side; fewer would make parallel work wait.
const MAX_SOCKETS = 32;

/**
 * How Syncline speaks HTTP to others. It judges where a request arrives, and bounds how long and how large an answer may be; it knows
 * nothing of keys and tries nothing again. For redirects there is `follow`.
 */
export interface HttpClient {
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

export function createHttpClient({ reach, tls, keepsConnections, traceparent, ...rest }: ClientOptions): HttpClient {
  const kept = keepsConnections === true ? { most: MAX_SOCKETS } : keepsConnections || undefined;
  const agents = createAgents(reach, tls, kept);
  const traced = (outgoing: Outgoing): Outgoing =>
    traceparent === undefined ? outgoing : { ...outgoing, headers: { traceparent, ...outgoing.headers } };
  return {
    send: (outgoing, signal) => exchange(traced(outgoing), { reach, agents, ...rest }, signal),
    close: () => agents.close(),
  };
}
