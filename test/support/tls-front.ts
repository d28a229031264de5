import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './tls-certificates.ts';

/** A PostgreSQL that speaks TLS: a front before one that may not. With `refuses`, it says that it cannot. */
export async function startTlsFront(
  port: number,
  { refuses = false } = {},
): Promise<{ port: number; encrypted(): number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let encrypted = 0;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    const join = (near: Socket): void => {
      const far = connect(port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
    };
    client.once('data', (first: Buffer) => {
      client.pause();
      // The request for TLS is eight bytes with a number that no version has.
      const asks = first.length === 8 && first.readInt32BE(4) === 80877103;
      if (!asks) {
        client.unshift(first);
        return join(client);
      }
      client.write(refuses ? 'N' : 'S');
      if (refuses) return join(client);
      encrypted++;
      join(new TLSSocket(client, { isServer: true, cert: CERTIFICATE, key: CERTIFICATE_KEY }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    encrypted: () => encrypted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
