import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A link that takes so many bytes in a second, in both directions together, and counts them. Any number of servers may be behind it. */
export interface SlowLink {
  /** What has passed. */
  bytes: number;
  /** The port, here, of a server that is reached through it. */
  to(server: { host: string; port?: number | undefined }): Promise<number>;
  close(): Promise<void>;
}

export function slowLink(bytesPerSecond: number): SlowLink {
  const sockets = new Set<Socket>();
  const closings: (() => Promise<unknown>)[] = [];
  /** When the link is free again. */
  let free = 0;
  const forward = async (from: Socket, to: Socket): Promise<void> => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      link.bytes += chunk.length;
      free = Math.max(free, performance.now()) + (chunk.length * 1000) / bytesPerSecond;
      const wait = free - performance.now();
      if (wait > 1) await pause(wait);
      if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
    }
    to.end();
  };
  const link: SlowLink = {
    bytes: 0,
    to: async ({ host, port = 5432 }) => {
      const server = createServer((near) => {
        const far = connect(port, host);
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(from);
          from.on('error', () => to.destroy());
          from.on('close', () => {
            sockets.delete(from);
            to.destroy();
          });
          forward(from, to).catch(() => to.destroy());
        }
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      closings.push(async () => {
        const closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
        await closed;
      });
      const address = server.address();
      return typeof address === 'object' && address ? address.port : 0;
    },
    close: async () => {
      for (const close of closings) await close();
    },
  };
  return link;
}
