import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  /** Path and query. */
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Handler = (request: Received, response: ServerResponse) => void | Promise<void>;

/** A small HTTP API of a test's own, on a free port of the loopback. */
export interface ApiServer {
  url: string;
  port: number;
  server: Server;
  /** All that was asked, in order. */
  received: Received[];
  close(): Promise<void>;
}

export async function startApi(
  handler: Handler,
  tls?: { key: string; cert: string },
  host = '127.0.0.1',
  wantedPort = 0,
): Promise<ApiServer> {
  const received: Received[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    // A client that gives up in the middle is part of what the tests try.
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry: Received = {
        method: request.method ?? '',
        url: new URL(request.url ?? '/', 'http://api'),
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(entry);
      void Promise.resolve(handler(entry, response)).catch((error: unknown) => {
        response.destroy();
        throw error;
      });
    });
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.listen(wantedPort, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    server,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with JSON; a text is sent as it is. */
export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}
