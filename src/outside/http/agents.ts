import type { Agent } from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { http } from '../../lib/built-in/http.ts';
import { authoritiesWith } from '../authorities.ts';
import type { Reach } from '../reach.ts';

export interface Agents {
  agentFor(url: URL): Agent;
  close(): void;
}

export interface TlsOptions {
  /** Whether the certificate of the other side has to be one that is trusted, for its name. */
  verify: boolean;
  /** An authority, in PEM, that is trusted besides the public ones. */
  ca?: string;
}

/** Connections that are used again for the next request. */
export interface KeptConnections {
  /** To one place at a time. Further requests wait; without, none does, and the caller sees to it that there are not too many. */
  most?: number;
  /** To one place, of those that are not used just now. */
  mostUnused?: number;
  /** Milliseconds that one which is not used is kept; without, for as long as the other side does. */
  idle?: number;
}

/** The connections of a client, kept and used again or not. Where they lead to is checked on the address that was connected to. */
export function createAgents(reach: Reach, tls: TlsOptions | undefined, kept: KeptConnections | undefined): Agents {
  // An agent with a limit keeps its connections in any case.
  const options = {
    lookup: reach.lookup,
    ...(kept && {
      keepAlive: true,
      ...(kept.most !== undefined && { maxSockets: kept.most }),
      ...(kept.mostUnused !== undefined && { maxFreeSockets: kept.mostUnused }),
      ...(kept.idle !== undefined && { timeout: kept.idle }),
    }),
  };
  const plain = guarded(new http.Agent(options), reach);
  let secure: Agent | undefined;
  const makeSecure = (): Agent =>
    guarded(
      new https.Agent({
        ...options,
        rejectUnauthorized: tls?.verify ?? true,
        ...(tls?.ca !== undefined && { ca: authoritiesWith(tls.ca) }),
      }),
      reach,
    );
  return {
    agentFor: (url) => (url.protocol === 'https:' ? (secure ??= makeSecure()) : plain),
    close: () => {
      plain.destroy();
      secure?.destroy();
    },
  };
}

/** Names are judged when they are resolved. This judges the address itself, before a byte is sent to it. */
function guarded(agent: Agent, reach: Reach): Agent {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = create(options, callback) as Socket;
    socket.prependOnceListener('connect', () => {
      try {
        reach.demand(socket.remoteAddress ?? '');
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    return socket;
  };
  return agent;
}
