import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { failure } from '../../../../../test/support/session-outcome.ts';
import { type RudeSession, type RudeSsh, startRudeSsh } from '../../../../../test/support/rude-ssh.ts';
import { until } from '../../../../../test/support/until.ts';
import { reachOf } from '../../../../outside/reach.ts';
import { byte, SshReader, string, uint32, uint64 } from '../../../../outside/ssh/wire.ts';
import type { SftpConfig } from '../config.ts';
import { SftpClient } from './client.ts';
import { RemoteFiles } from './files.ts';
import { sftpPlace } from './place.ts';

const never = new AbortController().signal;
const SILENCE = 300;
const [INIT, OPEN, CLOSE, READ, WRITE, OPENDIR, READDIR, STAT] = [1, 3, 4, 5, 6, 11, 12, 17];
const servers: RudeSsh[] = [];
after(() => servers.forEach((server) => server.close()));

/** What is answered to a kind of request: its kind and the rest behind the id. */
type Answer = (request: SshReader, session: RudeSession) => Buffer | undefined;

const answer = (kind: number, ...parts: Buffer[]): Buffer => Buffer.concat([byte(kind), ...parts]);
const statusOf = (code: number): Buffer => answer(101, uint32(code), string(''), string(''));
const attributes = (size: number, mode = 0o100644): Buffer =>
  Buffer.concat([uint32(0x0d), uint64(size), uint32(mode), uint32(1), uint32(1)]);
const EOF = statusOf(1);

/** A server of SFTP: files can be opened, all else is as given. */
async function serve(
  answers: Readonly<Record<number, Answer>>,
  silence?: number,
): Promise<{ server: RudeSsh; config: SftpConfig; client: SftpClient; files: RemoteFiles }> {
  const all: Readonly<Record<number, Answer>> = {
    [OPEN]: () => answer(102, string('h')),
    [OPENDIR]: () => answer(102, string('d')),
    [CLOSE]: () => statusOf(0),
    ...answers,
  };
  const server = await startRudeSsh({ onData: (session, bytes) => take(session, bytes) });
  servers.push(server);
  const take = (session: RudeSession, bytes: Buffer): void => {
    for (const reader = new SshReader(bytes); reader.left > 0; ) {
      const request = new SshReader(reader.string());
      const kind = request.byte();
      if (kind === INIT) {
        const greeting = all[INIT] ? all[INIT](request, session) : answer(2, uint32(3));
        if (greeting) session.say(string(greeting));
        continue;
      }
      const id = request.uint32();
      const said = all[kind]?.(request, session);
      if (said) session.say(string(Buffer.concat([said.subarray(0, 1), uint32(id), said.subarray(1)])));
    }
  };
  const config: SftpConfig = { type: 'sftp', host: '127.0.0.1', port: server.port, user: 'ann', password: 'secret' };
  const client = new SftpClient(config, reachOf('any'), never, silence);
  return { server, config, client, files: new RemoteFiles(client) };
}

