import type { ServerResponse } from 'node:http';
import { type ApiServer, type Received, sendJson, startApi } from '../support/api-server.ts';

/** What stands in front of the service does before it behaves: `done, then …` means that the service has done it. */
export type Rudeness =
  | 'reset'
  | 'done, then reset'
  | 'done, then half an answer'
  | 'done, then silence'
  | '429'
  | '503'
  | '502 as a page'
  | '200 as a page'
  | 'half a stream'
  | 'redirect';

/** Seconds: so few that a test can wait for them. */
export const RETRY_AFTER = 0.2;

/** Something between a client and the service that is rude as often as it is told, and then passes everything on. */
export interface RudeFront extends ApiServer {
  /** What it does to the requests that come next, one after the other. */
  plan: Rudeness[];
}

export async function startRudeFront(service: string): Promise<RudeFront> {
  const api = await startApi(async (request, response) => {
    const rudeness = front.plan.shift();
    if (rudeness === undefined) await passOn(service, request, response);
    else await misbehave(rudeness, service, request, response);
  });
  const front: RudeFront = Object.assign(api, { plan: [] });
  return front;
}

async function ask(service: string, { method, url, headers, body }: Received): Promise<Response> {
  const { host: _, connection: __, 'content-length': ___, ...others } = headers;
  return fetch(service + url.pathname + url.search, {
    method,
    headers: others as Record<string, string>,
    ...(body !== '' && { body }),
  });
}

async function passOn(service: string, request: Received, response: ServerResponse): Promise<void> {
  const answer = await ask(service, request);
  const { 'content-length': _, 'content-encoding': __, ...headers } = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, headers);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  response.on('close', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    response.write(value);
  }
  response.end();
}

async function misbehave(rudeness: Rudeness, service: string, request: Received, response: ServerResponse): Promise<void> {
  const answer = rudeness.startsWith('done') ? await ask(service, request) : undefined;
  switch (rudeness) {
    case 'reset':
    case 'done, then reset':
      response.socket?.resetAndDestroy();
      return;
    case 'done, then half an answer': {
      const text = (await answer?.text()) ?? '';
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) });
      response.write(text.slice(0, text.length / 2), () => response.socket?.resetAndDestroy());
      return;
    }
    case 'done, then silence':
      return;
    case 'half a stream': {
      const stream = await ask(service, request);
      const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      await reader.cancel();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(value?.subarray(0, value.length / 2), () => response.socket?.resetAndDestroy());
      return;
    }
    case '429':
    case '503': {
      const code = rudeness === '429' ? 'RATE_LIMITED' : 'UNAVAILABLE';
      sendJson(response, { success: false, error: { code, message: 'Not now.', details: {} } }, Number(rudeness), {
        'retry-after': String(RETRY_AFTER),
      });
      return;
    }
    case 'redirect':
      response.writeHead(302, { location: `${service}/elsewhere` }).end();
      return;
    default:
      response.writeHead(Number(rudeness.slice(0, 3)), { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  }
}
