import { connect, type Socket } from 'node:net';

// Clients that mean harm below the level of requests. Each kind keeps so many connections open, and comes back when it is cut off.

/** What a client does with its connection. */
export type Hostility = (socket: Socket) => void;

const DRIP_INTERVAL = 500;

/** Sends these bytes and reads nothing of what comes back. */
export function doesNotRead(request: string): Hostility {
  return (socket) => {
    socket.pause();
    socket.write(request);
  };
}

/** Sends the head at once and the rest byte by byte. */
export function drips(head: string, rest: string): Hostility {
  return (socket) => {
    socket.resume();
    socket.write(head);
    let sent = 0;
    const drops = setInterval(() => socket.write(rest.charAt(sent++ % rest.length)), DRIP_INTERVAL);
    socket.on('close', () => clearInterval(drops));
  };
}

/** Connects and says nothing, or the beginning of something. */
export function hangs(beginning: Buffer | string = ''): Hostility {
  return (socket) => {
    socket.resume();
    if (beginning.length > 0) socket.write(beginning);
  };
}

/** The beginning of a TLS handshake: the head of a message that never comes. */
export const HALF_A_HELLO = Buffer.from('16030102000100', 'hex');

export interface Horde {
  /** Connections that are open. */
  readonly open: number;
  /** How often one was cut off by the other side. */
  readonly cutOff: number;
  /** Resolves when all are connected for the first time. */
  readonly gathered: Promise<void>;
  leave(): void;
}

/** So many clients of a kind. */
export function gather(port: number, count: number, hostility: Hostility, { comeBack = true } = {}): Horde {
  const sockets = new Set<Socket>();
  let cutOff = 0;
  let isLeaving = false;
  const first: Promise<void>[] = [];
  const join = (): void => {
    const socket = connect({ port, host: '127.0.0.1' });
    first.push(new Promise((resolve) => socket.once('connect', resolve).once('close', () => resolve())));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('connect', () => hostility(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (isLeaving) return;
      cutOff++;
      if (comeBack) setTimeout(() => isLeaving || join(), DRIP_INTERVAL).unref();
    });
  };
  for (let n = 0; n < count; n++) join();
  return {
    get open() {
      return sockets.size;
    },
    get cutOff() {
      return cutOff;
    },
    gathered: Promise.all(first).then(() => {}),
    leave: () => {
      isLeaving = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
