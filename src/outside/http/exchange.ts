import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { http } from '../../lib/built-in/http.ts';
import { aborted } from '../errors.ts';
import type { Reach } from '../reach.ts';
import type { Agents } from './agents.ts';
import { type Bounds, bounded, packed, unpacked } from './body.ts';
import type { Explain, Problem } from './problem.ts';

export interface Outgoing {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
}

/** What came back; the body comes as it is asked for and within bounds. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Where it came from, after redirects. */
  url: URL;
  body: AsyncIterable<Buffer>;
  /** Lets go of what was not read. */
  discard(): void;
}

/** How requests leave, and what their answers may be. */
export interface ExchangeOptions {
  reach: Reach;
  agents: Agents;
  bounds: Bounds;
  /** Whether packed answers are unpacked. */
  unpacks: boolean;
  explain: Explain;
}

/** One request and its answer. Nothing is followed, nothing is tried again. */
export async function exchange({ method, url, headers, body }: Outgoing, way: ExchangeOptions, signal: AbortSignal): Promise<Answer> {
  const { reach, agents, bounds, unpacks, explain } = way;
  if (signal.aborted) throw aborted();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  // Of an address there is nothing to look up, so nobody else would judge it before we connect.
  try {
    if (isIP(host)) reach.demand(host);
  } catch (error) {
    throw explain({ what: 'failed', error, isReused: false }, url);
  }
  const { response, request } = await new Promise<{ response: IncomingMessage; request: ClientRequest }>((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request({
      method,
      host,
      port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, ...(body && { 'content-length': String(body.length) }) },
      agent: agents.agentFor(url),
      lookup: reach.lookup,
      signal,
    });
    const fail = (problem: Problem): void => {
      clearTimeout(timer);
      reject(signal.aborted ? aborted() : explain(problem, url));
    };
    // For all of the head: headers that come one by one are no reason to wait longer.
    const timer = setTimeout(() => {
      fail({ what: 'mute', milliseconds: bounds.timeout });
      outgoing.destroy();
    }, bounds.timeout);
    const failed = (error: unknown): void => fail({ what: 'failed', error, isReused: outgoing.reusedSocket });
    const ended = (): void => failed(new Error('The request ended without an answer.'));
    outgoing.once('error', failed);
    outgoing.once('close', ended);
    outgoing.once('upgrade', (_, socket) => {
      fail({ what: 'other protocol' });
      socket.destroy();
    });
    outgoing.once('response', (incoming) => {
      clearTimeout(timer);
      outgoing.off('close', ended);
      resolve({ response: incoming, request: outgoing });
    });
    outgoing.end(body);
  });
  // From here on the body tells of failures; a request that nobody listens to would end the process.
  request.on('error', () => {});
  const arriving = unpacks ? unpacked(response, () => explain({ what: 'packed' }, url)) : packed(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    url,
    body: bounded(arriving, bounds, signal, (problem) => explain(problem, url)),
    discard: () => {
      arriving.destroy();
      response.destroy();
    },
  };
}
