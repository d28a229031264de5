import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/** The paths of requests to a port that have left this process so far. */
export function requestsLeft(port: number): { readonly paths: string[]; [Symbol.dispose](): void } {
  const paths: string[] = [];
  const note = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader('host') === `127.0.0.1:${port}`) paths.push(request.path);
  };
  subscribe('http.client.request.start', note);
  return { paths, [Symbol.dispose]: () => void unsubscribe('http.client.request.start', note) };
}
