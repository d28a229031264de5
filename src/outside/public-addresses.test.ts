import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPublic, meaningOf } from './public-addresses.ts';
import { reachOf } from './reach.ts';

const isAllowed = (networks: string, address: string): boolean => {
  try {
    reachOf(networks).demand(address);
    return true;
  } catch {
    return false;
  }
};

test('IANA: what is registered as not globally reachable is not public', () => {
  const refused = `0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.1.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170
    192.0.0.171 192.0.2.1 192.88.99.1 192.88.99.2 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 64:ff9b:1::1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100::1 100:0:0:1::1 2001::1 2001:0:ffff::1 2001:1::4 2001:2::1 2001:2:0:ffff::1 2001:5::1 2001:10::1 2001:1f:ffff::1
    2001:1ff::1 2001:db8::1 2002:a00:1::1 2002:7f00:1:: 3fff::1 3fff:fff::1 5f00::1 5f00:ffff::1 fc00::1 fdff::1 fe80::1 febf::1 fec0::1 feff::1 ff02::1 4000::1 8000::1 1::1 200::1
    ::ffff:10.0.0.1 ::ffff:192.88.99.1 64:ff9b::10.0.0.1 64:ff9b::127.0.0.1 ::ffff:0:127.0.0.1 ::127.0.0.1`;
  for (const address of refused.trim().split(/\s+/)) assert.equal(isAllowed('public', address), false, address);
  const allowed = `1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 172.15.255.255 172.32.0.0 192.0.0.9 192.0.0.10 192.0.1.0 192.0.3.0 192.31.196.1 192.52.193.1
    192.88.98.1 192.88.100.0 192.167.255.255 192.169.0.0 192.175.48.1 198.17.255.255 198.20.0.0 198.51.101.0 203.0.114.0 223.255.255.255
    2001:1::1 2001:1::2 2001:1::3 2001:3::1 2001:4:112::1 2001:20::1 2001:2f:ffff::1 2001:30::1 2001:200::1 2001:db7::1 2001:db9::1 2002:101:101::1 2003::1 2606:4700::1111 2620:4f:8000::1 2a00::1 3ffe::1 3fff:1000::1
    64:ff9b::1.1.1.1 ::ffff:1.1.1.1`;
  for (const address of allowed.trim().split(/\s+/)) assert.equal(isAllowed('public', address), true, address);
});

test('metadata is refused however it is carried, also through networks that translate', () => {
  // Teredo hides the address of the client by turning its bits round; a local NAT64 may put it in two places (RFC 6052).
  const carriers = `2001:0:4136:e378:8000:63bf:5601:5601 2001:0:a9fe:a9fe:8000:63bf:3fff:fdd2 64:ff9b:1::a9fe:a9fe 64:ff9b:1:a9fe:a9:fe00:: 2002:a9fe:a9fe:: ::ffff:0:a9fe:a9fe
    fd00:ec2::254 fd20:ce::254 fe80::a9fe:a9fe%1`;
  for (const networks of ['any', 'public', '::/0, 0.0.0.0/0'])
    for (const address of carriers.trim().split(/\s+/)) assert.equal(isAllowed(networks, address), false, `${networks} ${address}`);
});

const group = fc.integer({ min: 0, max: 0xffff });
const octets = fc.tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 0, max: 255 })));

test('property: what carries an IPv4 address is judged as that address, in whatever spelling', () => {
  fc.assert(
    fc.property(octets, fc.constantFrom('any', 'public', '10.0.0.0/8, 192.168.0.0/16'), ([a = 0, b = 0, c = 0, d = 0], networks) => {
      const plain = [a, b, c, d].join('.');
      const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
      const spellings = [
        `::ffff:${plain}`,
        `::FFFF:${high}:${low}`,
        `0:0:0:0:0:ffff:${plain}`,
        `::ffff:0:${plain}`,
        `64:ff9b::${plain}`,
        `2002:${high}:${low}::1`,
      ];
      for (const address of spellings)
        assert.equal(isAllowed(networks, address), isAllowed(networks, plain), `${address} under ${networks}`);
    }),
    { numRuns: 300 },
  );
});

test('property: any address has a meaning, and outside of 2000::/3 none of IPv6 is public but by what it carries', () => {
  fc.assert(
    fc.property(fc.tuple(...Array.from({ length: 8 }, () => group)), (groups) => {
      const address = groups.map((one) => one.toString(16)).join(':');
      const { address: meant } = meaningOf(address);
      const isGlobal = ((groups[0] ?? 0) & 0xe000) === 0x2000;
      if (meant.includes(':') && !isGlobal) assert.equal(isPublic(meant), false, address);
    }),
    { numRuns: 1000 },
  );
});
