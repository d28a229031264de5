import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a connector and a server, and cuts the line when it is told to. */
export interface Proxy {
  readonly port: number;
  /** Cuts every connection now. */
  cut(): void;
  /**
   * Cuts a connection when it asks for something that matches: before the server hears of it, or when the server has
   * answered and the client has not heard. Once. Only works on lines without TLS.
   */
  cutAt(pattern: RegExp, moment: 'before' | 'after'): void;
  /** How many connections there are. */
  connections(): number;
  close(): Promise<void>;
}

export async function proxyTo(port: number, host = '127.0.0.1'): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let armed: { pattern: RegExp; moment: 'before' | 'after' } | undefined;
  const server = createServer((client) => {
    const target = connect(port, host);
    const pair = [client, target] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      target.destroy();
    };
    let isDeaf = false;
    client.on('data', (data) => {
      if (armed?.pattern.test(data.toString('latin1'))) {
        isDeaf = armed.moment === 'after';
        armed = undefined;
        if (!isDeaf) return end();
      }
      target.write(data);
    });
    target.on('data', (data) => {
      if (isDeaf) end();
      else client.write(data);
    });
    for (const socket of pair) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const [client, target] of pairs) {
      client.resetAndDestroy();
      target.destroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    cutAt: (pattern, moment) => {
      armed = { pattern, moment };
    },
    connections: () => pairs.size,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
