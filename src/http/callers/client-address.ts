import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv4 } from 'node:net';
import { blockList, groupsOf, rangesOf } from '../../lib/addresses.ts';

/** Tells the address of the client that a request comes from. */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Any client can write any X-Forwarded-For. Each proxy adds at the end the address it heard from, so the list is read backwards, for
 * as long as those who wrote it are trusted.
 */
export function clientAddressBehind(trustedProxies: string | undefined): ClientAddress {
  const trusted = trustedProxies === undefined ? undefined : blockList(rangesOf(trustedProxies));
  return ({ headers, socket }) => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    const told = trusted && headers['x-forwarded-for'];
    return told === undefined || !isIn(trusted as BlockList, peer) ? peer : clientOf(String(told), peer, trusted as BlockList);
  };
}

function clientOf(told: string, peer: string, trusted: BlockList): string {
  let client = peer;
  for (const part of told.split(',').toReversed()) {
    const address = plainAddress(part.trim());
    // What is no address was not written by a proxy that knows what it does: the one who passed it on answers for it.
    if (!isIP(address)) return client;
    client = address;
    if (!isIn(trusted, address)) return client;
  }
  return client;
}

/** Whether an address is in one of the ranges. */
export function isIn(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Without a port or a zone, and as IPv4 where an IPv6 address only carries one. */
export function plainAddress(given: string): string {
  if (isIPv4(given)) return given;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(given)?.[1] ?? given.replace(/^([\d.]+):\d+$/, '$1');
  const [address = ''] = bare.split('%');
  const carried = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return carried ?? address;
}

/** Whom to count under one name: an IPv6 network of 64 bits is one customer's, who has all of its addresses. */
export function networkOf(address: string): string {
  if (isIPv4(address) || !isIP(address)) return address;
  return `${groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
