// A server that speaks the protocol and means no good.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as aMoment } from 'node:timers/promises';
import { until } from '../../../test/support/until.ts';
import { MAX_ROW_BYTES } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { connect } from './wire/connect.ts';
import { LineMaker, type Made } from './read/line-maker.ts';
import { typed } from './catalogue/columns.ts';
import type { Wire } from './wire/connection.ts';

const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const EOF = Buffer.from([0xfe, 0, 0, 2, 0]);

function packet(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence & 0xff;
  return Buffer.concat([header, payload]);
}

function text(value: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}

/** The head of an answer with one column; `then` sends what follows it, from sequence 4 on. */
function rows(socket: Socket, then: () => void, type = 0xfd): void {
  const column = Buffer.concat([...['def', '', '', '', 'c', ''].map(text), Buffer.from([0x0c, 45, 0, 0, 0, 0, 0, type, 0, 0, 0, 0, 0])]);
  socket.write(Buffer.concat([packet(1, Buffer.from([1])), packet(2, column), packet(3, EOF)]));
  then();
}

describe('a hostile server', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  /** Lets every user in and answers every statement but our first with `answer`. */
  const open = async (answer: (socket: Socket, sql: string) => void): Promise<Wire> => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      const greeting = Buffer.concat([
        Buffer.from([10]),
        Buffer.from('8.0.99-evil\0'),
        Buffer.from([1, 0, 0, 0]),
        Buffer.from('12345678\0'),
        Buffer.from([0xff, 0xf7, 45, 2, 0, 0x0f, 0x00, 21]),
        Buffer.alloc(10),
        Buffer.from('123456789012\0mysql_native_password\0'),
      ]);
      socket.write(packet(0, greeting));
      let isIn = false;
      socket.on('data', (data) => {
        if (!isIn) {
          isIn = true;
          socket.write(packet(2, OK));
        } else if (data.toString().includes('set names')) socket.write(packet(1, OK));
        else if (data[4] === 3) answer(socket, data.toString('utf8', 5));
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const config = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, user: 'u', database: 'd', tls: 'disable' } as const;
    const context = { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal };
    return connect(config, context, { mode: 'read' });
  };
  const fails = (work: Promise<unknown>, code: string): Promise<void> =>
    assert.rejects(work, (error) => error instanceof OutsideError && error.code === code);
  const column = typed(
    {
      name: 'c',
      dataType: 'text',
      columnType: 'text',
      nullable: true,
      characterSet: 'utf8mb4',
      collation: null,
      comment: '',
      extra: '',
      isJson: false,
    },
    {},
  );

  test('a row of a gigabyte is refused before it is here', async () => {
    let sent = 0;
    const wire = await open((socket) => {
      rows(socket, () => {
        const part = Buffer.alloc(0xffffff, 0x61);
        let sequence = 4;
        const more = (): void => {
          while (sent < 1024 ** 3 && !socket.destroyed) {
            sent += part.length;
            if (!socket.write(packet(sequence++, part))) return void socket.once('drain', more);
          }
        };
        more();
      });
    });
    await fails(wire.rows('select 1'), 'ROW_TOO_LARGE');
    assert.ok(sent < MAX_ROW_BYTES * 2, `${sent} bytes were taken`);
    assert.equal(wire.isOpen, false);
  });
  test('a row that comes in drops is given up', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const now = performance.now.bind(performance);
    let ahead = 0;
    t.mock.method(performance, 'now', () => now() + ahead);
    let isUnderway = false;
    const wire = await open((socket) => {
      rows(socket, () => {
        socket.write(packet(4, Buffer.alloc(1000)).subarray(0, 10));
        isUnderway = true;
      });
    });
    const failed = fails(wire.rows('select 1'), 'TIMEOUT');
    await until('the beginning of the row', () => isUnderway);
    // Until the row has come as far as the wire: its clock is the one of `until`, too.
    for (let looks = 0; wire.isOpen && looks < 1000; looks++) {
      ahead += 5000;
      t.mock.timers.tick(5000);
      await aMoment(5);
    }
    await failed;
  });
  test('a server that asks for a file gets nothing', async () => {
    const heard: Buffer[] = [];
    const wire = await open((socket, sql) => {
      if (sql !== 'select 1') return;
      socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')));
      socket.on('data', (data) => {
        heard.push(Buffer.from(data));
        socket.write(packet(3, OK));
      });
    });
    assert.deepEqual(await wire.rows('select 1'), []);
    assert.deepEqual(Buffer.concat(heard), packet(2, Buffer.alloc(0)));
    wire.end();
  });
  test('a text that is not UTF-8 rejects its row, the others go on', async () => {
    const wire = await open((socket) => {
      rows(socket, () => {
        const values = [Buffer.from('good'), Buffer.from([0xff, 0xfe]), Buffer.from('also good')];
        for (const [at, value] of values.entries()) socket.write(packet(4 + at, text(value)));
        socket.write(packet(7, EOF));
      });
    });
    const made: Made[] = [];
    const maker = new LineMaker([column], { batchBytes: 1000, zeroDates: 'null', emit: (batch) => made.push(batch) });
    await wire.stream('select 1', maker);
    maker.flush();
    assert.deepEqual(
      made.map(({ lines, count, rejects }) => [lines.toString(), count, rejects.map(({ reason }) => reason)]),
      [['good\nalso good\n', 2, ['a text is not valid UTF-8']]],
    );
    wire.end();
  });
  test('rows that contradict themselves, and noise, are told as such', async () => {
    const maker = () => new LineMaker([column], { batchBytes: 1000, zeroDates: 'null', emit: () => {} });
    const answers: ((socket: Socket) => void)[] = [
      (socket) => rows(socket, () => socket.write(packet(4, Buffer.from([200, 1, 2])))),
      (socket) => rows(socket, () => socket.write(packet(4, Buffer.concat([text('a'), text('b')])))),
      (socket) => rows(socket, () => socket.write(packet(4, Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2])))),
      (socket) => socket.write(packet(1, Buffer.from([0xff]))),
    ];
    for (const answer of answers) {
      const wire = await open(answer);
      await fails(wire.stream('select 1', maker()), 'PROTOCOL_ERROR');
    }
  });
  test('a column of another type than it was, and more rows than asked for, are not misread', async () => {
    const number = typed({ ...column, dataType: 'int', columnType: 'int' }, {});
    const wire = await open((socket) => rows(socket, () => {}));
    await fails(
      wire.stream('select 1', new LineMaker([number], { batchBytes: 1000, zeroDates: 'null', emit: () => {} })),
      'SCHEMA_CHANGED',
    );
    const endless = await open((socket) => rows(socket, () => socket.write(Buffer.concat([packet(4, text('a')), packet(5, text('b'))]))));
    const maker = new LineMaker([column], { batchBytes: 1000, zeroDates: 'null', emit: () => {} });
    maker.most = 1;
    await fails(endless.stream('select 1 limit 1', maker), 'PROTOCOL_ERROR');
  });
  test('a server that hangs up, or speaks without being asked, is told as such', async () => {
    const first = await open((socket) => socket.destroy());
    await fails(first.rows('select 1'), 'CONNECTION_LOST');
    await fails(first.rows('select 1'), 'CONNECTION_LOST');
    const second = await open((socket) => socket.write(Buffer.concat([packet(1, OK), packet(2, OK)])));
    await second.run('do 1').catch(() => {});
    await fails(second.run('do 1'), 'PROTOCOL_ERROR');
  });
});
