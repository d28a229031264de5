import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { OutsideError } from './errors.ts';
import { reachOf } from './reach.ts';
import { rangesOf } from '../lib/addresses.ts';

function refuses(networks: string, addresses: readonly string[]): void {
  const reach = reachOf(networks);
  for (const address of addresses) assert.throws(() => reach.demand(address), OutsideError, `${networks} refuses ${address}`);
}

function allows(networks: string, addresses: readonly string[]): void {
  const reach = reachOf(networks);
  for (const address of addresses) assert.doesNotThrow(() => reach.demand(address), `${networks} allows ${address}`);
}

describe('reach', () => {
  test('metadata and link-local addresses are never allowed, however they are written', () => {
    const addresses = [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '::169.254.169.254',
      '::ffff:0:169.254.169.254',
      '64:ff9b::169.254.169.254',
      '2002:a9fe:a9fe::1',
      'fe80::1%eth0',
      'fd00:ec2::254',
      '100.100.100.200',
      '0.0.0.0',
      '::',
      '224.0.0.1',
    ];
    for (const networks of ['any', 'public', '0.0.0.0/0, ::/0']) refuses(networks, addresses);
  });
  test('private and loopback addresses are allowed unless narrowed', () => {
    const inside = ['127.0.0.1', '::1', '10.1.2.3', '192.168.0.1', '::ffff:10.1.2.3', 'fd12::1'];
    allows('any', [...inside, '93.184.216.34', '2606:2800:220:1::1']);
    refuses('public', inside);
    allows('public', ['93.184.216.34', '2606:2800:220:1::1']);
  });
  test('a list of ranges allows what is in it and nothing else', () => {
    allows('10.0.0.0/8, 192.168.1.7', ['10.255.0.1', '192.168.1.7', '::ffff:10.0.0.1']);
    refuses('10.0.0.0/8, 192.168.1.7', ['11.0.0.1', '192.168.1.8', '127.0.0.1', '::1']);
    assert.throws(() => rangesOf('10.0.0.0/8, nonsense'), /nonsense/);
    assert.throws(() => rangesOf('10.0.0.0/33'), RangeError);
  });
  test('a name is judged by the addresses it has', async () => {
    const resolved = (networks: string, name: string): Promise<unknown> =>
      new Promise((resolve) => reachOf(networks).lookup(name, {}, (error, address) => resolve(error ?? address)));
    assert.equal(await resolved('127.0.0.1/32', 'localhost').then((answer) => answer instanceof OutsideError || answer), '127.0.0.1');
    assert.ok((await resolved('public', 'localhost')) instanceof OutsideError);
    assert.ok((await resolved('public', '0x7f.1')) instanceof OutsideError, 'an odd spelling is resolved first');
    assert.ok((await resolved('public', '2130706433')) instanceof OutsideError);
  });
  test('a socket connects where it may, and fails with words where it may not', async () => {
    const server = createServer((socket) => socket.end('hi')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const allowed = reachOf('any').socket();
    allowed.connect(port, 'localhost');
    assert.equal(String((await once(allowed, 'data'))[0]), 'hi');
    for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '/var/run/server.sock']) {
      const socket = reachOf('public').socket();
      socket.connect(port, host);
      const [error] = await once(socket, 'close').catch((failure: unknown) => [failure]);
      assert.ok(error instanceof OutsideError, host);
      assert.equal(error.code, 'ADDRESS_REFUSED');
    }
    server.close();
  });
});
