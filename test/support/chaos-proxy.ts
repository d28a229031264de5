import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A commit on its way: the client has asked for it, or the server has done it and says so. */
export type CommitStage = 'asked' | 'done';

/** A network that misbehaves, in front of a PostgreSQL server. */
export interface ChaosProxy {
  readonly port: number;
  /** How late everything comes, in milliseconds. */
  latency: number;
  /** Whether everything is swallowed, in both directions, while the connections stay open. */
  blackHole: boolean;
  /** Called when a commit passes; `cut` keeps this message back and ends its connection. */
  onCommit: ((stage: CommitStage) => 'pass' | 'cut' | Promise<'pass' | 'cut'>) | undefined;
  /** Ends every connection, politely or by a reset. */
  cut(how?: { reset: boolean }): void;
  /** Ends every connection, politely or by a reset, and takes no new one. */
  shut(how?: { reset: boolean }): Promise<void>;
  /** Everything passes again. Connections of which something was swallowed are gone, as they could only talk nonsense. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

// CommandComplete with the tag COMMIT; or DO, with which a batch ends that is a transaction without the word.
const DONE = ['C\0\0\0\x0bCOMMIT\0', 'C\0\0\0\x07DO\0'].map((message) => Buffer.from(message, 'latin1'));
const LONGEST_DONE = Math.max(...DONE.map((message) => message.length));
// Not the `on commit drop` of a temporary table.
const COMMIT_ASKED = /(?<!on )\bcommit\b/i;
// Rows that are copied are longer; a commit is a message of a few words.
const LONGEST_REQUEST = 4_096;
// The end of the rows of a COPY, behind which everything is done that came with it.
const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1');

export async function startChaosProxy(target: { host: string; port?: number }): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target.port ?? 5432, target.host);
    for (const [from, to, stage] of [
      [near, far, 'asked'],
      [far, near, 'done'],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      // A socket that is destroyed ends the loop with an error; that is the point of this place.
      forward(from, to, stage).catch(() => to.destroy());
    }
  });
  const proxy: ChaosProxy = {
    port: await listen(0),
    latency: 0,
    blackHole: false,
    onCommit: undefined,
    cut: ({ reset } = { reset: false }) => {
      for (const socket of sockets) {
        if (reset) socket.resetAndDestroy();
        else socket.destroy();
      }
    },
    shut: async (how) => {
      const closed = server.listening && once(server, 'close');
      server.close();
      proxy.cut(how);
      await closed;
    },
    heal: async () => {
      if (proxy.blackHole) proxy.cut({ reset: true });
      proxy.blackHole = false;
      proxy.latency = 0;
      proxy.onCommit = undefined;
      if (!server.listening) await listen(proxy.port);
    },
    close: () => proxy.shut(),
  };
  return proxy;

  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  async function forward(from: Socket, to: Socket, stage: CommitStage): Promise<void> {
    let tail: Buffer = Buffer.alloc(0);
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (proxy.latency > 0) await pause(proxy.latency);
      if (proxy.blackHole) continue;
      if (proxy.onCommit && isCommit(stage, Buffer.concat([tail, chunk])) && (await proxy.onCommit(stage)) === 'cut') {
        to.destroy();
        from.destroy();
        return;
      }
      // A message may come in two pieces.
      tail = chunk.subarray(1 - LONGEST_DONE);
      if (!to.write(chunk)) await drained(to);
    }
    to.end();
  }
}

/** Waits until more can be written, or the socket is gone; nobody listens on behind that. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).finally(() => over.abort());
}

function isCommit(stage: CommitStage, bytes: Buffer): boolean {
  if (stage === 'done') return DONE.some((message) => bytes.includes(message));
  if (bytes.subarray(-COPY_DONE.length).equals(COPY_DONE)) return true;
  return bytes.length <= LONGEST_REQUEST && COMMIT_ASKED.test(bytes.toString('latin1'));
}
