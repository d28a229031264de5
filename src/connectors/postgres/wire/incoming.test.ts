import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { until } from '../../../../test/support/until.ts';
import { reachOf } from '../../../outside/reach.ts';
import { divert, frugalSocket } from './incoming.ts';

describe('what comes in over a plain connection', () => {
  test('is the driver’s own, and lasts', async (t) => {
    const { socket, say } = await connected(t);
    const kept: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => kept.push(chunk));
    for (const letter of ['a', 'b', 'c']) {
      say(letter.repeat(100));
      await until(letter, () => String(kept.at(-1)).endsWith(letter));
    }
    assert.equal(String(Buffer.concat(kept)), 'a'.repeat(100) + 'b'.repeat(100) + 'c'.repeat(100));
  });

  test('goes past the driver while it is diverted, in the same memory each time, and can be stopped', async (t) => {
    const { socket, say, sayElsewhere } = await connected(t);
    const [driven, taken]: [Buffer[], Buffer[]] = [[], []];
    socket.on('data', (chunk: Buffer) => driven.push(chunk));
    const { driver, end } = divert(socket, (chunk) => taken.push(chunk));
    say('first');
    await until('the first', () => taken.length === 1);
    driver(taken[0] as Buffer);
    say('other');
    await until('the other', () => taken.length === 2);
    assert.deepEqual(taken.map(String), ['other', 'other']);
    socket.pause();
    say('later');
    // What was said after it, over another connection, has been heard by then.
    await sayElsewhere();
    assert.equal(taken.length, 2);
    end();
    socket.resume();
    await until('what was said later', () => driven.length === 2);
    assert.deepEqual(driven.map(String), ['first', 'later']);
  });
});

interface Connected {
  socket: Socket;
  say: (text: string) => void;
  sayElsewhere: () => Promise<void>;
}

async function connected(t: { after: (clean: () => void) => void }): Promise<Connected> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = frugalSocket(reachOf('any'));
  const [[peer]] = await Promise.all([once(server, 'connection') as Promise<[Socket]>, once(socket.connect(port, '127.0.0.1'), 'connect')]);
  t.after(() => {
    socket.destroy();
    peer.destroy();
    server.close();
  });
  const sayElsewhere = async (): Promise<void> => {
    server.once('connection', (other: Socket) => other.end('said'));
    await once(connect(port, '127.0.0.1'), 'data');
  };
  return { socket, say: (text) => peer.write(text), sayElsewhere };
}
