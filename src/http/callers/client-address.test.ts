import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clientAddressBehind, networkOf } from './client-address.ts';

function addressOf(trusted: string | undefined, peer: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddressBehind(trusted)({ headers, socket: { remoteAddress: peer } as never });
}

describe('the address of a client', () => {
  test('is that of the connection, whatever is claimed, unless the connection is that of a trusted proxy', () => {
    assert.equal(addressOf(undefined, '203.0.113.9', '198.51.100.1'), '203.0.113.9');
    assert.equal(addressOf('10.0.0.0/8', '203.0.113.9', '198.51.100.1'), '203.0.113.9');
    assert.equal(addressOf('10.0.0.0/8', '10.1.2.3', '198.51.100.1'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.0/8', '10.1.2.3'), '10.1.2.3');
    assert.equal(addressOf('127.0.0.1', '::ffff:127.0.0.1', '198.51.100.1'), '198.51.100.1');
  });

  test('is the last one that a trusted proxy heard from: what stands before it, the client wrote itself', () => {
    assert.equal(addressOf('10.0.0.0/8,fd00::/8', '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.0/8,fd00::/8', 'fd00::1', '1.1.1.1, 198.51.100.1'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.0/8', '10.1.2.3', '10.0.0.5, 10.0.0.6'), '10.0.0.5');
  });

  test('is that of the proxy when it passes on what is no address', () => {
    for (const nonsense of ['', 'unknown', 'a'.repeat(10_000), '1.2.3.4.5', '<script>', '1.1.1.1, _hidden']) {
      assert.equal(addressOf('10.0.0.0/8', '10.1.2.3', nonsense), '10.1.2.3', nonsense.slice(0, 20));
    }
  });

  test('has no port and no zone', () => {
    for (const [told, address] of [
      ['198.51.100.1:4711', '198.51.100.1'],
      ['[2001:db8::1]:4711', '2001:db8::1'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['fe80::1%eth0', 'fe80::1'],
      ['::ffff:198.51.100.1', '198.51.100.1'],
    ] as const) {
      assert.equal(addressOf('10.0.0.0/8', '10.1.2.3', told), address);
    }
  });
});

test('an IPv6 network is one client, an IPv4 address too', () => {
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:db8:1:2::'), networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  assert.notEqual(networkOf('2001:db8:1:3::'), networkOf('2001:db8:1:2::'));
  assert.equal(networkOf('198.51.100.1'), '198.51.100.1');
  assert.equal(networkOf(''), '');
});
