import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Reach } from '../../../outside/reach.ts';
import type { HttpConfig } from '../config/config.ts';

export interface Agents {
  agentFor(url: URL): http.Agent;
  close(): void;
}

// More would be a burden to the API; fewer would make parallel writing wait.
const MAX_SOCKETS = 32;

/** Connections that are kept and used again. Where they lead to is checked on the address that was connected to. */
export function createAgents(reach: Reach, tls: HttpConfig['tls']): Agents {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, lookup: reach.lookup };
  const plain = guarded(new http.Agent(options), reach);
  let secure: http.Agent | undefined;
  const makeSecure = (): http.Agent =>
    guarded(
      new https.Agent({
        ...options,
        rejectUnauthorized: tls?.verify ?? true,
        ...(tls?.ca !== undefined && { ca: [...rootCertificates, tls.ca] }),
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
function guarded(agent: http.Agent, reach: Reach): http.Agent {
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