async function read(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

describe('SFTP from a rude server', () => {
  test('one that never greets is given up, and its connection ended', async () => {
    const { server, files } = await serve({ [INIT]: () => undefined }, SILENCE);
    assert.equal((await failure(files.stat('a'))).code, 'TIMEOUT');
    await until('the connection to end', () => server.sockets.size === 0);
  });

  test('one that drips, by bytes or by answers, is given up', async () => {
    const drip = (session: RudeSession): undefined => {
      const timer = setInterval(() => (session.socket.writable ? session.say(byte(0)) : clearInterval(timer)), SILENCE / 10);
      return undefined;
    };
    const bytes = await serve(
      {
        [STAT]: (_, session) => {
          session.say(uint32(1000));
          return drip(session);
        },
      },
      SILENCE,
    );
    assert.equal((await failure(bytes.files.stat('a'))).code, 'TIMEOUT');
    const later = (session: RudeSession, said: Buffer, id: number): undefined => {
      setTimeout(() => session.say(string(Buffer.concat([said.subarray(0, 1), uint32(id), said.subarray(1)]))), SILENCE / 3);
      return undefined;
    };
    let id = 1;
    // One byte at a time, each in time: the ids count up.
    const answers = await serve({ [READ]: (_, session) => later(session, answer(103, string('x')), ++id) }, SILENCE);
    assert.equal((await failure(answers.files.slice('a', 0, 1000))).code, 'TIMEOUT');
  });

  test('a list without end is given up', async () => {
    const entry = (name: string): Buffer => Buffer.concat([string(name), string(''), attributes(1)]);
    const dots = answer(104, uint32(5000), ...Array.from({ length: 5000 }, () => entry('.')));
    const endless = await serve({ [READDIR]: () => dots });
    assert.equal((await failure(endless.files.list('a'))).code, 'TOO_MANY_FILES');
    const empty = await serve({ [READDIR]: () => answer(104, uint32(0)) });
    assert.equal((await failure(empty.files.list('a'))).code, 'ANSWER_BROKEN');
    let isOver = false;
    const names = ['a', '..', 'b/c', '', 'new\nline', '../up'];
    const once = await serve({
      [READDIR]: () => {
        if (isOver) return EOF;
        isOver = true;
        return answer(104, uint32(names.length), ...names.map(entry));
      },
    });
    assert.deepEqual(
      (await once.files.list('a')).map(({ name }) => name),
      ['a', 'new\nline'],
    );
  });

  test('what makes no sense is told as such', async () => {
    for (const [kind, said, work] of [
      [STAT, answer(105, uint32(0x01), byte(1)), (files: RemoteFiles) => files.stat('a')],
      [STAT, answer(105, uint32(0x01), Buffer.alloc(8, 0xff)), (files: RemoteFiles) => files.stat('a')],
      [READ, answer(103, string(Buffer.alloc(40_000))), (files: RemoteFiles) => files.slice('a', 0, 10)],
      [READ, answer(103, string('')), (files: RemoteFiles) => files.slice('a', 0, 10)],
      [READDIR, answer(104, uint32(0xffffff)), (files: RemoteFiles) => files.list('a')],
    ] as const) {
      const { files } = await serve({ [kind]: () => said });
      const error = await failure(work(files));
      assert.ok(['ANSWER_BROKEN', 'TOO_MANY_FILES'].includes(error.code), error.code);
    }
  });

  test('a file that ends before its length is not taken for whole', async () => {
    const { config } = await serve({
      [STAT]: () => answer(105, attributes(100)),
      [READ]: (request) => {
        request.string();
        return request.uint64() === 0 ? answer(103, string('n\n1\n')) : EOF;
      },
    });
    const place = sftpPlace(config, reachOf('any'), never);
    const file = await place.file('a.csv', 'a.csv', never);
    assert.equal((await failure(read(file.bytes(0, never)))).code, 'FILE_CHANGED');
    await place.close();
  });

  test('what was opened on a connection that is lost is not used on the next one', async () => {
    // As OpenSSH does, it gives the same handles again on each connection.
    const written: string[] = [];
    const opened: string[] = [];
    const { files, server } = await serve({
      [OPEN]: (request) => {
        opened.push(request.text());
        return answer(102, string('0'));
      },
      [STAT]: () => answer(105, attributes(1)),
      [WRITE]: (request) => {
        request.string();
        request.uint64();
        written.push(`${opened.at(-1)} ${request.text()}`);
        return statusOf(0);
      },
    });
    const first = await files.create('first', true, 0o600);
    await files.write(first, 'first', 0, Buffer.from('one'));
    for (const socket of server.sockets) socket.destroy();
    await until('the loss', () => server.sockets.size === 0);
    await files.create('second', true, 0o600).catch(() => files.create('second', true, 0o600));
    const error = await failure(files.write(first, 'first', 3, Buffer.from('two')));
    assert.deepEqual([error.kind, error.code], ['transient', 'CONNECTION_LOST']);
    assert.deepEqual(written, ['first one']);
  });
});
