import type { BlockList } from 'node:net';
import { isIPv4 } from 'node:net';
import { blockList, groupsOf } from '../lib/addresses.ts';

// IANA's registries of special-purpose addresses (RFC 6890 and those that came after it), each entry with whether it is globally reachable. Where it
// says "N/A" or the entry has ended, it is not. Of several that hold an address the narrowest decides.
const REGISTRY: Readonly<Record<string, boolean>> = {
  '0.0.0.0/8': false,
  '10.0.0.0/8': false,
  '100.64.0.0/10': false,
  '127.0.0.0/8': false,
  '169.254.0.0/16': false,
  '172.16.0.0/12': false,
  '192.0.0.0/24': false,
  '192.0.0.9/32': true,
  '192.0.0.10/32': true,
  '192.0.2.0/24': false,
  '192.31.196.0/24': true,
  '192.52.193.0/24': true,
  '192.88.99.0/24': false,
  '192.168.0.0/16': false,
  '192.175.48.0/24': true,
  '198.18.0.0/15': false,
  '198.51.100.0/24': false,
  '203.0.113.0/24': false,
  // Multicast, which has registries of its own.
  '224.0.0.0/4': false,
  '240.0.0.0/4': false,
  // Only this part of IPv6 was ever given out. The rest is reserved, with 100::/64, 100:0:0:1::/64, 5f00::/16, fc00::/7, fe80::/10 and fec0::/10 in it.
  '::/0': false,
  '2000::/3': true,
  '64:ff9b::/96': true,
  '64:ff9b:1::/48': false,
  '2001::/23': false,
  '2001:1::1/128': true,
  '2001:1::2/128': true,
  '2001:1::3/128': true,
  '2001:2::/48': false,
  '2001:3::/32': true,
  '2001:4:112::/48': true,
  '2001:10::/28': false,
  '2001:20::/28': true,
  '2001:30::/28': true,
  '2001:db8::/32': false,
  '2002::/16': false,
  '2620:4f:8000::/48': true,
  '3fff::/20': false,
};

let narrowestFirst: { family: string; list: BlockList; isReachable: boolean }[] | undefined;

/** Whether an address can be reached from everywhere, by what it was registered for. */
export function isPublic(address: string): boolean {
  narrowestFirst ??= Object.entries(REGISTRY)
    .sort(([a], [b]) => bitsOf(b) - bitsOf(a))
    .map(([range, isReachable]) => ({ family: range.includes(':') ? 'ipv6' : 'ipv4', list: blockList([range]), isReachable }));
  // A list of IPv6 would know addresses of IPv4 as well, as what is mapped to them.
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return narrowestFirst.find(({ family: its, list }) => its === family && list.check(address, family))?.isReachable ?? true;
}

function bitsOf(range: string): number {
  return Number(range.split('/')[1]);
}

/** What an address stands for: the one that is meant by it, and others that it leads to on its way. */
export interface AddressMeaning {
  readonly address: string;
  readonly through: readonly string[];
}

/** IPv6 addresses that only carry one of IPv4 (mapped, translated, compatible, NAT64 and 6to4) mean that one. A local NAT64 and Teredo lead to some as well. */
export function meaningOf(address: string): AddressMeaning {
  const [bare = ''] = address.split('%');
  if (isIPv4(bare)) return { address: bare, through: [] };
  const groups = groupsOf(bare);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  const isMapped = (zeros(5) && f === 0xffff) || (zeros(4) && e === 0xffff && f === 0);
  const isCompatible = zeros(6) && (g !== 0 || h > 1);
  const isNat64 = a === 0x64 && b === 0xff9b;
  if (isMapped || isCompatible || (isNat64 && c + d + e + f === 0)) return { address: v4(g, h), through: [] };
  if (a === 0x2002) return { address: v4(b, c), through: [] };
  // RFC 6052 knows several places; which of them was chosen only that network knows.
  if (isNat64) return { address: bare, through: [v4(g, h), v4(d, ((e & 0xff) << 8) | (f >> 8))] };
  if (a === 0x2001 && b === 0) return { address: bare, through: [v4(c, d), v4(g ^ 0xffff, h ^ 0xffff)] };
  return { address: bare, through: [] };
}

function v4(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
