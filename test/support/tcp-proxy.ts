import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A door in front of a server, which the test can shut and open again. */
export interface TcpProxy {
  port: number;
  /** Ends every connection, politely or by a reset, and takes no new one. */
  cut(how?: { reset: boolean }): Promise<void>;
  /** Takes connections again, on the same port. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target.port, target.host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const cut = async ({ reset } = { reset: false }): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) reset ? socket.resetAndDestroy() : socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    port,
    cut,
    restore: async () => {
      await listen(port);
    },
    close: cut,
  };
}
