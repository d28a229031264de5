import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../lib/log.ts';
import { HttpConnection, type SlowestPace } from './connection.ts';
import type { DropReason, Traffic } from './traffic.ts';

/** So often we look who is too slow: one timer for all. */
const LOOK_INTERVAL = 1_000;
/** So often we say how many were. */
const TELL_INTERVAL = 10_000;
/** When there are too many connections, this part of them makes room: looking for them costs a little. */
const SHED = 0.02;

export interface ConnectionOptions {
  /** How many connections there may be. */
  most: number;
  /** How slowly bodies may come and answers may be read. */
  body: SlowestPace;
  answer: SlowestPace;
  traffic: Traffic;
  log: Logger;
  /** Called once a second. */
  onLook: () => void;
}

/** All connections there are. Those that cost us something and bring nothing are cut off. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open = new Set<HttpConnection>();
  /** Over TLS: those that have not shaken hands yet, by where they come from. */
  readonly #handshaking = new Map<string, HttpConnection>();
  readonly #timer: ReturnType<typeof setInterval>;
  #toldAt = -Infinity;
  #told = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL).unref();
  }

  watch(server: Server, isTls: boolean): void {
    server.on('connection', (socket: Socket) => this.#add(socket, isTls));
    server.on('close', () => clearInterval(this.#timer));
    if (!isTls) return;
    server.on('secureConnection', (socket: Socket) => this.#secure(socket));
    server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') this.#options.traffic.drop('slow_handshake');
    });
  }

  #add(socket: Socket, isTls: boolean): void {
    const connection = new HttpConnection(socket);
    const { traffic, most } = this.#options;
    const place = isTls ? placeOf(socket) : undefined;
    this.#open.add(connection);
    if (place !== undefined) this.#handshaking.set(place, connection);
    traffic.connections = this.#open.size;
    socket.once('close', () => {
      this.#open.delete(connection);
      if (place !== undefined) this.#handshaking.delete(place);
      traffic.connections = this.#open.size;
      connection.end();
    });
    if (this.#open.size > most) this.#makeRoom();
  }

  /** From now on bytes are counted, and an end is made, where the encryption is. */
  #secure(socket: Socket): void {
    const place = placeOf(socket);
    const connection = this.#handshaking.get(place);
    this.#handshaking.delete(place);
    connection?.moveTo(socket);
  }

  #look(): void {
    const { body, answer, onLook } = this.#options;
    const now = performance.now();
    for (const connection of this.#open) {
      if (connection.readsTooSlowly(now, answer)) this.#drop(connection, 'unread');
      else if (connection.hurryBody(now, body)) this.#options.traffic.drop('slow_body');
    }
    this.#tell(now);
    onLook();
  }

  #drop(connection: HttpConnection, reason: DropReason): void {
    this.#options.traffic.drop(reason);
    connection.socket.destroy();
  }

  /**
   * Rather than to refuse those that come, which may be anyone's, cut off those that are not needed: from the network that has most
   * connections, those without a key before those with one, and the oldest first. Never where we work on something, nor an administrator's.
   */
  #makeRoom(): void {
    const crowds = Array.from(Map.groupBy(this.#open, ({ network }) => network).values(), (all) => ({
      size: all.length,
      spare: all.filter(isSpare).sort(byWorth),
    }));
    for (let n = Math.max(1, Math.floor(this.#options.most * SHED)); n > 0; n--) {
      let largest: (typeof crowds)[number] | undefined;
      for (const crowd of crowds) if (crowd.spare.length > 0 && crowd.size > (largest?.size ?? 0)) largest = crowd;
      if (!largest) return;
      largest.size--;
      this.#drop(largest.spare.shift() as HttpConnection, 'crowded');
    }
  }

  #tell(now: number): void {
    const { traffic, log } = this.#options;
    const dropped = traffic.droppedInAll;
    if (dropped === this.#told || now - this.#toldAt < TELL_INTERVAL) return;
    log.warn(
      { clients: dropped - this.#told, in_all: Object.fromEntries(traffic.dropped), connections: traffic.connections },
      'cut off clients that were too slow or too many',
    );
    this.#told = dropped;
    this.#toldAt = now;
  }
}

/** Unique among the connections to one server. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function isSpare({ working, holder }: HttpConnection): boolean {
  return working === 0 && !holder?.isAdmin;
}

/** Sorting keeps the order of those that are equal: the oldest comes first. */
function byWorth(one: HttpConnection, other: HttpConnection): number {
  return worthOf(one) - worthOf(other);
}

function worthOf({ holder, streaming }: HttpConnection): number {
  return (holder ? 1 : 0) + (streaming > 0 ? 1 : 0);
}
