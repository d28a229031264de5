import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errorBody } from './errors.ts';
import type { Logger } from '../lib/log.ts';
import { http } from '../lib/built-in/http.ts';
import type { PlainText } from './route.ts';

export interface MetricsPort {
  close: () => Promise<void>;
}

interface PortOptions {
  host: string;
  /** Undefined for none. */
  port: number | undefined;
  scrape: () => Promise<PlainText>;
  log: Logger;
}

/**
 * `/metrics` on a port of its own, without a key: for scrapers in a network that others do not reach. One question is worked on at a time, and those that
 * come meanwhile get its answer: a client that asks all the time cannot keep the database busy.
 */
export async function openMetricsPort({ host, port, scrape, log }: PortOptions): Promise<MetricsPort | undefined> {
  if (port === undefined) return undefined;
  let asked: Promise<PlainText> | undefined;
  const scrapeOnce = (): Promise<PlainText> =>
    (asked ??= scrape().finally(() => {
      asked = undefined;
    }));
  const server = http.createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const refuse = (status: number, code: 'NOT_FOUND' | 'UNAVAILABLE', message: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(errorBody(code, message, {}));
    };
    request.resume();
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD'))
      return refuse(404, 'NOT_FOUND', 'There is GET /metrics here and nothing else.');
    scrapeOnce().then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text),
      (error: unknown) => {
        log.warn({ err: error }, 'could not tell the metrics');
        refuse(503, 'UNAVAILABLE', 'The metrics cannot be read at the moment: see the log of this node.');
      },
    );
  });
  server.maxConnections = 100;
  server.listen(port, host);
  await once(server, 'listening');
  const at = server.address() as AddressInfo;
  log.info(`metrics are told at http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}/metrics`);
  return {
    close: async () => {
      server.close();
      server.closeAllConnections();
      await asked?.catch(() => undefined);
    },
  };
}
