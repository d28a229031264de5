import { BlockList, isIP, isIPv4 } from 'node:net';

// Network addresses as text: ranges of them, and their parts.

/** The ranges of a list such as `10.0.0.0/8, 192.168.1.7`; throws naming the first that is none. `orElse` is what else may be said. */
export function rangesOf(list: string, orElse = ''): string[] {
  const ranges = list
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    if (!isIP(address) || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      throw new RangeError(`must be ${orElse}ranges such as 10.0.0.0/8; "${range}" is none`);
  }
  return ranges;
}

/** Knows which addresses are in one of these ranges. */
export function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return list;
}

/** The eight groups of an IPv6 address. */
export function groupsOf(address: string): number[] {
  // `URL` writes every IPv6 address in its shortest form, without dots.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = short.split('::');
  const parse = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [start, end] = [parse(head), parse(tail ?? '')];
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end];
}
