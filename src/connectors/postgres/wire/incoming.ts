import type { Socket } from 'node:net';
import { parserOf, type Taker } from '../../../lib/pg-internals.ts';
import type { Reach } from '../../../outside/reach.ts';

// What comes in over a plain connection lands in the same place again and again: a new piece of memory for each read would keep the
// garbage collector busy. Nobody may keep what lies there. The driver, which would, is given copies.

const ROOM = 128 * 1024;

/** The frugal sockets, and who takes what comes in when it is not the driver. */
const takers = new WeakMap<object, Taker | undefined>();

/** A socket for a connection without encryption. */
export function frugalSocket(reach: Reach): Socket {
  const socket = reach.socket({
    buffer: Buffer.allocUnsafeSlow(ROOM),
    callback: (size, room) => {
      const chunk = (room as Buffer).subarray(0, size);
      const taker = takers.get(socket);
      if (taker) taker(chunk);
      else socket.emit('data', Buffer.from(chunk));
      return true;
    },
  });
  takers.set(socket, undefined);
  return socket;
}

interface Incoming {
  listeners(event: 'data'): unknown[];
  on(event: 'data', listener: Taker): unknown;
  removeListener(event: 'data', listener: Taker): unknown;
}

export interface Diversion {
  /** Gives the driver something that is its own. */
  driver: Taker;
  /** From here on everything is the driver's again. */
  end: () => void;
}

/** Leads what comes in past the driver, to a function that copies what has to be kept. */
export function divert(stream: Incoming, taker: Taker): Diversion {
  const listener = parserOf(stream);
  const driver: Taker = (chunk) => listener(Buffer.from(chunk));
  if (takers.has(stream)) {
    takers.set(stream, taker);
    return { driver, end: () => takers.set(stream, undefined) };
  }
  // There is always one who listens: otherwise the stream would stop.
  stream.on('data', taker);
  stream.removeListener('data', listener);
  return {
    driver,
    end: () => {
      stream.on('data', listener);
      stream.removeListener('data', taker);
    },
  };
}
