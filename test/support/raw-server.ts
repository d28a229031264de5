import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that says any bytes at all: `node:http` is too polite for what the tests want to hear. On a free port of the loopback. */
export interface RawServer {
  url: string;
  port: number;
  /** Everybody who came. */
  sockets: Socket[];
  /** The heads of all requests, in order. */
  heads: string[];
  close(): Promise<void>;
}

/** `answer` is called for each head that has arrived. */
export async function startRawServer(answer: (socket: Socket, head: string) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const heads: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // A client that gives up in the middle is part of what the tests try.
    socket.on('error', () => {});
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      for (let end = said.indexOf('\r\n\r\n'); end >= 0; end = said.indexOf('\r\n\r\n')) {
        const head = said.slice(0, end);
        said = said.slice(end + 4);
        heads.push(head);
        answer(socket, head);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    sockets,
    heads,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Says something again and again, until the other side has had enough. */
export function sayOften(socket: Socket, what: () => string, milliseconds: number): void {
  const timer = setInterval(() => socket.write(what()), milliseconds);
  socket.once('close', () => clearInterval(timer));
}
