import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One message, as it arrived. */
export interface Received {
  id: string;
  at: number;
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  // oxlint-disable-next-line no-explicit-any -- the tests look into bodies of every shape
  body: any;
}

export type Answering = (message: Received, response: ServerResponse) => void;

/** A server that takes webhooks, and answers as it is told to. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: Received[];
  answer: Answering;
  close(): Promise<void>;
}

export const wellReceived: Answering = (_, response) => void response.writeHead(204).end();

export async function startReceiver(answer: Answering = wellReceived): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A sender may be killed in the middle of it.
    request.on('error', () => undefined);
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { headers, url: path = '' } = request;
      const message = { id: String(headers['webhook-id']), at: Date.now(), path, headers, text, body: JSON.parse(text) as unknown };
      received.push(message);
      receiver.answer(message, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
