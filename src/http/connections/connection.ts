import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../lib/errors.ts';
import { networkOf } from '../callers/client-address.ts';
import type { Holder } from './shares.ts';
import type { Principal } from '../scopes.ts';

/** How slowly something may go: so many milliseconds, and a second more for each so many bytes that have come or gone. */
export interface SlowestPace {
  readonly grace: number;
  readonly bytesPerSecond: number;
}

/** The body that is arriving. */
interface Receiving {
  readonly request: IncomingMessage;
  readonly since: number;
  readonly bytesBefore: number;
  /** Ends it with an answer, where one is still possible. */
  readonly giveUp: () => void;
}

/** Different tokens that one connection may ask about at the same time. */
const MOST_TOKENS = 8;

const CONNECTION = Symbol('connection');

interface KnownSocket extends Socket {
  [CONNECTION]?: HttpConnection;
}

/** What is known of a connection beyond its socket. On the way of every request there are only a few assignments. */
export class HttpConnection {
  socket: Socket;
  /** Who last showed a valid key here. */
  holder: Holder | undefined;
  /** Requests that we work on. */
  working = 0;
  /** Streams that are open. */
  streaming = 0;
  /** Answers to requests that were sent before the answer to another was there. */
  readonly #queued = new Set<ServerResponse>();
  /** Questions to the database whose token it is, and the last of them. */
  #asking = 0;
  #token = '';
  #receiving: Receiving | undefined;
  /** While something waits to be sent: since when, and what had gone out by then. */
  #sendingSince = 0;
  #sentBefore = 0;
  #address: string | undefined;
  #network = '';

  constructor(socket: Socket) {
    this.socket = socket;
    this.moveTo(socket);
  }

  static of(socket: Socket): HttpConnection {
    return (socket as KnownSocket)[CONNECTION] ?? new HttpConnection(socket);
  }

  /** The same connection, by way of another socket. */
  moveTo(socket: Socket): void {
    this.socket = socket;
    (socket as KnownSocket)[CONNECTION] = this;
  }

  /** The network of the other end, which may be a proxy. */
  get network(): string {
    return this.#networkOf(this.socket.remoteAddress ?? '');
  }

  /** Notes whose request came in, and answers in whose name its costs are counted. */
  admit(principal: Principal, clientAddress: string): Holder {
    const isAdmin = principal.scopes.has('admin');
    const network = this.#networkOf(clientAddress);
    const known = this.holder;
    if (known && known.key === principal.id && known.isAdmin === isAdmin && known.network === network) return known;
    this.holder = { key: principal.id, network, isAdmin };
    return this.holder;
  }

  /** Throws where many different tokens are sent without waiting for an answer, each of them a question to the database: an honest client has one. */
  demandFewTokens(token: string): void {
    if (this.#asking < MOST_TOKENS || token === this.#token) return;
    const message = 'This connection sends many keys at once. Wait for an answer before you try another.';
    throw new AppError('RATE_LIMITED', message, { field: 'Authorization', reason: 'too many different keys' }, { 'retry-after': '1' });
  }

  /** The database is being asked whose token this is. */
  ask<Answer>(token: string, answer: Promise<Answer>): Promise<Answer> {
    this.#token = token;
    this.#asking++;
    return answer.finally(() => {
      this.#asking--;
    });
  }

  /** An answer that has to wait for the one before it. */
  queue(response: ServerResponse): void {
    this.#queued.add(response);
    response.once('close', () => this.#queued.delete(response));
  }

  /** The connection is gone. Node tells those answers only that had their turn. */
  end(): void {
    for (const response of this.#queued) {
      response.destroyed = true;
      response.emit('close');
    }
  }

  /** The body of this request begins to arrive; `giveUp` is called when it comes too slowly. */
  receive(request: IncomingMessage, giveUp: () => void): void {
    this.#receiving = { request, since: performance.now(), bytesBefore: this.socket.bytesRead, giveUp };
  }

  /** It is all there, or nobody waits for it any more. */
  received(): void {
    this.#receiving = undefined;
  }

  /** A client that was refused may still send the rest of the body, but within a time. */
  refuse(request: IncomingMessage): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (request.complete || (length === '0' && encoding === undefined)) return;
    this.receive(request, () => this.socket.destroy());
  }

  /** Gives up on a body that comes too slowly; answers whether it did. */
  hurryBody(now: number, { grace, bytesPerSecond }: SlowestPace): boolean {
    const body = this.#receiving;
    if (!body || body.request.complete) return false;
    const allowed = grace + ((this.socket.bytesRead - body.bytesBefore) / bytesPerSecond) * 1000;
    if (now - body.since <= allowed) return false;
    this.#receiving = undefined;
    body.giveUp();
    return true;
  }

  /** Whether what we sent is taken too slowly. */
  readsTooSlowly(now: number, { grace, bytesPerSecond }: SlowestPace): boolean {
    const { socket } = this;
    if (socket.writableLength === 0) {
      this.#sendingSince = 0;
      return false;
    }
    const sent = socket.bytesWritten - socket.writableLength;
    if (this.#sendingSince === 0) {
      this.#sendingSince = now;
      this.#sentBefore = sent;
    }
    return now - this.#sendingSince > grace + ((sent - this.#sentBefore) / bytesPerSecond) * 1000;
  }

  /** An address is asked for with every request, and is nearly always the same. */
  #networkOf(address: string): string {
    if (address === this.#address) return this.#network;
    this.#address = address;
    this.#network = networkOf(address);
    return this.#network;
  }
}
