import type { ServerResponse } from 'node:http';
import { type Received, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { pick, type Random } from './random.ts';

type Manner = (response: ServerResponse, random: Random) => void;

const well: Manner = (response) => void response.writeHead(204).end();
const MANNERS: readonly Manner[] = [
  well,
  well,
  well,
  well,
  (response) => void response.writeHead(500).end('not now'),
  (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Well</h1>'),
  // Late, and too late.
  (response, random) => void setTimeout(() => response.writeHead(200).end(), random() * 80),
  (response) => void setTimeout(() => response.writeHead(200).end(), 600),
  // Never.
  () => undefined,
  (response) => void response.socket?.destroy(),
  (response) => void response.socket?.resetAndDestroy(),
  // Drop by drop, without an end.
  (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(drip));
  },
  (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  // Half of an answer; all of its head, and then nothing but a reset; and interim answers without an end.
  (response) => void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'),
  (response) => void response.socket?.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', () => response.socket?.resetAndDestroy()),
  (response) => {
    const flood = setInterval(() => response.writeProcessing(), 20);
    response.on('close', () => clearInterval(flood));
  },
  // In ten years.
  (response) => void response.writeHead(429, { 'retry-after': '315360000' }).end(),
  (response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  (response) => void response.writeHead(503, { 'retry-after': 'whenever' }).end(),
  // Twice.
  (response) => {
    const { socket } = response;
    response.writeHead(200, { 'content-length': '0' }).end(() => socket?.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  },
  (response) => void response.socket?.end('What do you want?\r\n\r\n'),
  (response) => void response.writeHead(200).end(Buffer.alloc(300_000, 'x')),
  (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed at all'),
];

/** A receiver that answers anything: in time, late, twice, never, as long as it is rude. On `/gone` it wants nothing more. */
export class RudeReceiver {
  readonly #receiver: WebhookReceiver;
  isRude = true;
  wantsNothing = true;

  private constructor(receiver: WebhookReceiver, random: Random) {
    this.#receiver = receiver;
    receiver.answer = ({ path }, response) => {
      if (path === '/gone' && this.wantsNothing) return void response.writeHead(410).end();
      const manner = this.isRude ? pick(random, MANNERS) : well;
      return manner(response, random);
    };
  }

  static async start(random: Random): Promise<RudeReceiver> {
    return new RudeReceiver(await startReceiver(), random);
  }

  get url(): string {
    return this.#receiver.url;
  }

  at(path: string): Received[] {
    return this.#receiver.received.filter((message) => message.path === path);
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }
}
